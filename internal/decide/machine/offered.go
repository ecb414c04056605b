package machine

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/pierrec/lz4/v4"
)

// Directories of the lists that package managers fetch.
const (
	aptLists    = "/var/lib/apt/lists"
	pacmanLists = "/var/lib/pacman/sync"
	apkLists    = "/var/cache/apk"
)

// Lists are the package lists that a machine has fetched from its sources.
type Lists struct {
	machine *Machine
	names   []string // of lists of packages
	files   []string // of lists of the packages' files
}

// Lists finds the lists of a package manager, by the distribution whose it is: debian, arch or alpine. Other managers
// have none.
func (m *Machine) Lists(of string) *Lists {
	l := &Lists{machine: m}
	add := func(to *[]string, directory, name string, is bool) {
		if is {
			*to = append(*to, directory+"/"+name)
		}
	}
	switch of {
	case "debian":
		for _, name := range m.Names(aptLists) {
			bare := strings.TrimSuffix(strings.TrimSuffix(name, ".lz4"), ".gz")
			add(&l.names, aptLists, name, strings.HasSuffix(bare, "_Packages"))
			add(&l.files, aptLists, name, strings.Contains(bare, "_Contents-"))
		}
	case "arch":
		for _, name := range m.Names(pacmanLists) {
			add(&l.names, pacmanLists, name, path.Ext(name) == ".db")
			add(&l.files, pacmanLists, name, path.Ext(name) == ".files")
		}
	case "alpine":
		for _, name := range m.Names(apkLists) {
			add(&l.names, apkLists, name, strings.HasPrefix(name, "APKINDEX."))
		}
	}
	return l
}

// Fetched reports whether there is a list of packages.
func (l *Lists) Fetched() bool { return len(l.names) > 0 }

// Offers returns those of the packages that a list has. known is false if no list can be read.
func (l *Lists) Offers(names ...string) (offered []string, known bool) {
	for _, list := range l.names {
		known = l.each(list, func(name, line string) {
			if name == "" {
				name, _ = strings.CutPrefix(line, "Package: ")
				if strings.HasSuffix(list, ".tar.gz") {
					name, _ = strings.CutPrefix(line, "P:")
				}
			}
			if slices.Contains(names, name) && !slices.Contains(offered, name) {
				offered = append(offered, name)
			}
		}) == nil || known
	}
	return offered, known
}

// libraryDirectories are those of 64-bit programs, without a leading slash.
var libraryDirectories = []string{"lib", "lib64", "usr/lib", "usr/lib64", "lib/x86_64-linux-gnu",
	"usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu"}

// Having returns a package with a file of this name in a directory of libraries, from the lists of the packages' files;
// "": no list, or no such package.
func (l *Lists) Having(file string) (owner string) {
	for _, list := range l.files {
		_ = l.each(list, func(name, line string) { // a damaged list is used up to the damage
			at, packages := line, name
			if name == "" { // a line of Debian's lists is: PATH  SECTION/PACKAGE,...
				cut := strings.LastIndexAny(line, " \t")
				if cut < 0 {
					return
				}
				at, packages = strings.TrimSpace(line[:cut]), path.Base(strings.SplitN(line[cut+1:], ",", 2)[0])
			}
			if owner == "" && path.Base(at) == file && slices.Contains(libraryDirectories, path.Dir(at)) {
				owner = packages
			}
		})
	}
	return owner
}

// each calls line with each line of a list. In a list that is an archive with an entry for each package, name is the
// package; otherwise it is empty.
func (l *Lists) each(list string, line func(name, text string)) error {
	f, err := l.machine.Open(list)
	if err != nil {
		return err
	}
	defer f.Close()
	from, err := decompress(io.LimitReader(f, maxLarge))
	if err != nil {
		return err
	}
	from = io.LimitReader(from, 8*maxLarge)
	if strings.HasPrefix(list, aptLists) {
		return lines(from, "", line)
	}
	archive := tar.NewReader(from)
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := ""
		if part := strings.Split(path.Dir(entry.Name), "-"); len(part) > 2 { // NAME-VERSION-RELEASE/desc
			name = strings.Join(part[:len(part)-2], "-")
		}
		if err := lines(archive, name, line); err != nil {
			return err
		}
	}
}

func lines(from io.Reader, name string, line func(name, text string)) error {
	all := bufio.NewScanner(from)
	all.Buffer(nil, 1<<20)
	for all.Scan() {
		line(name, all.Text())
	}
	return all.Err()
}

// decompress returns the text of a list, which may be compressed by gzip or lz4.
func decompress(from io.Reader) (io.Reader, error) {
	ahead := bufio.NewReaderSize(from, 1<<16)
	head, err := ahead.Peek(4)
	if err != nil {
		return ahead, nil // a shorter list has no entry
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(ahead)
	case bytes.Equal(head, []byte{0x04, 0x22, 0x4d, 0x18}):
		return lz4.NewReader(ahead), nil
	}
	return ahead, nil
}
