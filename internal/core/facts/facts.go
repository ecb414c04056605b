// Package facts keeps what is known and what was asked for.
//
// A decision asks a Store. What the Store does not know it notes as needed and answers as absent; the decision is then
// made again with more facts. Facts come from the wire (spine), the operating system (tool) or a tree (tests); the
// package never interprets them.
package facts

import "vkloader/internal/core/variables"

// Var is a variable; secure ones are read with secure_getenv.
type Var struct {
	Value string
	Set   bool
}

// Folder is what listing a folder gave: the names that end in .json, in the order they came.
type Folder struct {
	Listed bool
	Names  []string
}

// FileStatus tells what reading a file gave.
type FileStatus uint32

// File states. The numbers are those of the wire.
const (
	FileRead FileStatus = iota
	FileNotOpened
	FileNotRead
	FileNoSize
	FileNotRegular // a pipe, a socket, a device: not opened
)

// File is a file's content.
type File struct {
	Status  FileStatus
	Content string
}

// Exe is the path of the running program.
type Exe struct {
	Path  string
	Known bool
}

// Kind of a fact.
type Kind uint8

// Kinds of facts.
const (
	KindVar Kind = iota + 1
	KindFolder
	KindFile
	KindExe
	KindExists
)

// Need is a fact that is missing.
type Need struct {
	Kind   Kind
	Name   string // variable or path
	Secure bool
}

// Store holds the facts of one API call.
type Store struct {
	secure, plain table[Var]
	folders       table[Folder]
	files         table[File]
	exists        table[bool]
	exe           Exe
	hasExe        bool

	needs  []Need
	needed map[Need]bool // of a long list
}

// indexFrom is the length from which a list is looked up by map: most have a few dozen entries at most.
const indexFrom = 48

// table finds values by name.
type table[T any] struct {
	names  []string
	values []T
	index  map[string]int
}

func (t *table[T]) get(name string) (v T, ok bool) {
	if t.index != nil {
		i, ok := t.index[name]
		if ok {
			return t.values[i], true
		}
		return v, false
	}
	for i, n := range t.names {
		if n == name {
			return t.values[i], true
		}
	}
	return v, false
}

// set adds a value; the last one of a name counts.
func (t *table[T]) set(name string, v T) {
	for i := 0; t.index == nil && i < len(t.names); i++ {
		if t.names[i] == name {
			t.values[i] = v
			return
		}
	}
	if i, ok := t.index[name]; ok {
		t.values[i] = v
		return
	}
	t.names, t.values = append(t.names, name), append(t.values, v)
	if t.index != nil {
		t.index[name] = len(t.names) - 1
	} else if len(t.names) == indexFrom {
		t.index = make(map[string]int, 4*indexFrom)
		for i, n := range t.names {
			t.index[n] = i
		}
	}
}

// NewStore gives an empty store.
func NewStore() *Store { return &Store{} }

// SetVar and the others add a fact.
func (s *Store) SetVar(name string, secure bool, v Var) { s.kept(secure).set(name, v) }

func (s *Store) kept(secure bool) *table[Var] {
	if secure {
		return &s.secure
	}
	return &s.plain
}

// SetFolder adds a folder's listing.
func (s *Store) SetFolder(path string, f Folder) { s.folders.set(path, f) }

// SetFile adds a file.
func (s *Store) SetFile(path string, f File) { s.files.set(path, f) }

// SetExists adds whether a path exists.
func (s *Store) SetExists(path string, yes bool) { s.exists.set(path, yes) }

// SetExe adds the program's path.
func (s *Store) SetExe(exe Exe) { s.exe, s.hasExe = exe, true }

func (s *Store) need(n Need) {
	if s.needed == nil {
		for i := range s.needs {
			if s.needs[i] == n {
				return
			}
		}
		if len(s.needs) == indexFrom {
			s.needed = make(map[Need]bool, 4*indexFrom)
			for _, have := range s.needs {
				s.needed[have] = true
			}
		}
	}
	if s.needed[n] {
		return
	}
	if s.needed != nil {
		s.needed[n] = true
	}
	s.needs = append(s.needs, n)
}

// Missing tells whether something was asked for that is not known.
func (s *Store) Missing() bool { return len(s.needs) > 0 }

// Needs gives what is missing so far.
func (s *Store) Needs() []Need { return s.needs }

// TakeNeeds gives what is missing, and forgets it.
func (s *Store) TakeNeeds() []Need {
	needs := s.needs
	s.needs, s.needed = nil, nil
	return needs
}

// Variable reads one of the loader's own variables.
func (s *Store) Variable(v variables.ID) Var { return s.variable(v.Name(), v.Secure()) }

// Named reads a variable that a manifest names; it is honoured in every process (GEN-6).
func (s *Store) Named(name string) Var { return s.variable(name, false) }

func (s *Store) variable(name string, secure bool) Var {
	v, ok := s.kept(secure).get(name)
	if !ok {
		s.need(Need{KindVar, name, secure})
	}
	return v
}

// Folder reads a folder.
func (s *Store) Folder(path string) Folder {
	f, ok := s.folders.get(path)
	if !ok {
		s.need(Need{Kind: KindFolder, Name: path})
	}
	return f
}

// File reads a file; false while it is not known.
func (s *Store) File(path string) (File, bool) {
	f, ok := s.files.get(path)
	if !ok {
		s.need(Need{Kind: KindFile, Name: path})
	}
	return f, ok
}

// Exists asks whether a path exists.
func (s *Store) Exists(path string) bool {
	yes, ok := s.exists.get(path)
	if !ok {
		s.need(Need{Kind: KindExists, Name: path})
	}
	return yes
}

// Exe reads the program's path.
func (s *Store) Exe() Exe {
	if !s.hasExe {
		s.need(Need{Kind: KindExe})
	}
	return s.exe
}

// Source gives facts.
type Source interface {
	Var(name string, secure bool) Var
	Folder(path string) Folder
	File(path string) File
	Exe() Exe
	Exists(path string) bool
}

// Fetch gets what is needed from a source.
func (s *Store) Fetch(needs []Need, from Source) {
	for _, n := range needs {
		switch n.Kind {
		case KindVar:
			s.SetVar(n.Name, n.Secure, from.Var(n.Name, n.Secure))
		case KindFolder:
			s.SetFolder(n.Name, from.Folder(n.Name))
		case KindFile:
			s.SetFile(n.Name, from.File(n.Name))
		case KindExe:
			s.SetExe(from.Exe())
		case KindExists:
			s.SetExists(n.Name, from.Exists(n.Name))
		}
	}
}

// rounds is how often facts are asked for before a decision that never ends is given up.
const rounds = 64

// Resolve repeats a decision until nothing is missing; false when it never comes to an end.
func Resolve(s *Store, from Source, decide func(*Store)) bool {
	for range rounds {
		decide(s)
		needs := s.TakeNeeds()
		if len(needs) == 0 {
			return true
		}
		s.Fetch(needs, from)
	}
	return false
}
