package process

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// What is read of a process is bounded: another user's process may map a file as often as the kernel allows, under a name
// of 4 kB, and have a million descriptors.
const (
	maxMaps        = 256 << 20 // bytes of its list of mappings
	maxLine        = 64 << 10  // of one line in it
	maxNames       = 4 << 20   // of the names that are kept
	maxDescriptors = 1 << 14
)

// readMaps gives each line of the list of mappings to a function, without its end, until that returns false.
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
		again = long || more || line(text) // a line that is too long is left out
		long = more
	}
	return nil
}

// mayHaveLoader tells whether a list of mappings names a Vulkan loader.
func mayHaveLoader(file string) (found bool, err error) {
	err = readMaps(file, func(line []byte) bool {
		found = bytes.Contains(line, []byte(loaderStem))
		return !found
	})
	return found, err
}

// mapped gives the files of a list of mappings, each once.
func mapped(file string) ([]Mapping, error) {
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

// parseMapping gives the name in a line of the list, nil for memory without a file: addresses, permissions, offset, device,
// inode, name.
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
