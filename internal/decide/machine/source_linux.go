package machine

import (
	"os"
	"strings"

	"vkloader/internal/core/facts"
)

// Graphics implements facts.Provider.
func (s *Source) Graphics() facts.Graphics {
	const class = "/sys/class/drm"
	nodes, err := s.list(class)
	if err != nil && len(nodes) == 0 {
		return facts.Graphics{}
	}
	g := facts.Graphics{Listed: true}
	if s.Foreign() { // otherwise they keep the system's order, as in the spine
		ByName(nodes)
	}
	for _, entry := range nodes {
		node := entry.Name()
		if !strings.HasPrefix(node, "renderD") {
			continue
		}
		g.Devices = append(g.Devices, s.kernelText(class+"/"+node+"/device/uevent"))
		power, _, _ := strings.Cut(s.kernelText(class+"/"+node+"/device/power/runtime_status"), "\n")
		g.Power = append(g.Power, power)
	}
	return g
}

// maxShort limits the bytes that are read of a kernel's file about a device.
const maxShort = 511

// kernelText returns the start of a file of the kernel, whose stated size is wrong; "": the file cannot be read.
func (s *Source) kernelText(path string) string {
	text, err := s.read(path, func(f *os.File) ([]byte, error) { return readUpTo(f, maxShort, maxShort) })
	if err != nil {
		return ""
	}
	return string(text)
}

// Service implements facts.Provider.
func (s *Source) Service() facts.Service {
	// The service gives the tool drivers of the tool's own word size only.
	if s.Served == nil || s.Loader != nil || s.Elevated || s.Foreign() || s.Class != 0 && s.Class != OwnClass {
		return facts.Service{State: facts.ServiceNone}
	}
	return s.Served()
}

// Elsewhere implements facts.Provider: there are no facts that only other systems have.
func (s *Source) Elsewhere() facts.Elsewhere { return nil }

// classManifest returns a manifest as a program of the word size reads it.
func (s *Source) classManifest(manifest string) string {
	if s.Class != 0 && s.Class != OwnClass {
		return otherClass(manifest)
	}
	return manifest
}

func ownProgram() (string, error) { return os.Readlink("/proc/self/exe") }
