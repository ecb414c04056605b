package machine

import (
	"io/fs"
	"os"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/windows"
)

// Var implements facts.Provider. The decision itself leaves out variables that do not count (WIN-057).
func (s *Source) Var(name string, _ bool) facts.Var {
	if s.Loader != nil && !s.Loader.Reads(name) {
		return facts.Var{}
	}
	value, set := s.Lookup(name)
	return facts.Var{Value: value, Set: set}
}

// Graphics implements facts.Provider: only the Linux kernel has these facts.
func (s *Source) Graphics() facts.Graphics { return facts.Graphics{} }

// Service implements facts.Provider: there is no driver service here.
func (s *Source) Service() facts.Service { return facts.Service{State: facts.ServiceNone} }

// classManifest returns a manifest unchanged: the platform knows the word size.
func (s *Source) classManifest(manifest string) string { return manifest }

func ownProgram() (string, error) { return os.Executable() }

func system64() bool { return windows.System64() }

// mediumIntegrity is the level of programs that a user starts.
const mediumIntegrity = 0x2000

// Bits returns the word size of the program.
func (s *Source) Bits() string {
	if s.Class == 32 || s.Class == 0 && OwnClass == 32 || !system64() {
		return "32"
	}
	return "64"
}

// Path returns the path by which the tool opens a file that a program of the word size opens as name.
func (s *Source) Path(name string) string {
	switch {
	case !system64() || s.Foreign():
		return name
	case s.Bits() == "32" && OwnClass == 64:
		return windows.Redirected(name)
	case s.Bits() == "64" && OwnClass == 32:
		return windows.Directed(name)
	}
	return name
}

// Elsewhere implements facts.Provider.
func (s *Source) Elsewhere() facts.Elsewhere { return elsewhere{s} }

// elsewhere has the facts that only Windows has.
type elsewhere struct{ *Source }

// Registry returns a key in the view of the program.
func (e elsewhere) Registry(h facts.Hive, key string) facts.Key {
	return windows.Registry(h, key, e.Bits())
}

func (elsewhere) Adapters(name string) facts.Adapters { return windows.Adapters(name) }

func (elsewhere) Devices(name string) facts.Devices { return windows.Devices(name) }

func (elsewhere) Packages(family string) []string { return windows.Packages(family) }

func (elsewhere) DXGI() facts.DXGI { return windows.DXGI() }

func (elsewhere) Bundle() facts.Bundle { return facts.Bundle{} }

// Process returns this process's rights, because a program that it starts has the same; with Elevated, those of an
// elevated program.
func (e elsewhere) Process() facts.Process {
	p := windows.Own()
	p.WOW64 = e.Bits() == "32" && system64()
	switch {
	case e.Elevated && p.Level < facts.HighIntegrity:
		p.Known, p.Level = true, facts.HighIntegrity
	case e.AsUser && p.Level >= facts.HighIntegrity:
		p.Level = mediumIntegrity
	}
	return p
}

// numberOf returns the number that identifies an open file to the system.
func numberOf(f *os.File, _ fs.FileInfo) uint64 {
	var info syswindows.ByHandleFileInformation
	if err := syswindows.GetFileInformationByHandle(syswindows.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return facts.FileNumber(uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32|uint64(info.FileIndexLow))
}
