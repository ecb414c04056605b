package process

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

// loaderName is the name by which programs open the loader.
const loaderName = "libvulkan.so.1"

// loaderStem is the start of the names of a loader's files. In the names of drivers, an underscore follows "libvulkan".
const loaderStem = "libvulkan.so"

// isLoader reports whether a file is a Vulkan loader's.
func isLoader(file string) bool { return strings.HasPrefix(path.Base(file), loaderStem) }

// isLibrary reports whether a file is a library, by its name.
func isLibrary(file string) bool { return strings.Contains(path.Base(file), ".so") }

func symbolsOf(f *os.File) (*binary.Symbols, error) { return binary.ReadSymbols(f) }

// find returns the mapped file of a manifest's library name. That is the file itself, or one whose name differs only in
// the version, because an update may have replaced the file. nil: neither is mapped.
func (p *Process) find(library string) *Mapping {
	if library == "" {
		return nil
	}
	names := p.tokens().Expand(library)
	for _, name := range names {
		if !strings.Contains(name, "/") {
			continue
		}
		real, err := p.Machine.Real(name)
		for i, m := range p.Mapped {
			if m.Path == path.Clean(name) || err == nil && m.Path == real {
				return &p.Mapped[i]
			}
		}
	}
	stem := func(name string) string {
		name, _, _ = strings.Cut(path.Base(name), ".so")
		return name
	}
	for _, name := range names {
		for i, m := range p.Mapped {
			if isLibrary(m.Path) && stem(m.Path) == stem(name) &&
				(!strings.Contains(name, "/") || path.Dir(m.Path) == path.Dir(path.Clean(name))) {
				return &p.Mapped[i]
			}
		}
	}
	return nil
}

// tokens returns the values of tokens when the process's loader opens a library: $ORIGIN is the loader's directory, and
// $LIB follows from the path of libc.so.6. musl has no libc.so.6, and no tokens.
func (p *Process) tokens() machine.Tokens {
	var t machine.Tokens
	for _, m := range p.Mapped {
		switch {
		case path.Base(m.Path) == "libc.so.6":
			t.Lib, t.Platform = append(t.Lib, machine.LibOf(m.Path)), machine.Platforms()
		case isLoader(m.Path):
			t.Origin = append(t.Origin, path.Dir(m.Path))
		}
	}
	if t.Lib == nil {
		return machine.Tokens{}
	}
	return t
}

// Reading a process is bounded: another user's process may map a file as often as the kernel allows, under a name
// of 4 kB, and have a million descriptors.
const (
	maxMaps        = 256 << 20 // bytes of the list of mappings
	maxLine        = 64 << 10  // bytes of one line in the list
	maxNames       = 4 << 20   // bytes of the kept names
	maxDescriptors = 1 << 14
)

// readMaps calls line with each line of a list of mappings, without the line feed, until line returns false.
func readMaps(file string, line func([]byte) bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(io.LimitReader(f, maxMaps), maxLine)
	for again, long := true, false; again; {
		text, more, err := lines.ReadLine()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		again = long || more || line(text) // a line that is too long is skipped
		long = more
	}
	return nil
}

// mayHaveLoader reports whether a list of mappings names a Vulkan loader.
func mayHaveLoader(file string) (found bool, err error) {
	err = readMaps(file, func(line []byte) bool {
		found = bytes.Contains(line, []byte(loaderStem))
		return !found
	})
	return found, err
}

// readMappings returns the files in a list of mappings, each once.
func readMappings(file string) ([]Mapping, error) {
	var list []Mapping
	seen, size := map[string]bool{}, 0
	err := readMaps(file, func(text []byte) bool {
		name, inode := parseMapping(text)
		if name == nil || seen[string(name)] {
			return true
		}
		path, gone := strings.CutSuffix(string(name), deleted)
		seen[string(name)] = true
		list = append(list, Mapping{path, gone, inode})
		size += len(name)
		return size < maxNames
	})
	return list, err
}

// parseMapping returns the name in a line of the list (addresses, permissions, offset, device, inode, name); nil for
// memory without a file.
func parseMapping(line []byte) (name []byte, inode uint64) {
	fields := bytes.Fields(line)
	if len(fields) < 6 || fields[5][0] != '/' {
		return nil, 0
	}
	inode, _ = strconv.ParseUint(string(fields[4]), 10, 64)
	return line[bytes.Index(line, fields[5]):], inode
}

// descriptors lists the names of the first open descriptors of a process.
func (p *Process) descriptors() []string {
	f, err := os.Open(filepath.Join(p.directory, "fdinfo"))
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxDescriptors)
	slices.Sort(names)
	return names
}

// Memory returns the process's device memory by fdinfo. It returns nothing if the kernel driver reports nothing there,
// as NVIDIA's does.
func (p *Process) Memory() []MemoryRegion {
	var list []MemoryRegion
	type client struct{ driver, device, id string }
	clients := map[client]bool{}
	for _, name := range p.descriptors() {
		data, err := os.ReadFile(p.file("fdinfo/" + name))
		if err != nil {
			continue
		}
		driver, device, id, regions := parseInfo(string(data))
		if driver == "" || clients[client{driver, device, id}] {
			continue // descriptors of one client report the same
		}
		clients[client{driver, device, id}] = true
		for region, bytes := range regions {
			at := slices.IndexFunc(list,
				func(m MemoryRegion) bool { return m.Driver == driver && m.Device == device && m.Region == region })
			if at < 0 {
				at = len(list)
				list = append(list, MemoryRegion{Device: device, Driver: driver, Region: region})
			}
			list[at].Bytes += bytes
		}
	}
	slices.SortFunc(list, func(a, b MemoryRegion) int {
		return cmp.Or(strings.Compare(a.Device, b.Device), strings.Compare(a.Driver, b.Driver),
			strings.Compare(a.Region, b.Region))
	})
	return list
}

// kinds are the keys of memory, in order of preference: resident memory, its older key, allocated memory.
var kinds = []string{"drm-resident-", "drm-memory-", "drm-total-"}

// parseInfo parses a file of fdinfo; driver is "" if the descriptor is not a device's.
func parseInfo(text string) (driver, device, client string, regions map[string]uint64) {
	regions = map[string]uint64{}
	best := map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "drm-driver":
			driver = value
		case "drm-pdev":
			device = value
		case "drm-client-id":
			client = value
		}
		for rank, kind := range kinds {
			region, is := strings.CutPrefix(key, kind)
			if bytes, ok := size(value); is && ok && bytes > 0 {
				if before, had := best[region]; !had || rank < before {
					best[region], regions[region] = rank, bytes
				}
			}
		}
	}
	return driver, device, client, regions
}

// size parses "NUMBER [KiB|MiB]" and returns bytes.
func size(text string) (uint64, bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(fields[0], 10, 64)
	if len(fields) > 1 {
		switch fields[1] {
		case "KiB":
			n <<= 10
		case "MiB":
			n <<= 20
		}
	}
	return n, err == nil
}
