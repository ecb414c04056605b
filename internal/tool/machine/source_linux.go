// Package machine gives facts from the running machine, or from the file system below a directory, for the tool. The
// library never links it: there, the spine reads (G-5, G-6). It interprets nothing.
package machine

import (
	"errors"
	"os"
	"strings"

	"vkloader/internal/core/facts"
)

// Source reads a machine the way the spine does.
type Source struct {
	Machine
	Elevated bool                 // secure variables count as unset
	Class    int                  // word size of the program, 32 or 64; 0: not known, taken for OwnClass
	Program  string               // the program to decide for; "": this one, or on a foreign machine one that nothing names
	Served   func() facts.Service // asks the driver service; nil: there is none
}

// Var implements facts.Source.
func (s *Source) Var(name string, secure bool) facts.Var {
	if secure && s.Elevated {
		return facts.Var{}
	}
	value, set := s.Lookup(name)
	return facts.Var{Value: value, Set: set}
}

// Directory implements facts.Source. The names come unsorted, in the order the system gives them (PATH-18); on a
// foreign machine by name, because the order that its own file system would give is not known here.
func (s *Source) Directory(path string) facts.Directory {
	entries, err := s.list(path)
	if err != nil && len(entries) == 0 {
		return facts.Directory{}
	}
	if s.Foreign() {
		ByName(entries)
	}
	f := facts.Directory{Listed: true}
	for _, e := range entries {
		n := e.Name()
		if s.hidden(path + "/" + n) {
			continue
		}
		if len(n) >= 5 && n[len(n)-5:] == ".json" {
			f.Names = append(f.Names, n)
		}
	}
	return f
}

// File implements facts.Source.
func (s *Source) File(path string) facts.File {
	f, err := s.Open(path)
	if errors.Is(err, ErrNotRegular) {
		return facts.File{Status: facts.FileNotRegular}
	}
	if err != nil {
		return facts.File{Status: facts.FileNotOpened}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return facts.File{Status: facts.FileNoSize}
	}
	if !info.Mode().IsRegular() {
		return facts.File{Status: facts.FileNotRead}
	}
	content, err := readAll(f)
	if err != nil {
		return facts.File{Status: facts.FileNotRead}
	}
	if s.Class != 0 && s.Class != OwnClass {
		return facts.File{Content: otherClass(string(content))}
	}
	return facts.File{Content: string(content)}
}

// Exe implements facts.Source.
func (s *Source) Exe() facts.Exe {
	if s.Program != "" {
		return facts.Exe{Path: s.Program, Known: len(s.Program) < 1024}
	}
	if s.Foreign() {
		return facts.Exe{Known: true}
	}
	path, err := os.Readlink("/proc/self/exe")
	return facts.Exe{Path: path, Known: err == nil && len(path) < 1024}
}

// Graphics implements facts.Source.
func (s *Source) Graphics() facts.Graphics {
	const class = "/sys/class/drm"
	nodes, err := s.list(class)
	if err != nil && len(nodes) == 0 {
		return facts.Graphics{}
	}
	g := facts.Graphics{Listed: true}
	for _, entry := range ByName(nodes) {
		node := entry.Name()
		if !strings.HasPrefix(node, "renderD") {
			continue
		}
		g.Devices = append(g.Devices, s.File(class+"/"+node+"/device/uevent").Content)
		power, _, _ := strings.Cut(s.File(class+"/"+node+"/device/power/runtime_status").Content, "\n")
		g.Power = append(g.Power, power)
	}
	return g
}

// Service implements facts.Source.
func (s *Source) Service() facts.Service {
	if s.Served == nil || s.Foreign() || s.Class != 0 && s.Class != OwnClass { // the tool asks for drivers of its own word size
		return facts.Service{State: facts.ServiceNone}
	}
	return s.Served()
}

// Elsewhere implements facts.Source: Linux has nothing that only other systems have.
func (s *Source) Elsewhere() facts.Elsewhere { return nil }
