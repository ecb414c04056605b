package binary

import (
	"debug/elf"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
)

// File is a library in its place.
type File struct {
	*ELF
	Path string // as the dynamic linker names it
	Real string // without symbolic links

	size    int64
	err     error
	linker  *Linker
	symbols *Symbols
}

// Linker is the dynamic linker of one machine, for one kind of process.
type Linker struct {
	machine *machine.Machine
	class   int
	elf     Machine
	// of the table of processors; the two kinds of 32-bit ARM share one number in ELF files
	rows           []machines.Machine
	paths          []string // of LD_LIBRARY_PATH
	cache          map[string][]cacheEntry
	levels         []string
	program        *File
	script         bool              // the program interprets a script, which may start others
	inEveryProcess map[string]bool   // names of the C library and the dynamic linkers, which every process has
	files          map[string]*File  // by path
	reals          map[string]string // directories without symbolic links
	texts          map[string][]byte // contents of files, for Text
	places         func() []string   // findPlaces, once
	defaults       func() []string   // findDefaults, once

	elevated    bool
	interpreter *Interpreter // of the program; nil: not known
	// the libraries that are loaded when the program starts, by name; nil: not looked up yet
	started map[string]*File
	rules   map[*File]Rule // the rule by which each of these was found
}

// LinkerOptions describe the process that a linker works for.
type LinkerOptions struct {
	Class    int     // word size of the process
	Machine  Machine // its processor
	Elevated bool    // LD_LIBRARY_PATH is ignored
	Program  string  // its executable, whose DT_RPATH applies to every library; "": none
	Share    *Linker // a linker for the same files, whose libraries are shared; nil: none
}

// NewLinker returns the linker for a process, and reads the inputs common to all libraries: LD_LIBRARY_PATH, the cache,
// the processor's level.
func NewLinker(m *machine.Machine, options LinkerOptions) *Linker {
	l := &Linker{machine: m, class: options.Class, elf: options.Machine,
		rows: machines.OfFiles(options.Machine, options.Class), cache: map[string][]cacheEntry{},
		files: map[string]*File{}, reals: map[string]string{}, texts: map[string][]byte{}, elevated: options.Elevated}
	l.places, l.defaults = sync.OnceValue(l.findPlaces), sync.OnceValue(l.findDefaults)
	if options.Share != nil {
		l.files, l.texts = options.Share.files, options.Share.texts
	}
	if value, _ := m.Lookup("LD_LIBRARY_PATH"); !options.Elevated {
		l.paths = strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ';' })
	}
	if options.Program != "" {
		if l.program = l.openProgram(options.Program); l.program != nil && l.program.Interp != "" {
			l.interpreter = readInterpreter(m, l.program.Interp, l.rows)
		}
	}
	l.readCache()
	l.levels = levels(m, l.elf)
	if !l.musl() { // on musl, libraries for glibc do not find these
		l.inEveryProcess = map[string]bool{"libc.so.6": true}
		for _, m := range machines.All() {
			l.inEveryProcess[path.Base(m.Linkers[0])] = true
		}
	}
	return l
}

// levels returns the subdirectories of glibc-hwcaps for this processor, best first.
func levels(m *machine.Machine, processor Machine) []string {
	if processor != elf.EM_X86_64 {
		return nil
	}
	data, err := m.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(data), "\nflags")
	line, _, _ := strings.Cut(rest, "\n")
	line += " "
	var found []string
	for i, needs := range []string{"sse4_2 popcnt", "avx2 bmi1 bmi2 fma",
		"avx512f avx512bw avx512cd avx512dq avx512vl"} {
		for _, flag := range strings.Fields(needs) {
			if !strings.Contains(line, " "+flag+" ") {
				return found
			}
		}
		found = append([]string{"glibc-hwcaps/x86-64-v" + strconv.Itoa(i+2)}, found...)
	}
	return found
}

// Open reads a library. File.Err says why it could not be read.
func (l *Linker) Open(name string) *File {
	if f, ok := l.files[name]; ok {
		return f
	}
	f := &File{Path: name, Real: name, linker: l}
	l.files[name] = f
	f.Real = l.real(name)
	info, err := l.machine.Stat(name)
	if err != nil {
		f.err = err
		return f
	}
	if !info.Mode().IsRegular() { // opening a pipe waits, opening a device may wake it
		f.err = errors.New("not an ordinary file")
		return f
	}
	f.size = info.Size()
	handle, err := l.machine.Open(name)
	if err != nil {
		f.err = err
		return f
	}
	defer handle.Close()
	f.ELF, f.err = ReadELF(handle)
	return f
}

// real returns a path without symbolic links, or the path itself if they cannot be resolved.
func (l *Linker) real(name string) string {
	const links = 40 // as in the kernel
	whole := name
	for range links {
		// ".." after a link leaves the directory that the link leads to
		if !path.IsAbs(name) || path.Clean(name) != name {
			break
		}
		directory := path.Dir(name)
		if _, known := l.reals[directory]; !known {
			real, err := l.machine.Real(directory)
			if err != nil {
				return whole
			}
			l.reals[directory] = real
		}
		name = strings.TrimRight(l.reals[directory], "/") + "/" + path.Base(name)
		info, err := l.machine.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name
		}
		target, err := l.machine.Readlink(name)
		if err != nil {
			return whole
		}
		if !path.IsAbs(target) {
			target = strings.TrimRight(path.Dir(name), "/") + "/" + target
		}
		name = target
	}
	if real, err := l.machine.Real(whole); err == nil {
		return real
	}
	return whole
}

// Err returns why the file could not be read as a library; nil: it was read.
func (f *File) Err() error { return f.err }

// Symbols reads the library's symbols; the table is empty after an error.
func (f *File) Symbols() *Symbols {
	if f.symbols != nil {
		return f.symbols
	}
	f.symbols = &Symbols{}
	if handle, err := f.linker.machine.Open(f.Path); err == nil {
		defer handle.Close()
		if symbols, err := ReadSymbols(handle); err == nil {
			f.symbols = symbols
		}
	}
	return f.symbols
}

// fits reports whether a file has the linker's word size and processor.
func (l *Linker) fits(f *File) bool { return f.Class == l.class && f.Machine == l.elf }

// LibrarySearch is the outcome of a search for a library.
type LibrarySearch struct {
	File        *File    // nil: not found
	Directories []string // the searched directories, in order
	Others      []string // files of the name for other word sizes or processors, which were passed over
	Rule        Rule     // by which the file was found
	Loaded      bool     // the program loads it when it starts
}

// Find looks up a name as dlopen does. A name with a slash is a path; any other is searched for in the directories. by
// lists the library that needs the name, then the libraries that led to that one.
func (l *Linker) Find(name string, by ...*File) LibrarySearch {
	var r LibrarySearch
	if strings.Contains(name, "/") {
		origin := "/"
		if len(by) > 0 {
			origin = path.Dir(by[0].Path)
		}
		names := l.expand(name, origin)
		for _, expanded := range names {
			if f := l.Open(expanded); r.File == nil || r.File.err != nil && f.err == nil {
				r.File = f
			}
		}
		if r.Rule = ByPath; r.File != nil && errors.Is(r.File.err, fs.ErrNotExist) {
			r.File, r.Directories = nil, []string{path.Dir(names[0])}
		}
		return r
	}
	for _, place := range l.directories(by) {
		if l.try(&r, place.path, name) {
			r.Rule = place.rule
			return r
		}
	}
	for _, e := range l.cache[name] {
		if level := strings.Index(e.path, "/glibc-hwcaps/"); level >= 0 && !l.hasLevel(e.path[level+1:]) {
			continue
		}
		if l.take(&r, e.path) {
			r.Rule = ByCache
			return r
		}
	}
	if len(by) > 0 && by[0].NoDefault {
		return r
	}
	for _, directory := range l.defaults() {
		if l.try(&r, directory, name) {
			r.Rule = ByDefault
			return r
		}
	}
	return r
}

func (l *Linker) hasLevel(rest string) bool {
	return slices.ContainsFunc(l.levels, func(level string) bool { return strings.HasPrefix(rest, level+"/") })
}

// directories returns the directories that are searched before the cache: DT_RPATH of the libraries that need the name,
// unless there is a DT_RUNPATH; LD_LIBRARY_PATH; DT_RUNPATH.
func (l *Linker) directories(by []*File) []place {
	var list []place
	add := func(elements []string, rule Rule, f *File) {
		for _, element := range elements {
			for _, directory := range l.expand(element, path.Dir(f.Path)) {
				list = append(list, place{directory, rule})
			}
		}
	}
	if len(by) == 0 || by[0].RunPath == nil {
		for _, f := range by {
			if f.RunPath == nil {
				add(f.RPath, ByRPath, f)
			}
		}
		if l.program != nil && l.program.RunPath == nil {
			add(l.program.RPath, ByRPath, l.program)
		}
	}
	for _, directory := range l.paths {
		list = append(list, place{directory, ByVariable})
	}
	if len(by) > 0 {
		add(by[0].RunPath, ByRunPath, by[0])
	}
	return list
}

// place is a directory with the rule by which it is searched.
type place struct {
	path string
	rule Rule
}

// try searches a directory, and before it the subdirectories for better processors.
func (l *Linker) try(r *LibrarySearch, directory, name string) bool {
	if !path.IsAbs(directory) { // the current directory of the program is unknown
		return false
	}
	r.Directories = append(r.Directories, directory)
	return slices.ContainsFunc(l.levels, func(level string) bool { return l.take(r, directory+"/"+level+"/"+name) }) ||
		l.take(r, strings.TrimRight(directory, "/")+"/"+name)
}

// take accepts an existing file that fits. A damaged file ends the search, too, as it does in the dynamic linker.
func (l *Linker) take(r *LibrarySearch, name string) bool {
	f := l.Open(name)
	switch {
	case f.err != nil && (errors.Is(f.err, fs.ErrNotExist) || errors.Is(f.err, fs.ErrPermission)):
		return false
	case f.err == nil && !l.fits(f):
		r.Others = append(r.Others, name)
		return false
	}
	r.File = f
	return true
}

// findPlaces returns the directory names that a distribution builds into its dynamic linker, for $LIB and for the
// default directories below / and /usr. The existing directories tell the distribution.
func (l *Linker) findPlaces() []string {
	if l.ownLinker() {
		return []string{"lib"}
	}
	has := func(place string) bool { return l.machine.Exists("/"+place) || l.machine.Exists("/usr/"+place) }
	for _, m := range l.rows {
		if place := "lib/" + m.Multiarch; has(place) {
			return []string{place, "lib"}
		}
	}
	if l.class == 32 {
		return []string{"lib"} // on all others; their lib32 is in the cache
	}
	if has("lib64") {
		return []string{"lib64"}
	}
	return []string{"lib"}
}

// findDefaults returns the directories that are searched after the cache.
func (l *Linker) findDefaults() []string {
	if l.musl() && len(l.rows) > 0 {
		at := max(0, slices.IndexFunc(l.rows, func(m machines.Machine) bool { return l.machine.Exists(m.Linkers[1]) }))
		return l.muslDirectories(l.rows[at].Musl())
	}
	if l.ownLinker() {
		return l.interpreter.directories
	}
	if l.machine.Exists("/etc/NIXOS") { // on NixOS, a program's dynamic linker searches its own package only
		return nil
	}
	var directories []string
	for _, place := range l.places() {
		directories = append(directories, "/"+place, "/usr/"+place)
	}
	return directories
}

// Last returns the directory that is searched last, without symbolic links; "": none. A library in it hides no other
// one.
func (l *Linker) Last() string {
	for _, directory := range slices.Backward(l.defaults()) {
		if info, err := l.machine.Stat(directory); err == nil && info.IsDir() {
			if real, err := l.machine.Real(directory); err == nil {
				return real
			}
		}
	}
	return ""
}

// musl reports whether the system's own dynamic linker is musl's. A machine with glibc may have musl's in addition.
func (l *Linker) musl() bool {
	if l.interpreter != nil {
		return l.interpreter.musl
	}
	return slices.ContainsFunc(l.rows, func(m machines.Machine) bool { return l.machine.Exists(m.Linkers[1]) }) &&
		!l.machine.Exists("/etc/ld.so.cache") &&
		!slices.ContainsFunc(machines.All(), func(m machines.Machine) bool { return l.machine.Exists(m.Linkers[0]) })
}

// expand replaces $ORIGIN, $LIB and $PLATFORM. $LIB and $PLATFORM get every value of any distribution: only the dynamic
// linker knows the right one.
func (l *Linker) expand(text, origin string) []string {
	if !strings.Contains(text, "$") {
		return []string{text}
	}
	var platform []string
	for _, m := range l.rows {
		platform = append(platform, m.Platforms...)
	}
	return machine.Tokens{Origin: []string{origin}, Lib: l.places(), Platform: platform}.Expand(text)
}

// Everywhere lists all places where the dynamic linker finds a name, not only the first. It ignores directories that
// only libraries name.
func (l *Linker) Everywhere(name string) []string {
	var places []string
	add := func(place string) {
		if l.machine.Exists(place) && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	for _, directory := range l.directories(nil) {
		if path.IsAbs(directory.path) {
			add(strings.TrimRight(directory.path, "/") + "/" + name)
		}
	}
	for _, e := range l.cache[name] {
		add(e.path)
	}
	for _, directory := range l.defaults() {
		add(directory + "/" + name)
	}
	return places
}
