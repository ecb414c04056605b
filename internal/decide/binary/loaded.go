package binary

import "strings"

// Rule is why the dynamic linker takes a file.
type Rule uint8

// Rules, in the order of ld.so(8).
const (
	NoRule     Rule = iota
	ByPreload       // LD_PRELOAD or /etc/ld.so.preload names it
	ByNeeded        // the program, or a library that it needs, is linked with it
	ByPath          // it is named by its path
	ByRPath         // a directory of DT_RPATH
	ByVariable      // a directory of LD_LIBRARY_PATH
	ByRunPath       // a directory of DT_RUNPATH
	ByCache         // /etc/ld.so.cache
	ByDefault       // a default directory
	ByProgram       // the program's own directory
	BySystem        // the system's directory, on Windows
)

// preloads returns the libraries that are loaded before all others.
func (l *Linker) preloads() (list []*File) {
	var names []string
	if value, _ := l.machine.Lookup("LD_PRELOAD"); !l.elevated {
		names = strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ':' })
	}
	if data, err := l.machine.ReadFile("/etc/ld.so.preload"); err == nil {
		names = append(names, strings.Fields(string(data))...)
	}
	for _, name := range names {
		if r := l.FindFor(name); r.File != nil && r.File.err == nil && l.fits(r.File) {
			list = append(list, r.File)
		}
	}
	return list
}

// startLibraries returns the libraries that are in the process once its program has started, by the names under which
// others need them. A library that is opened later uses these, even if other files have the same names.
func (l *Linker) startLibraries() map[string]*File {
	if l.started != nil {
		return l.started
	}
	l.started = map[string]*File{} // until it is filled, look-ups search files only
	started, rules := map[string]*File{}, map[*File]Rule{}
	enter := func(f *File, rule Rule) {
		if f.Soname != "" && started[f.Soname] == nil {
			started[f.Soname], rules[f] = f, rule
		}
	}
	roots := l.preloads()
	for _, f := range roots {
		enter(f, ByPreload)
	}
	for _, root := range append(roots, l.program) {
		if root == nil || !l.fits(root) {
			continue
		}
		c := l.Follow(root)
		for _, f := range c.Files[1:] {
			enter(f, c.rules[f])
		}
	}
	l.started, l.rules = started, rules
	return started
}

// FindFor is Find for a library that the program needs or opens. A library that the program has already loaded takes
// precedence.
func (l *Linker) FindFor(name string) LibrarySearch {
	if f := l.startLibraries()[name]; f != nil {
		return LibrarySearch{File: f, Rule: l.rules[f], Loaded: true}
	}
	if l.program != nil {
		return l.Find(name, l.program)
	}
	return l.Find(name)
}

// Program returns the program's executable, or the interpreter of a script; nil: not known.
func (l *Linker) Program() *File { return l.program }

// Text returns the content of a program or library; nil: it cannot be read. A program may have hundreds of megabytes,
// and is read once.
func (l *Linker) Text(file string) []byte {
	if _, known := l.texts[file]; !known {
		l.texts[file], _ = l.machine.ReadLarge(file)
	}
	return l.texts[file]
}
