package binary

import (
	"slices"
	"strings"
)

// Missing is a needed library that is not found.
type Missing struct {
	Name   string
	By     *File         // the file that needs it
	Result LibrarySearch // with the file, if it cannot be read
}

// Old is a library that lacks a version of symbols.
type Old struct {
	By      *File
	In      *File
	Version string
	Newest  string // the newest version of the same family, such as GLIBC_, that it has; "": none
}

// Closure is a library with all its dependencies.
type Closure struct {
	Files   []*File // the library first, then in the order of loading
	Missing []Missing
	Old     []Old
	Symbols []string // needed by the library and defined by none; Bind sets them, only when nothing is missing
	Data    []string // those of Symbols that the dynamic linker resolves when it loads the library

	rules map[*File]Rule // the rule by which each file was found
}

// Own reports whether the program, or LD_LIBRARY_PATH, brings one of the dependencies, and not the system.
func (c *Closure) Own() bool {
	return slices.ContainsFunc(c.Files[1:], func(f *File) bool {
		return slices.Contains([]Rule{ByPath, ByRPath, ByVariable, ByRunPath}, c.rules[f])
	})
}

// Bind sets Symbols and Data, unless a library is missing or too old.
func (l *Linker) Bind(c *Closure) {
	if len(c.Missing)+len(c.Old) > 0 {
		return
	}
	if c.Symbols = c.undefinedSymbols(l); len(c.Symbols) > 0 {
		c.Data = c.Files[0].immediateSymbols(c.Symbols)
	}
}

// Unbound returns the undefined symbols that keep the dynamic linker from loading the library. Functions that are
// resolved only when they are called are not among them.
func (c *Closure) Unbound() []string {
	if c.Files[0].BindNow {
		return c.Symbols
	}
	return c.Data
}

// Newest returns the entries of Old with the newest version for each pair of libraries.
func (c *Closure) Newest() (list []Old) {
	for _, old := range c.Old {
		at := slices.IndexFunc(list, func(o Old) bool { return o.By == old.By && o.In == old.In })
		switch {
		case at < 0:
			list = append(list, old)
		case CompareVersions(old.Version, list[at].Version) > 0:
			list[at] = old
		}
	}
	return list
}

// Fits reports whether a library can be read and has the linker's word size and processor.
func (l *Linker) Fits(f *File) bool { return f.err == nil && f.Class == l.class && f.Machine == l.elf }

// Follow returns the libraries that a library needs, breadth first, as the dynamic linker does. It reads no symbols.
func (l *Linker) Follow(f *File) *Closure {
	c := &Closure{Files: []*File{f}, rules: map[*File]Rule{}}
	parents := map[*File]*File{}
	named := map[string]*File{f.Soname: f}
	failed := map[string]bool{}
	for i := 0; i < len(c.Files); i++ {
		by := c.Files[i]
		for _, name := range by.Needed {
			if named[name] != nil || failed[name] {
				continue
			}
			chain := []*File{by}
			for p := parents[by]; p != nil; p = parents[p] {
				chain = append(chain, p)
			}
			r := LibrarySearch{File: l.startLibraries()[name]}
			if r.Rule = l.rules[r.File]; r.File == nil {
				r = l.Find(name, chain...)
			}
			if r.File == nil || r.File.err != nil {
				failed[name] = true
				if l.inEveryProcess[name] {
					continue
				}
				c.Missing = append(c.Missing, Missing{Name: name, By: by, Result: r})
				continue
			}
			named[name] = r.File
			if slices.ContainsFunc(c.Files, func(o *File) bool { return o.Real == r.File.Real }) {
				continue
			}
			if r.File.Soname != "" {
				named[r.File.Soname] = r.File
			}
			parents[r.File], c.rules[r.File] = by, r.Rule
			c.Files = append(c.Files, r.File)
		}
	}
	for _, by := range c.Files {
		for _, want := range by.Requires {
			in := named[want.File]
			// A library without versions satisfies every requirement; the dynamic linker only warns.
			if in == nil || want.Weak || len(in.Defines) == 0 || slices.Contains(in.Defines, want.Version) {
				continue
			}
			c.Old = append(c.Old, Old{by, in, want.Version, newest(in.ELF, want.Version)})
		}
	}
	return c
}

// undefinedSymbols returns the symbols of the first library that no library defines. Any library may define a symbol,
// so small files are read first: a compiler's library has tens of thousands of symbols, and is seldom needed.
func (c *Closure) undefinedSymbols(l *Linker) []string {
	var none []string
	files := slices.Clone(c.Files)
	slices.SortStableFunc(files, func(a, b *File) int { return int(min(max(a.size-b.size, -1), 1)) })
	for _, f := range l.startLibraries() { // the libraries of the started program define symbols, too
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	if l.program != nil {
		files = append(files, l.program)
	}
	for _, name := range c.Files[0].Symbols().Undefined() {
		if !slices.ContainsFunc(files, func(f *File) bool { return f.Symbols().Exports(name) }) {
			none = append(none, name)
		}
	}
	return none
}

// newest returns the highest version that a library defines with the same letters before the number (GLIBC_, GLIBCXX_,
// LLVM_).
func newest(in *ELF, version string) string {
	family, _, _ := strings.Cut(version, "_")
	best := ""
	for _, v := range in.Defines {
		if f, number, ok := strings.Cut(v, "_"); ok && f == family && number != "" && number[0] >= '0' &&
			number[0] <= '9' &&
			(best == "" || CompareVersions(v, best) > 0) {
			best = v
		}
	}
	return best
}

// CompareVersions compares two texts byte by byte, and runs of digits by their value. The result is negative if a comes
// first, 0 if they are equal, and positive otherwise.
func CompareVersions(a, b string) int {
	for a != "" && b != "" {
		if digit(a[0]) && digit(b[0]) {
			x, restA := number(a)
			y, restB := number(b)
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// number returns the run of digits at the start, without leading zeros, and the rest.
func number(s string) (digits, rest string) {
	i := 0
	for i < len(s) && digit(s[i]) {
		i++
	}
	return strings.TrimLeft(s[:i], "0"), s[i:]
}
