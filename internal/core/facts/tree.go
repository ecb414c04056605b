package facts

// Tree is a small world in memory: the source of the tests, and of the tool when it asks what another machine would do.
type Tree struct {
	Vars        map[string]string
	Elevated    bool                // secure variables count as unset
	Files       map[string]string   // content by path
	Directories map[string][]string // names by path, in the order a listing gives them; overrides what Files imply
	Broken      map[string]FileStatus
	Program     string // path of the running program, "" when unknown
	Devices     Graphics
	Served      *Service // nil: there is no driver service
	Backslashes bool     // its paths have backslashes
	Other       *Foreign // what only other systems have; nil: nothing
}

// Foreign is what a world has that is not of Linux: the values of keys by the hive, a backslash and the key; what
// adapters and devices say by the name that they are asked for; the places of packages by family.
type Foreign struct {
	Keys          map[string][]Value
	AdapterValues map[string]Adapters
	DeviceValues  map[string][]Device
	PackagePaths  map[string][]string
	Displays      DXGI
	Token         Process
	Program       Bundle
}

// Elsewhere implements Source.
func (t *Tree) Elsewhere() Elsewhere {
	if t.Other == nil {
		return nil
	}
	return t.Other
}

// Registry implements Elsewhere.
func (f *Foreign) Registry(h Hive, key string) Key {
	values, ok := f.Keys[h.String()+`\`+key]
	return Key{Opened: ok, Values: values}
}

// Adapters implements Elsewhere.
func (f *Foreign) Adapters(name string) Adapters { return f.AdapterValues[name] }

// Devices implements Elsewhere.
func (f *Foreign) Devices(name string) Devices {
	list, ok := f.DeviceValues[name]
	return Devices{Listed: ok, List: list}
}

// Packages implements Elsewhere.
func (f *Foreign) Packages(family string) []string { return f.PackagePaths[family] }

// DXGI implements Elsewhere.
func (f *Foreign) DXGI() DXGI { return f.Displays }

// Process implements Elsewhere.
func (f *Foreign) Process() Process { return f.Token }

// Bundle implements Elsewhere.
func (f *Foreign) Bundle() Bundle { return f.Program }

// Var implements Source.
func (t *Tree) Var(name string, secure bool) Var {
	if secure && t.Elevated {
		return Var{}
	}
	v, ok := t.Vars[name]
	return Var{v, ok}
}

// Directory implements Source. Without an entry in Directories, the direct .json entries of Files are given, sorted.
func (t *Tree) Directory(path string) Directory {
	if names, ok := t.Directories[path]; ok {
		return Directory{Listed: true, Names: names}
	}
	prefix, separator := path, byte('/')
	if t.Backslashes {
		separator = '\\'
	}
	if len(prefix) > 0 && prefix[len(prefix)-1] != separator {
		prefix += string(rune(separator))
	}
	f := Directory{}
	add := func(file string) {
		if len(file) <= len(prefix) || file[:len(prefix)] != prefix {
			return
		}
		name := file[len(prefix):]
		f.Listed = true
		for i := 0; i < len(name); i++ {
			if name[i] == separator {
				return
			}
		}
		if len(name) < 5 || name[len(name)-5:] != ".json" {
			return
		}
		at := 0
		for at < len(f.Names) && f.Names[at] < name {
			at++
		}
		f.Names = append(f.Names, "")
		copy(f.Names[at+1:], f.Names[at:])
		f.Names[at] = name
	}
	for file := range t.Files {
		add(file)
	}
	for file := range t.Broken {
		add(file)
	}
	return f
}

// File implements Source.
func (t *Tree) File(path string) File {
	if status, ok := t.Broken[path]; ok {
		return File{Status: status}
	}
	content, ok := t.Files[path]
	if !ok {
		return File{Status: FileNotOpened}
	}
	return File{Content: content}
}

// Exe implements Source.
func (t *Tree) Exe() Exe { return Exe{Path: t.Program, Known: t.Program != ""} }

// Exists implements Source.
func (t *Tree) Exists(path string) bool {
	_, ok := t.Files[path]
	return ok
}

// WrongMachine implements Source: the library's first bytes are those of the other word size.
func (t *Tree) WrongMachine(path string) bool { return t.Files[path] == ForeignLibrary }

// ForeignLibrary is the content of a library in a Tree that is of another machine than the process.
const ForeignLibrary = "foreign"

// Graphics implements Source.
func (t *Tree) Graphics() Graphics { return t.Devices }

// Service implements Source.
func (t *Tree) Service() Service {
	if t.Served == nil {
		return Service{State: ServiceNone}
	}
	return *t.Served
}
