package machine

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
	"vkloader/internal/tool/pc"
)

// Var implements facts.Source. Which variables count, the decision itself knows (WIN-057).
func (s *Source) Var(name string, _ bool) facts.Var {
	value, set := s.Lookup(name)
	return facts.Var{Value: value, Set: set}
}

// Graphics implements facts.Source: they are of the Linux kernel.
func (s *Source) Graphics() facts.Graphics { return facts.Graphics{} }

// Service implements facts.Source: there is no driver service here.
func (s *Source) Service() facts.Service { return facts.Service{State: facts.ServiceNone} }

// forClass is a manifest as a program of the word size reads it: the platform knows that size.
func (s *Source) forClass(manifest string) string { return manifest }

func ownProgram() (string, error) { return os.Executable() }

func system64() bool { return pc.System64() }

// mediumIntegrity is the level of what a user starts.
const mediumIntegrity = 0x2000

// Bits is the word size of the program.
func (s *Source) Bits() string {
	if s.Class == 32 || s.Class == 0 && OwnClass == 32 || !system64() {
		return "32"
	}
	return "64"
}

// Path is the path that a program of the word size gets for one that it names, as this program has to name it.
func (s *Source) Path(name string) string {
	switch {
	case !system64() || s.Foreign():
		return name
	case s.Bits() == "32" && OwnClass == 64:
		return pc.Redirected(name)
	case s.Bits() == "64" && OwnClass == 32:
		return pc.Directed(name)
	}
	return name
}

// Elsewhere implements facts.Source.
func (s *Source) Elsewhere() facts.Elsewhere { return elsewhere{s} }

// elsewhere are the facts that only Windows has.
type elsewhere struct{ *Source }

func (e elsewhere) Registry(h facts.Hive, key string) facts.Key { return pc.Registry(h, key, e.Bits()) }
func (elsewhere) Adapters(name string) facts.Adapters           { return pc.Adapters(name) }
func (elsewhere) Devices(name string) facts.Devices             { return pc.Devices(name) }
func (elsewhere) Packages(family string) []string               { return pc.Packages(family) }
func (elsewhere) DXGI() facts.DXGI                              { return pc.DXGI() }
func (elsewhere) Bundle() facts.Bundle                          { return facts.Bundle{} }

// Process is this process's, for a program that it starts has the same rights; with Elevated, one that has more.
func (e elsewhere) Process() facts.Process {
	p := pc.Own()
	p.WOW64 = e.Bits() == "32" && system64()
	switch {
	case e.Elevated && p.Level < facts.HighIntegrity:
		p.Known, p.Level = true, facts.HighIntegrity
	case e.AsUser && p.Level >= facts.HighIntegrity:
		p.Level = mediumIntegrity
	}
	return p
}

// numberOf is the number by which the system knows an open file.
func numberOf(f *os.File, _ fs.FileInfo) uint64 {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return facts.FileNumber(uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32|uint64(info.FileIndexLow))
}
