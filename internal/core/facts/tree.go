package facts

// Tree is a file system and environment in memory. Tests use it as a Provider, and so does the tool to simulate a machine.
type Tree struct {
	Vars        map[string]string
	Elevated    bool                // secure variables count as unset
	Files       map[string]string   // content by path
	Directories map[string][]string // names by path, in listing order; overrides the names implied by Files
	Broken      map[string]FileStatus
	Program     string // path of the running program, "" when unknown
	Devices     Graphics
	Served      *Service // nil: no driver service
	Backslashes bool     // paths have backslashes
	Other       *Foreign // facts that Linux lacks; nil: none
}

// Foreign holds facts that Linux lacks: registry values by hive, backslash and key; adapter and device values by value
// name; package paths by family.
type Foreign struct {
	Keys          map[string][]Value
	AdapterValues map[string]Adapters
	DeviceValues  map[string][]Device
	PackagePaths  map[string][]string
	Displays      DXGI
	Token         Process
	Program       Bundle
}

// Elsewhere implements Provider.
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

// Var implements Provider.
func (t *Tree) Var(name string, secure bool) Var {
	if secure && t.Elevated {
		return Var{}
	}
	v, ok := t.Vars[name]
	return Var{v, ok}
}

// Directory implements Provider. If Directories lacks the path, the result is the sorted .json files of Files in it.
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

// File implements Provider.
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

// Exe implements Provider.
func (t *Tree) Exe() Exe { return Exe{Path: t.Program, Known: t.Program != ""} }

// Exists implements Provider.
func (t *Tree) Exists(path string) bool {
	_, ok := t.Files[path]
	return ok
}

// WrongMachine implements Provider. It reports whether the file's content is ForeignLibrary.
func (t *Tree) WrongMachine(path string) bool { return t.Files[path] == ForeignLibrary }

// ForeignLibrary is the content, in a Tree, of a library of another machine than the process.
const ForeignLibrary = "foreign"

// Graphics implements Provider.
func (t *Tree) Graphics() Graphics { return t.Devices }

// Service implements Provider.
func (t *Tree) Service() Service {
	if t.Served == nil {
		return Service{State: ServiceNone}
	}
	return *t.Served
}
