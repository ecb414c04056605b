package machine

import (
	"io/fs"
	"os"
	"strings"
	"syscall"

	"vkloader/internal/core/facts"
)

// Var implements facts.Source.
func (s *Source) Var(name string, secure bool) facts.Var {
	if secure && s.Elevated || s.Loader != nil && !s.Loader.Reads(name) {
		return facts.Var{}
	}
	value, set := s.Lookup(name)
	return facts.Var{Value: value, Set: set}
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
	if s.Served == nil || s.Loader != nil || s.Elevated || s.Foreign() || s.Class != 0 && s.Class != OwnClass { // the tool asks for drivers of its own word size
		return facts.Service{State: facts.ServiceNone}
	}
	return s.Served()
}

// Elsewhere implements facts.Source: Linux has nothing that only other systems have.
func (s *Source) Elsewhere() facts.Elsewhere { return nil }

// forClass is a manifest as a program of the word size reads it.
func (s *Source) forClass(manifest string) string {
	if s.Class != 0 && s.Class != OwnClass {
		return otherClass(manifest)
	}
	return manifest
}

func ownProgram() (string, error) { return os.Readlink("/proc/self/exe") }

// Path is the path that a program of the word size gets for one that it names.
func (s *Source) Path(name string) string { return name }

// numberOf is the number by which the system knows an open file.
func numberOf(_ *os.File, info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return facts.FileNumber(uint64(stat.Dev), uint64(stat.Ino))
	}
	return 0
}
