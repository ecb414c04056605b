package binary

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"io"
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
)

// Interpreter is the dynamic linker that a program names (PT_INTERP). Its own file contains the directories that it
// searches.
type Interpreter struct {
	Path    string // as the program names it
	Version string // of its glibc, as 2.36; "": another C library, or not known
	Own     bool   // the program's package contains this linker and a C library; the system has another one

	musl        bool
	cache       string   // its cache; "": none
	directories []string // the directories that it searches last
}

// systemLinkers returns the paths of the dynamic linkers of a system itself. The ABI of each processor fixes them; some
// systems without /lib64 have glibc's in /lib.
func systemLinkers(rows []machines.Machine) (paths []string) {
	for _, m := range rows {
		paths = append(append(paths, m.Linkers...), "/lib/"+path.Base(m.Linkers[0]))
	}
	return paths
}

// maxLinker is the number of bytes that are read of a dynamic linker's file. The files have a quarter of this.
const maxLinker = 4 << 20

var (
	glibcVersion = machine.Pattern{Text: `stable release version ([0-9]+\.[0-9]+)`}
	cachePath    = machine.Pattern{Text: `\x00(/[!-~]*/ld\.so\.cache)\x00`}
	// searched is the list of default directories in glibc's dynamic linker: texts with a slash at the end, one after
	// the other.
	searched = machine.Pattern{Text: `\x00((?:/[!-~]+/\x00)+)`}
)

// readInterpreter reads a program's dynamic linker; nil when it cannot be read.
func readInterpreter(m *machine.Machine, name string, rows []machines.Machine) *Interpreter {
	data, err := m.ReadLarge(name)
	if err != nil || len(data) > maxLinker {
		return nil
	}
	real := realOf(m, name)
	i := &Interpreter{Path: name, Own: true, musl: strings.HasPrefix(path.Base(name), "ld-musl-")}
	for _, system := range systemLinkers(rows) {
		i.Own = i.Own && (!m.Exists(system) || realOf(m, system) != real)
	}
	if i.musl {
		return i
	}
	if found := glibcVersion.Form().FindSubmatch(data); found != nil {
		i.Version = string(found[1])
	}
	if found := cachePath.Form().FindSubmatch(data); found != nil {
		i.cache = string(found[1])
	}
	for _, found := range searched.Form().FindAllSubmatch(data, -1) {
		var list []string
		for _, directory := range bytes.Split(bytes.TrimSuffix(found[1], []byte{0}), []byte{0}) {
			list = append(list, path.Clean(string(directory)))
		}
		if i.directories == nil &&
			slices.ContainsFunc(list, func(d string) bool { return strings.Contains(d, "lib") }) {
			i.directories = list
		}
	}
	if i.directories == nil && (strings.HasPrefix(real, "/nix/store/") || strings.HasPrefix(real, "/gnu/store/")) {
		i.directories, i.cache = []string{path.Dir(real)}, "" // those of Nix and Guix search their own directory alone
	}
	return i
}

func realOf(m *machine.Machine, name string) string {
	if real, err := m.Real(name); err == nil {
		return real
	}
	return path.Clean(name)
}

// Starts reports whether the linker's C library is new enough for a program.
func (i *Interpreter) Starts(m *machine.Machine, program string) bool {
	f, err := m.Open(program)
	if err != nil || i.Version == "" {
		return false
	}
	defer f.Close()
	needs, err := ReadELF(f)
	return err == nil && !slices.ContainsFunc(needs.Requires, func(v SymbolVersion) bool {
		return strings.HasPrefix(v.Version, "GLIBC_") && CompareVersions(v.Version, "GLIBC_"+i.Version) > 0
	})
}

// Interpreter returns the program's dynamic linker; nil: there is no program, or its linker cannot be read.
func (l *Linker) Interpreter() *Interpreter { return l.interpreter }

// OwnInterpreter returns the dynamic linker of a program with a C library of its own; nil: it has the system's.
func (l *Linker) OwnInterpreter() *Interpreter {
	if l.interpreter != nil && l.interpreter.Own {
		return l.interpreter
	}
	return nil
}

// ownLinker reports whether the program has a dynamic linker of its own, with known directories.
func (l *Linker) ownLinker() bool {
	return l.interpreter != nil && l.interpreter.Own && (l.interpreter.musl || l.interpreter.directories != nil)
}

// muslDirectories returns the directories that musl's dynamic linker searches last. The file etc/ld-musl-NAME.path two
// directories above the linker lists them.
func (l *Linker) muslDirectories(name string) []string {
	prefix := ""
	if l.interpreter != nil && l.interpreter.musl {
		if prefix = path.Dir(path.Dir(l.interpreter.Path)); prefix == "/" {
			prefix = ""
		}
	}
	data, err := l.machine.ReadFile(prefix + "/etc/ld-musl-" + name + ".path")
	if err != nil {
		return []string{"/lib", "/usr/local/lib", "/usr/lib"}
	}
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == ':' || r == '\n' })
}

// readCache reads the dynamic linker's cache of libraries. If the table of processors lacks the machine, it keeps all
// entries; their files are checked later.
func (l *Linker) readCache() {
	name := "/etc/ld.so.cache"
	if l.ownLinker() {
		name = l.interpreter.cache
	}
	data, err := l.machine.ReadLarge(name)
	if err != nil {
		return
	}
	for _, e := range parseCache(data) {
		if len(l.rows) == 0 ||
			slices.ContainsFunc(l.rows, func(m machines.Machine) bool { return slices.Contains(m.Cache, e.flags) }) {
			l.cache[e.name] = append(l.cache[e.name], e)
		}
	}
}

// GoneFromCache returns the path of a library in the dynamic linker's cache that does not exist, of those with names
// that a function accepts; "": none.
func (l *Linker) GoneFromCache(is func(name string) bool) (gone string) {
	for name, entries := range l.cache {
		for _, e := range entries {
			if is(name) && (gone == "" || e.path < gone) && l.machine.Absent(e.path) {
				gone = e.path
			}
		}
	}
	return gone
}

// openProgram opens the file that the kernel starts for a program: the program, or the interpreter that a script names.
func (l *Linker) openProgram(name string) *File {
	started := l.Started(name)
	l.script = len(started) > 1
	if f := l.Open(started[len(started)-1]); f.err == nil {
		return f
	}
	return nil
}

// maxScripts limits how many scripts name each other as interpreters.
const maxScripts = 8 // the kernel follows 5; each may use env

// Started returns the files that run for a program: the program, the interpreter of a script, the program that env
// finds. The last file is no script, or cannot be read.
func (l *Linker) Started(name string) []string {
	files := []string{name}
	for range maxScripts {
		next := l.scriptInterpreter(name)
		if len(next) == 0 {
			break
		}
		files = append(files, next...)
		name = files[len(files)-1]
	}
	return files
}

// maxLine is the number of bytes that the kernel reads of a script's first line.
const maxLine = 256

// scriptWords returns the words after "#!" in a script's first line; nil: the file is no script.
func scriptWords(file io.ReaderAt) []string {
	head := make([]byte, maxLine)
	n, _ := file.ReadAt(head, 0)
	line, is := strings.CutPrefix(string(head[:n]), "#!")
	if !is {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	return strings.Fields(line)
}

// scriptInterpreter returns the interpreter that the first line of a script names, and the program that env finds; nil:
// it is no script.
func (l *Linker) scriptInterpreter(name string) []string {
	f, err := l.machine.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	words := scriptWords(f)
	switch {
	case len(words) == 0:
		return nil
	case path.Base(words[0]) != "env":
		return words[:1]
	}
	program := programOfEnv(words[1:])
	if program == "" || strings.Contains(program, "/") {
		return slices.DeleteFunc([]string{words[0], program}, func(name string) bool { return name == "" })
	}
	list, _ := l.machine.Lookup("PATH")
	for _, directory := range strings.Split(list, ":") {
		if found := directory + "/" + program; path.IsAbs(found) && l.machine.Exists(found) {
			return []string{words[0], found}
		}
	}
	return words[:1]
}

// programOfEnv returns the program in the arguments of env(1), after its options and variables; "": none.
func programOfEnv(words []string) string {
	for i := 0; i < len(words); i++ {
		word := strings.Trim(words[i], "\"'")
		if text, split := strings.CutPrefix(word, "-S"); split && text != "" {
			word = text
		} else if text, split = strings.CutPrefix(word, "--split-string="); split {
			word = text
		}
		switch {
		case word == "-u" || word == "-C":
			i++ // the option's value
		case strings.HasPrefix(word, "-") || strings.Contains(word, "="):
		default:
			return word
		}
	}
	return ""
}

// OfCLibrary reports by the name whether a library is part of the C library. These parts, and the dynamic linker, work
// only with others of the same build.
func OfCLibrary(name string) bool {
	stem, _, _ := strings.Cut(path.Base(name), ".so")
	switch stem {
	case "libc", "libm", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl", "libmvec", "libnsl",
		"libBrokenLocale", "libthread_db":
		return true
	}
	return strings.HasPrefix(stem, "ld-") || stem == "ld" || stem == "ld64" || strings.HasPrefix(stem, "libc.musl") ||
		strings.HasPrefix(stem, "libnss_")
}

// Release reads vkloader's release from the note in one of its libraries; "": there is no such note.
func Release(r io.ReaderAt) string {
	return strings.TrimRight(string(note(r, ".note.vkloader")), "\x00")
}

// BuildID reads the number that the linker gave to a file's contents; "" when it has none.
func BuildID(r io.ReaderAt) string { return hex.EncodeToString(note(r, ".note.gnu.build-id")) }

// note reads the content of a section with one note; nil without one.
func note(r io.ReaderAt, name string) []byte {
	f, err := openELF(r)
	if err != nil {
		return nil
	}
	section := f.Section(name)
	if section == nil {
		return nil
	}
	data, err := contents(section)
	if err != nil || len(data) < 12 {
		return nil
	}
	owner, text := f.ByteOrder.Uint32(data), f.ByteOrder.Uint32(data[4:])
	at := 12 + (uint64(owner)+3)&^3
	if at+uint64(text) > uint64(len(data)) {
		return nil
	}
	return data[at : at+uint64(text)]
}

// Constants returns the section of an ELF file with its constants; nil if the file lists none.
func Constants(file []byte) []byte {
	f, err := openELF(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	section := f.Section(".rodata")
	if section == nil || section.Type == elf.SHT_NOBITS || section.Offset > uint64(len(file)) ||
		section.FileSize > uint64(len(file))-section.Offset {
		return nil
	}
	return file[section.Offset : section.Offset+section.FileSize]
}
