// Package facts stores the facts of a decision, and records which facts the decision asked for.
//
// A decision asks a Store. If the Store does not have a fact, it records it as needed and answers that it is absent.
// The decision is then made again with more facts. Facts come from the spine (through the wire), from the operating
// system (in the tool) or from a tree of files (in tests). The package never interprets them.
package facts

import "vkloader/internal/core/variables"

// Var is the value of an environment variable.
type Var struct {
	Value string
	Set   bool
}

// Directory is the result of listing a directory: the names that end in .json, in listing order.
type Directory struct {
	Listed bool
	Names  []string
	paths  []string // of the entries; built on demand
}

// MaxFile is the largest manifest or settings file that is read, in bytes. spine/core/facts.h has the same limit.
const MaxFile = 16 * 1024 * 1024

// File is a file's content.
type File struct {
	Status  FileStatus
	Content string
	Number  uint64 // from FileNumber; 0: unknown, or the source counts reads itself
}

// Exe is the path of the running program.
type Exe struct {
	Path  string
	Known bool
	None  bool // the path will never be known: the system has no way to ask for it
}

// Graphics lists the render nodes of the kernel: for each, the text of the device's uevent file, and its runtime power
// status, empty when unknown.
type Graphics struct {
	Listed  bool // false: there are no such devices, or they are not visible
	Devices []string
	Power   []string
}

// Service is the answer of the driver service (docs/service.md).
type Service struct {
	State  ServiceState
	Place  string // its socket
	Answer string // the datagram
	Index  string // the document in the descriptor that came with it
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

// Need is a missing fact.
type Need struct {
	Kind   Kind
	Name   string // variable, path, key, value or family
	Secure bool
	Hive   Hive // of a registry key
}

// Store holds the facts of one API call.
type Store struct {
	secure, plain table[Var]
	directories   table[Directory]
	files         table[File]
	exists        table[bool]
	foreign       table[bool]
	exe           fact[Exe]
	graphics      fact[Graphics]
	service       fact[Service]
	bundle        fact[Bundle]
	windows       windows
	rights        VariableRights
	size          int       // bytes of all files
	reads         *readings // bytes read per file; nil until Fetch reads a file

	needs []Need
	round uint32 // counts the lists of needs, from 1
}

// fact is a value that is absent until it is known.
type fact[T any] struct {
	value T
	known bool
	asked uint32 // the last round in which it was requested
}

// set stores a value, replacing an earlier one.
func (f *fact[T]) set(v T) { f.value, f.known = v, true }

// ask returns a fact. If it is missing, its need is recorded once a round.
func ask[T any](s *Store, f *fact[T], need Need) (value T, known bool) {
	if !f.known && f.asked != s.round+1 {
		f.asked = s.round + 1
		s.needs = append(s.needs, need)
	}
	return f.value, f.known
}

// indexFrom is the length from which a table has a map. Most tables have a few dozen entries.
const indexFrom = 48

// table finds values by name. A requested name has an entry, without a value until the fact is known.
type table[T any] struct {
	entries []entry[T]
	index   map[string]int
}

// entry is a named fact of a table.
type entry[T any] struct {
	name string
	fact fact[T]
}

// find returns the index of a name, or -1.
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

// fact returns the fact of a name, adding an absent one if necessary.
func (t *table[T]) fact(name string) *fact[T] {
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
	return &t.entries[i].fact
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{} }

// SetVar adds a variable.
func (s *Store) SetVar(name string, secure bool, v Var) {
	s.variableTable(secure).fact(name).set(v)
}

func (s *Store) variableTable(secure bool) *table[Var] {
	if secure {
		return &s.secure
	}
	return &s.plain
}

// SetDirectory adds a directory's listing.
func (s *Store) SetDirectory(path string, f Directory) { s.directories.fact(path).set(f) }

// SetFile adds a file.
func (s *Store) SetFile(path string, f File) {
	s.files.fact(path).set(f)
	s.size += len(f.Content)
}

// Size returns the number of file bytes in the store.
func (s *Store) Size() int { return s.size }

// SetExists adds whether a path exists.
func (s *Store) SetExists(path string, yes bool) { s.exists.fact(path).set(yes) }

// SetForeign adds whether a library is of another word size or machine than the process.
func (s *Store) SetForeign(path string, yes bool) { s.foreign.fact(path).set(yes) }

// SetExe adds the program's path.
func (s *Store) SetExe(exe Exe) { s.exe.set(exe) }

// SetGraphics adds the graphics devices.
func (s *Store) SetGraphics(g Graphics) { s.graphics.set(g) }

// SetService adds the answer of the driver service.
func (s *Store) SetService(v Service) { s.service.set(v) }

// Missing reports whether a requested fact is missing.
func (s *Store) Missing() bool { return len(s.needs) > 0 }

// Needs returns the missing facts so far.
func (s *Store) Needs() []Need { return s.needs }

// TakeNeeds returns the missing facts and begins the next round.
func (s *Store) TakeNeeds() []Need {
	needs := s.needs
	s.needs = nil
	s.round++
	return needs
}

// VariableRights says how secure variables are read. Elevated processes ignore these.
type VariableRights uint8

// Rights. By default, the source decides.
const (
	SystemRights VariableRights = iota
	NoRights                    // secure variables count as unset
	AllRights                   // secure variables are read like others
)

// SetRights sets how secure variables are read from now on.
func (s *Store) SetRights(r VariableRights) { s.rights = r }

// Variable reads one of the loader's own variables.
func (s *Store) Variable(v variables.ID) Var { return s.VariableWithRights(v.Name(), v.Secure()) }

// VariableWithRights reads a variable that is secure or not.
func (s *Store) VariableWithRights(name string, secure bool) Var {
	if secure && s.rights == NoRights {
		return Var{}
	}
	return s.variable(name, secure && s.rights != AllRights)
}

// OwnVariable reads one of the loader's own variables even if NoRights is set.
func (s *Store) OwnVariable(v variables.ID) Var {
	return s.variable(v.Name(), v.Secure() && s.rights != AllRights)
}

// ManifestVariable reads a variable named by a manifest; every process honours it (GEN-6).
func (s *Store) ManifestVariable(name string) Var { return s.variable(name, false) }

func (s *Store) variable(name string, secure bool) Var {
	v, _ := ask(s, s.variableTable(secure).fact(name), Need{Kind: KindVar, Name: name, Secure: secure})
	return v
}

// Directory reads a directory.
func (s *Store) Directory(path string) Directory {
	f, _ := ask(s, s.directories.fact(path), Need{Kind: KindDirectory, Name: path})
	return f
}

// Paths lists a directory as Directory does, and returns the paths of its entries: the directory, the separator, and
// the name. They are built once.
func (s *Store) Paths(path string, separator byte) (paths []string, listed bool) {
	e := s.directories.fact(path)
	ask(s, e, Need{Kind: KindDirectory, Name: path})
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

// File reads a file. It returns false while the fact is missing.
func (s *Store) File(path string) (File, bool) {
	return ask(s, s.files.fact(path), Need{Kind: KindFile, Name: path})
}

// Exists reports whether a path exists.
func (s *Store) Exists(path string) bool {
	yes, _ := ask(s, s.exists.fact(path), Need{Kind: KindExists, Name: path})
	return yes
}

// WrongMachine reports whether a path leads to a library of another word size or machine than the process.
func (s *Store) WrongMachine(path string) bool {
	yes, _ := ask(s, s.foreign.fact(path), Need{Kind: KindForeign, Name: path})
	return yes
}

// Exe reads the program's path.
func (s *Store) Exe() Exe {
	exe, _ := ask(s, &s.exe, Need{Kind: KindExe})
	return exe
}

// HasExe reports whether the program's path, or that it is unknown, is in the store.
func (s *Store) HasExe() bool { return s.exe.known }

// Graphics lists the graphics devices. It returns false while the fact is missing.
func (s *Store) Graphics() (Graphics, bool) { return ask(s, &s.graphics, Need{Kind: KindGraphics}) }

// Service returns the answer of the driver service. It returns false while the fact is missing.
func (s *Store) Service() (Service, bool) { return ask(s, &s.service, Need{Kind: KindService}) }

// Provider returns facts.
type Provider interface {
	Var(name string, secure bool) Var
	Directory(path string) Directory
	File(path string) File
	Exe() Exe
	Exists(path string) bool
	WrongMachine(path string) bool
	Graphics() Graphics
	Service() Service
	Elsewhere() Elsewhere // facts that Linux lacks; nil if none
}

// Fetch adds the needed facts from a source.
func (s *Store) Fetch(needs []Need, from Provider) {
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
			s.SetFile(n.Name, s.reads.limit(from.File(n.Name)))
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

// rounds is the number of rounds after which Resolve gives up.
const rounds = 64

// Resolve repeats a decision until no fact is missing. It returns false if facts are still missing after the last
// round.
func Resolve(s *Store, from Provider, decide func(*Store)) bool {
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
