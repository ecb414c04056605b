// Package inmemory holds the facts of a machine in memory, for tests of decisions.
package inmemory

import "vkloader/internal/core/facts"

// Tree is a file system and environment in memory.
type Tree struct {
	Vars        map[string]string
	Elevated    bool                // secure variables count as unset
	Files       map[string]string   // content by path
	Directories map[string][]string // names by path, in listing order; overrides the names implied by Files
	Broken      map[string]facts.FileStatus
	Program     string // path of the running program, "" when unknown
	Devices     facts.Graphics
	Served      *facts.Service // nil: no driver service
	Backslashes bool           // paths have backslashes
	Other       *Foreign       // facts that Linux lacks; nil: none
}

// Foreign holds facts that Linux lacks: registry values by hive, backslash and key; adapter and device values by value
// name; package paths by family.
type Foreign struct {
	Keys          map[string][]facts.Value
	AdapterValues map[string]facts.Adapters
	DeviceValues  map[string][]facts.Device
	PackagePaths  map[string][]string
	Displays      facts.DXGI
	Token         facts.Process
	Program       facts.Bundle
}

// Elsewhere implements Provider.
func (t *Tree) Elsewhere() facts.Elsewhere {
	if t.Other == nil {
		return nil
	}
	return t.Other
}

// Registry implements Elsewhere.
func (f *Foreign) Registry(h facts.Hive, key string) facts.Key {
	values, ok := f.Keys[h.String()+`\`+key]
	return facts.Key{Opened: ok, Values: values}
}

// Adapters implements Elsewhere.
func (f *Foreign) Adapters(name string) facts.Adapters { return f.AdapterValues[name] }

// Devices implements Elsewhere.
func (f *Foreign) Devices(name string) facts.Devices {
	list, ok := f.DeviceValues[name]
	return facts.Devices{Listed: ok, List: list}
}

// Packages implements Elsewhere.
func (f *Foreign) Packages(family string) []string { return f.PackagePaths[family] }

// DXGI implements Elsewhere.
func (f *Foreign) DXGI() facts.DXGI { return f.Displays }

// Process implements Elsewhere.
func (f *Foreign) Process() facts.Process { return f.Token }

// Bundle implements Elsewhere.
func (f *Foreign) Bundle() facts.Bundle { return f.Program }

// Var implements Provider.
func (t *Tree) Var(name string, secure bool) facts.Var {
	if secure && t.Elevated {
		return facts.Var{}
	}
	v, ok := t.Vars[name]
	return facts.Var{Value: v, Set: ok}
}

// Directory implements Provider. If Directories lacks the path, the result is the sorted .json files of Files in it.
func (t *Tree) Directory(path string) facts.Directory {
	if names, ok := t.Directories[path]; ok {
		return facts.Directory{Listed: true, Names: names}
	}
	prefix, separator := path, byte('/')
	if t.Backslashes {
		separator = '\\'
	}
	if len(prefix) > 0 && prefix[len(prefix)-1] != separator {
		prefix += string(rune(separator))
	}
	f := facts.Directory{}
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
func (t *Tree) File(path string) facts.File {
	if status, ok := t.Broken[path]; ok {
		return facts.File{Status: status}
	}
	content, ok := t.Files[path]
	if !ok {
		return facts.File{Status: facts.FileNotOpened}
	}
	return facts.File{Content: content}
}

// Exe implements Provider.
func (t *Tree) Exe() facts.Exe { return facts.Exe{Path: t.Program, Known: t.Program != ""} }

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
func (t *Tree) Graphics() facts.Graphics { return t.Devices }

// Service implements Provider.
func (t *Tree) Service() facts.Service {
	if t.Served == nil {
		return facts.Service{State: facts.ServiceNone}
	}
	return *t.Served
}
