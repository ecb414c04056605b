package machine

import (
	"bytes"
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/machines"
)

// OwnClass is the word size of the tool. The library beside it has the same, and decisions are for programs of this
// size by default.
const OwnClass = strconv.IntSize

// Source has the facts of a machine for one program, read as the spine reads them.
type Source struct {
	Machine
	Elevated bool // variables that only ordinary programs may read count as unset
	AsUser   bool // on Windows: the program has at most its user's rights, even if the tool has more
	Class    int  // word size of the program, 32 or 64; 0: not known, OwnClass is assumed
	// the program of the decision; "": the tool itself, or on a foreign machine a program without a path
	Program string
	Added   map[string]string    // files that count as existing, with their contents, by their clean paths
	Served  func() facts.Service // asks the driver service; nil: there is none
	// the cache of read files, shared by decisions about the same files; nil: every file is read again
	Kept *FileCache
	// the loader that reads the facts; nil: this project's loader, which reads all of them
	Loader OtherLoader
}

// Brought returns the manifests of drivers, by their names, in the directory of the program.
func (s *Source) Brought() (manifests []string) {
	program, err := s.Real(s.Program)
	if s.Program == "" || err != nil {
		return nil
	}
	directory := Style.Directory(program)
	for _, name := range s.Names(directory) {
		if strings.Contains(name, "icd") && strings.HasSuffix(name, ".json") {
			manifests = append(manifests, directory+name)
		}
	}
	return manifests
}

// FileCache has the files and directories that sources of one machine have read. Sources with different variables or
// missing files may share it. It must not be used after a change of the files.
type FileCache struct {
	directories map[string]facts.Directory
	files       map[string]facts.File
}

// Files returns the number of files that were read.
func (k *FileCache) Files() int { return len(k.files) }

// DriverSource returns the source for a directory of the machine that stands for "/", such as the root of a container
// with drivers. If directory is empty, it returns the source itself. Of this process's variables, only those that begin
// with VK_ apply to the directory.
func (s *Source) DriverSource(directory string) *Source {
	if directory == "" {
		return s
	}
	with := *s
	with.Root, with.Kept, with.Opened = filepath.Join(s.Root, directory), nil, nil
	if !s.Foreign() {
		with.Environ = slices.DeleteFunc(slices.Clone(s.Environ),
			func(pair string) bool { return !strings.HasPrefix(pair, "VK_") })
	}
	return &with
}

// Keeping returns the source with a cache of its files.
func (s *Source) Keeping() *Source {
	if s.Kept != nil {
		return s
	}
	with := *s
	with.Kept = &FileCache{map[string]facts.Directory{}, map[string]facts.File{}}
	return &with
}

// OtherLoader is a loader that does not read all facts that this project's loader reads.
type OtherLoader interface {
	Reads(variable string) bool // false: the variable counts as unset
	// the settings file as the loader understands it; false: it reads none
	Settings(content string) (as string, ok bool)
	Obeys(variable string) bool               // the loader is known to read the variable, so a fix may use it
	Configuration() (directory, extra string) // its compiled-in directories of configuration files; "", "": unknown
}

// settingsName is the name of every settings file.
const settingsName = "vk_loader_settings.json"

// unread reports whether a path is of a settings file, and the loader reads none.
func (s *Source) unread(name string) bool {
	if s.Loader == nil || !strings.HasSuffix(name, settingsName) {
		return false
	}
	_, reads := s.Loader.Settings("")
	return !reads
}

// Directory implements facts.Provider. The names have the order of the file system (PATH-18). On a foreign machine they
// are sorted, because the order of its file system is unknown.
func (s *Source) Directory(path string) facts.Directory {
	path = s.Path(path)
	f := s.readDirectory(path)
	if added := s.AddedTo(path); len(added) > 0 {
		f = facts.Directory{Listed: true, Names: slices.Concat(f.Names, added)}
	}
	return f
}

// readDirectory returns a directory without added files. With a FileCache, it reads each directory once.
func (s *Source) readDirectory(path string) facts.Directory {
	if s.Kept == nil {
		return s.directory(path)
	}
	all, known := s.Kept.directories[path]
	if !known {
		everything := *s
		everything.Without = nil
		all = everything.directory(path)
		s.Kept.directories[path] = all
	}
	if len(s.Without) == 0 {
		return all
	}
	seen := facts.Directory{Listed: all.Listed && !s.isHidden(path)}
	for _, name := range all.Names {
		if seen.Listed && !s.isHidden(path+string(os.PathSeparator)+name) {
			seen.Names = append(seen.Names, name)
		}
	}
	return seen
}

func (s *Source) directory(path string) facts.Directory {
	entries, err := s.list(path)
	if err != nil && len(entries) == 0 {
		return facts.Directory{}
	}
	if s.Foreign() {
		ByName(entries)
	}
	f := facts.Directory{Listed: true}
	for _, e := range entries {
		n := e.Name()
		if s.isHidden(path + string(os.PathSeparator) + n) {
			continue
		}
		if len(n) >= 5 && n[len(n)-5:] == ".json" {
			f.Names = append(f.Names, n)
		}
	}
	if !s.Bound.add(path, f.Names...) {
		return facts.Directory{}
	}
	return f
}

// AddedTo returns the names of the added files in a directory.
func (s *Source) AddedTo(directory string) (names []string) {
	for name := range s.Added {
		if filepath.Dir(name) == filepath.Clean(directory) {
			names = append(names, filepath.Base(name))
		}
	}
	slices.Sort(names)
	return names
}

// Exists implements facts.Provider.
func (s *Source) Exists(name string) bool {
	if _, is := s.Added[filepath.Clean(name)]; is {
		return true
	}
	return !s.unread(name) && s.Machine.Exists(s.Path(name))
}

// Absent reports whether a path leads nowhere, for all that this user may see.
func (s *Source) Absent(name string) bool {
	if _, is := s.Added[filepath.Clean(name)]; is {
		return false
	}
	return s.unread(name) || s.Machine.Absent(s.Path(name))
}

// Closed reports whether this user may not list a directory.
func (s *Source) Closed(directory string) bool {
	_, err := s.list(s.Path(directory))
	return errors.Is(err, fs.ErrPermission)
}

// WrongMachine implements facts.Provider.
func (s *Source) WrongMachine(name string) bool {
	class := s.Class
	if class == 0 {
		class = OwnClass
	}
	switch runtime.GOOS {
	case "windows":
		return foreignPE(s.head(name), class)
	case "darwin":
		return ForeignMachO(s.head(name), runtime.GOARCH)
	}
	return foreignELF(s.head(name), class)
}

// WrongWindowsMachine reports whether a file is a Windows library that programs of a word size cannot load.
func (s *Source) WrongWindowsMachine(name string, class int) bool {
	return foreignPE(s.head(name), class)
}

// WrongMacMachine reports whether a file is a macOS library without a part for any of a program's processors, named as
// in package binary. It returns false if there are no processors.
func (s *Source) WrongMacMachine(name string, processors []string) bool {
	head := s.head(name)
	return len(processors) > 0 && !slices.ContainsFunc(processors, func(p string) bool {
		return !ForeignMachO(head, p)
	})
}

// head returns the first bytes of a file; none if it cannot be read.
func (s *Source) head(name string) []byte {
	if s.unread(name) {
		return nil
	}
	file, err := s.Open(s.Path(name))
	if err != nil {
		return nil
	}
	defer file.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(file, head)
	return head[:n]
}

// foreignELF reports whether the word size, byte order or processor of an ELF header differs from those of programs of
// a word size on this machine. If the machine runs no programs of that size, only word size and byte order are
// compared.
func foreignELF(head []byte, class int) bool {
	own, known := machines.Own()
	if !known || len(head) < 20 || string(head[:4]) != elf.ELFMAG {
		return false
	}
	data := elf.ELFDATA2LSB
	if own.BigEndian {
		data = elf.ELFDATA2MSB
	}
	if int(head[elf.EI_CLASS]) != class/32 || elf.Data(head[elf.EI_DATA]) != data {
		return true
	}
	number := binary.LittleEndian.Uint16(head[18:])
	if own.BigEndian {
		number = binary.BigEndian.Uint16(head[18:])
	}
	same, known := machines.Running(class)
	return known && elf.Machine(number) != same.ELF
}

// foreignPE reports whether the header of a Windows library names another processor than that of programs of a word
// size.
func foreignPE(head []byte, class int) bool {
	if len(head) < 64 || string(head[:2]) != "MZ" {
		return false
	}
	at := int64(binary.LittleEndian.Uint32(head[60:]))
	if at+6 > int64(len(head)) || string(head[at:at+4]) != "PE\x00\x00" {
		return false
	}
	own := uint16(pe.IMAGE_FILE_MACHINE_AMD64)
	switch {
	case class == 32:
		own = pe.IMAGE_FILE_MACHINE_I386
	case runtime.GOARCH == "arm64":
		own = pe.IMAGE_FILE_MACHINE_ARM64
	}
	return binary.LittleEndian.Uint16(head[at+4:]) != own
}

// File implements facts.Provider.
func (s *Source) File(path string) facts.File {
	if s.unread(path) {
		return facts.File{Status: facts.FileNotOpened}
	}
	if text, is := s.Added[filepath.Clean(path)]; is {
		return facts.File{Content: s.classManifest(text)}
	}
	f := s.readFile(s.Path(path))
	if s.Loader != nil && strings.HasSuffix(path, settingsName) {
		f.Content, _ = s.Loader.Settings(f.Content)
	}
	return f
}

// readFile returns a file. With a FileCache, it reads each file once.
func (s *Source) readFile(path string) facts.File {
	if s.Kept == nil || s.isHidden(path) {
		return s.file(path)
	}
	key := strconv.Itoa(s.Class) + path // some paths lead to another file for each word size
	read, known := s.Kept.files[key]
	if !known {
		read = s.file(path)
		s.Kept.files[key] = read
	}
	return read
}

func (s *Source) file(path string) facts.File {
	if s.Tree != nil { // opening a file of a Tree copies it, so its size is examined first
		if info, err := s.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > facts.MaxFile {
			return facts.File{Status: facts.FileTooLarge}
		}
	}
	f, err := s.Open(path)
	if errors.Is(err, ErrNotRegular) {
		return facts.File{Status: facts.FileNotRegular}
	}
	if err != nil {
		return facts.File{Status: facts.FileNotOpened}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return facts.File{Status: facts.FileNoSize}
	}
	if !info.Mode().IsRegular() {
		return facts.File{Status: facts.FileNotRead}
	}
	if !s.Bound.read(path, info.Size()) {
		return facts.File{Status: facts.FileNotOpened}
	}
	content, status := readSized(f, info.Size())
	if status != facts.FileRead {
		return facts.File{Status: status}
	}
	if !s.Bound.parse(path, content) {
		return facts.File{Status: facts.FileNotOpened}
	}
	read := facts.File{Content: s.classManifest(string(content))}
	if s.Tree == nil { // the files of a Tree are copies, with other numbers
		read.Number = numberOf(f, info)
	}
	return read
}

// readSmall is the size of the largest manifest that is read without its stated size, in bytes.
const readSmall = 1024

// readSized reads a regular file as the spine does (spine/core/posix/read.c). A small file whose last character is "}"
// is read in full. Any other file is read up to its stated size; files of /proc state 0, so their content is empty.
func readSized(f *os.File, size int64) ([]byte, facts.FileStatus) {
	start := make([]byte, readSmall+1)
	n, _ := io.ReadFull(f, start)
	if n <= readSmall && bytes.HasSuffix(bytes.TrimRight(start[:n], " \t\r\n"), []byte("}")) {
		return start[:n], facts.FileRead
	}
	if size > facts.MaxFile {
		return nil, facts.FileTooLarge
	}
	content := make([]byte, size)
	from := copy(content, start[:n])
	if _, err := io.ReadFull(f, content[from:]); err != nil {
		return nil, facts.FileNotRead
	}
	return content, facts.FileRead
}

// Exe implements facts.Provider.
func (s *Source) Exe() facts.Exe {
	if s.Program != "" {
		return facts.Exe{Path: s.Program, Known: len(s.Program) < 1024}
	}
	if s.Foreign() {
		return facts.Exe{Known: true}
	}
	path, err := ownProgram()
	return facts.Exe{Path: path, Known: err == nil && len(path) < 1024}
}
