package machine

import (
	"os"

	"vkloader/internal/core/facts"
)

// Graphics implements facts.Provider: the devices are of the Linux kernel.
func (s *Source) Graphics() facts.Graphics { return facts.Graphics{} }

// Service implements facts.Provider: there is no driver service here.
func (s *Source) Service() facts.Service { return facts.Service{State: facts.ServiceNone} }

// Elsewhere implements facts.Provider.
func (s *Source) Elsewhere() facts.Elsewhere { return elsewhere{s} }

// classManifest returns a manifest as it is: every program of macOS 11 has 64 bits.
func (s *Source) classManifest(manifest string) string { return manifest }

func ownProgram() (string, error) { return os.Executable() }

// elsewhere has the facts that only macOS has. The facts of Windows are empty.
type elsewhere struct{ *Source }

// Bundle returns the bundle of the source's program (MAC-002, MAC-005). The tool has none.
func (e elsewhere) Bundle() facts.Bundle {
	if e.Program == "" {
		return facts.Bundle{}
	}
	real, err := e.Real(e.Program)
	if err != nil {
		return facts.Bundle{}
	}
	resources := BundleResources(real)
	if info, err := e.Stat(resources); resources == "" || err != nil || !info.IsDir() {
		return facts.Bundle{}
	}
	return facts.Bundle{Resources: resources}
}

func (elsewhere) Registry(facts.Hive, string) facts.Key { return facts.Key{} }
func (elsewhere) Adapters(string) facts.Adapters        { return facts.Adapters{} }
func (elsewhere) Devices(string) facts.Devices          { return facts.Devices{} }
func (elsewhere) Packages(string) []string              { return nil }
func (elsewhere) DXGI() facts.DXGI                      { return facts.DXGI{} }
func (elsewhere) Process() facts.Process                { return facts.Process{} }
