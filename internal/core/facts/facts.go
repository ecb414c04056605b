// Package facts stores the facts of a decision, and records which facts the decision asked for.
//
// A decision asks a Store. If the Store does not have a fact, it records it as needed and answers that it is absent.
// The decision is then made again with more facts. Facts come from the spine (through the wire), from the operating
// system (in the tool) or from a tree of files (in tests). The package never interprets them.
package facts

import "vkloader/internal/core/variables"

// Var is a variable; secure ones are read with secure_getenv.
type Var struct {
	Value string
	Set   bool
}

// Directory is what listing a directory gave: the names that end in .json, in the order they came.
type Directory struct {
	Listed bool
	Names  []string
	paths  []string // of the entries, once they have been asked for
}

// MaxFile is how many bytes of a manifest or of a settings file are read at most. Both readers have it: spine/core/facts.h.
const MaxFile = 16 * 1024 * 1024

// File is a file's content.
type File struct {
	Status  FileStatus
	Content string
	Number  uint64 // by which the system knows it, see FileNumber; 0: it is not known, or the reader counts by itself
}

// Exe is the path of the running program.
type Exe struct {
	Path  string
	Known bool
	None  bool // and never will be: the system tells no program its path
}

// Graphics are the graphics devices that the kernel drives: for each render node, what the kernel says of its device
// (the text of uevent) and whether that device sleeps (the word of runtime_status, empty when unknown).
type Graphics struct {
	Listed  bool // false: the kernel has no such devices, or does not show them
	Devices []string
	Power   []string
}

// Service is the answer of the driver service (docs/service.md).
type Service struct {
	State  ServiceState
	Place  string // its socket
	Answer string // the datagram
	Index  string // the document whose descriptor came with it
}

// Kind of a fact.
type Kind uint8

// Kinds of facts.
const (
	KindVar Kind = iota + 1
	KindDirectory
	KindFile
	KindExe
	KindExists
	KindGraphics
	KindService
	KindRegistry
	KindAdapters
	KindDevices
	KindPackages
	KindDXGI
	KindProcess
	KindBundle
	KindForeign
)

// Need is a fact that is missing.
type Need struct {
	Kind   Kind
	Name   string // variable, path, key, value or family
	Secure bool
	Hive   Hive // of a key
}

// Store holds the facts of one API call.
type Store struct {
	secure, plain table[Var]
	directories   table[Directory]
	files         table[File]
	exists        table[bool]
	foreign       table[bool]
	exe           Exe
	hasExe        bool
	graphics      Graphics
	hasGraphics   bool
	service       Service
	hasService    bool
	windows       windows
	bundle        Bundle
	hasBundle     bool
	rights        Rights
	size          int       // bytes of all files
	reads         *readings // of which of them; nil before Fetch has read one

	needs    []Need
	round    uint32 // counts the lists of needs, from 1
	exeAsked uint32 // the round that it was asked for in
	gfxAsked uint32 // likewise, the graphics devices
	svcAsked uint32 // likewise, the driver service
	appAsked uint32 // likewise, the program's bundle
}

// indexFrom is the length from which a list is looked up by map: most have a few dozen entries at most.
const indexFrom = 48

// table finds values by name. What was asked for has an entry already, without a value.
type table[T any] struct {
	entries []entry[T]
	index   map[string]int
}

type entry[T any] struct {
	name  string
	value T
	known bool
	asked uint32 // the last round that it was asked for in
}

// find gives the place of a name, -1 when it has none.
func (t *table[T]) find(name string) int {
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range t.entries {
		if t.entries[i].name == name {
			return i
		}
	}
	return -1
}

// entry gives the entry of a name, which may be new.
func (t *table[T]) entry(name string) *entry[T] {
	i := t.find(name)
	if i < 0 {
		i = len(t.entries)
		if t.entries == nil {
			t.entries = make([]entry[T], 0, 8)
		}
		t.entries = append(t.entries, entry[T]{name: name})
		if t.index != nil {
			t.index[name] = i
		} else if len(t.entries) == indexFrom {
			t.index = make(map[string]int, 4*indexFrom)
			for k := range t.entries {
				t.index[t.entries[k].name] = k
			}
		}
	}
	return &t.entries[i]
}

// set adds a value; the last one of a name counts.
func (t *table[T]) set(name string, v T) {
	e := t.entry(name)
	e.value, e.known = v, true
}

// get looks a name up; new says that this round has not asked for it yet.
func (t *table[T]) get(name string, round uint32) (e *entry[T], isNew bool) {
	e = t.entry(name)
	if e.known || e.asked == round {
		return e, false
	}
	e.asked = round
	return e, true
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

// SetDirectory adds a directory's listing.
func (s *Store) SetDirectory(path string, f Directory) { s.directories.set(path, f) }

// SetFile adds a file.
func (s *Store) SetFile(path string, f File) {
	s.files.set(path, f)
	s.size += len(f.Content)
}

// Size is how many bytes of files have been read.
func (s *Store) Size() int { return s.size }

// SetExists adds whether a path exists.
func (s *Store) SetExists(path string, yes bool) { s.exists.set(path, yes) }

// SetForeign adds whether a library is of another word size or machine than the process.
func (s *Store) SetForeign(path string, yes bool) { s.foreign.set(path, yes) }

// SetExe adds the program's path.
func (s *Store) SetExe(exe Exe) { s.exe, s.hasExe = exe, true }

// SetGraphics adds the graphics devices.
func (s *Store) SetGraphics(g Graphics) { s.graphics, s.hasGraphics = g, true }

// SetService adds what the driver service says.
func (s *Store) SetService(v Service) { s.service, s.hasService = v, true }

// Missing tells whether something was asked for that is not known.
func (s *Store) Missing() bool { return len(s.needs) > 0 }

// Needs gives what is missing so far.
func (s *Store) Needs() []Need { return s.needs }

// TakeNeeds gives what is missing, and forgets it.
func (s *Store) TakeNeeds() []Need {
	needs := s.needs
	s.needs = nil
	s.round++
	return needs
}

// Rights says how variables that elevated processes ignore are read.
type Rights uint8

// Rights. Unless set, the system's own secure look-up decides.
const (
	SystemRights Rights = iota
	NoRights            // they count as unset
	AllRights           // they are read like others
	Parameters          // they are read like others, and of all variables an empty one is none
)

// SetRights says how variables that elevated processes ignore are read from here on.
func (s *Store) SetRights(r Rights) { s.rights = r }

// Variable reads one of the loader's own variables.
func (s *Store) Variable(v variables.ID) Var { return s.Guarded(v.Name(), v.Secure()) }

// Guarded reads a variable that elevated processes may ignore.
func (s *Store) Guarded(name string, secure bool) Var {
	if secure && s.rights == NoRights {
		return Var{}
	}
	return s.variable(name, secure && s.rights < AllRights)
}

// Held reads one of the loader's own variables whatever the rights are.
func (s *Store) Held(v variables.ID) Var {
	return s.variable(v.Name(), v.Secure() && s.rights < AllRights)
}

// Named reads a variable that a manifest names; it is honoured in every process (GEN-6).
func (s *Store) Named(name string) Var { return s.variable(name, false) }

func (s *Store) variable(name string, secure bool) Var {
	e, isNew := s.kept(secure).get(name, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindVar, Name: name, Secure: secure})
	}
	if e.value.Value == "" && s.rights == Parameters {
		return Var{}
	}
	return e.value
}

// Directory reads a directory.
func (s *Store) Directory(path string) Directory { return s.directory(path).value }

func (s *Store) directory(path string) *entry[Directory] {
	e, isNew := s.directories.get(path, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindDirectory, Name: path})
	}
	return e
}

// Paths lists a directory as Directory does, with the paths of its entries: the directory, a separator, and the name.
// They are put together once.
func (s *Store) Paths(path string, separator byte) (paths []string, listed bool) {
	e := s.directory(path)
	f := &e.value
	if f.paths == nil && len(f.Names) > 0 {
		joint := string(rune(separator))
		f.paths = make([]string, len(f.Names))
		for i, name := range f.Names {
			f.paths[i] = path + joint + name
		}
	}
	return f.paths, f.Listed
}

// File reads a file; false while it is not known.
func (s *Store) File(path string) (File, bool) {
	e, isNew := s.files.get(path, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindFile, Name: path})
	}
	return e.value, e.known
}

// Exists asks whether a path exists.
func (s *Store) Exists(path string) bool {
	e, isNew := s.exists.get(path, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindExists, Name: path})
	}
	return e.value
}

// WrongMachine asks whether a path leads to a library of another word size or machine than the process.
func (s *Store) WrongMachine(path string) bool {
	e, isNew := s.foreign.get(path, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindForeign, Name: path})
	}
	return e.value
}

// Exe reads the program's path.
func (s *Store) Exe() Exe {
	if !s.hasExe && s.exeAsked != s.round+1 {
		s.exeAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindExe})
	}
	return s.exe
}

// HasExe tells whether the program's path has been asked for and answered.
func (s *Store) HasExe() bool { return s.hasExe }

// Graphics lists the graphics devices; false while they are not known.
func (s *Store) Graphics() (Graphics, bool) {
	if !s.hasGraphics && s.gfxAsked != s.round+1 {
		s.gfxAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindGraphics})
	}
	return s.graphics, s.hasGraphics
}

// Service asks the driver service; false while what it says is not known.
func (s *Store) Service() (Service, bool) {
	if !s.hasService && s.svcAsked != s.round+1 {
		s.svcAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindService})
	}
	return s.service, s.hasService
}

// Source gives facts.
type Source interface {
	Var(name string, secure bool) Var
	Directory(path string) Directory
	File(path string) File
	Exe() Exe
	Exists(path string) bool
	WrongMachine(path string) bool
	Graphics() Graphics
	Service() Service
	Elsewhere() Elsewhere // what only other systems have; nil where that is nothing
}

// Fetch gets what is needed from a source.
func (s *Store) Fetch(needs []Need, from Source) {
	for _, n := range needs {
		switch n.Kind {
		case KindVar:
			s.SetVar(n.Name, n.Secure, from.Var(n.Name, n.Secure))
		case KindDirectory:
			s.SetDirectory(n.Name, from.Directory(n.Name))
		case KindFile:
			if s.reads == nil {
				s.reads = new(readings)
			}
			s.SetFile(n.Name, s.reads.bound(from.File(n.Name)))
		case KindExe:
			s.SetExe(from.Exe())
		case KindExists:
			s.SetExists(n.Name, from.Exists(n.Name))
		case KindForeign:
			s.SetForeign(n.Name, from.WrongMachine(n.Name))
		case KindGraphics:
			s.SetGraphics(from.Graphics())
		case KindService:
			s.SetService(from.Service())
		default:
			if other := from.Elsewhere(); other != nil {
				s.fetchElsewhere(n, other)
			}
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
