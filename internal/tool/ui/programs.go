package ui

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/term"
)

var programsPage = &Page{Name: "programs", Title: "Programs", Data: programsOf}

// programs is what the page has: running programs, and the form for any other.
type programs struct {
	Running *running
	Foreign bool // below --root, where nothing runs
}

// running is what ps tells.
type running struct {
	Processes []program `json:"processes"`
	Hidden    int       `json:"hidden"`
}

// program is a process that has a Vulkan loader mapped.
type program struct {
	PID       int              `json:"pid"`
	Name      string           `json:"name"`
	Program   string           `json:"program"`
	Command   []string         `json:"command"`
	Class     int              `json:"class"`
	Elevated  bool             `json:"elevated"`
	Sandboxes []doctor.Sandbox `json:"sandboxes"`
	Loaders   []loaded         `json:"loaders"`
	Drivers   []process.Module `json:"drivers"`
	Layers    []process.Module `json:"layers"`
	Memory    []process.Memory `json:"memory"`
}

// loaded is a loader's file that is mapped.
type loaded struct {
	File    string         `json:"file"`
	Version string         `json:"version"`
	Release string         `json:"release"`
	Package string         `json:"package"`
	Change  process.Change `json:"change"`
}

// Title names the loader.
func (l loaded) Title() string {
	name := term.Or(l.Version, "unknown version")
	if l.Release != "" {
		return name + " of vkloader " + l.Release
	}
	if l.Package != "" {
		return name + " of " + l.Package
	}
	return name
}

// Link is the page of the program's chain.
func (p program) Link() template.URL {
	return link(addressOf(term.Or(p.Program, p.Name)), url.Values{"pid": {fmt.Sprint(p.PID)}})
}

// Base is the program's name without its directory.
func (p program) Base() string { return machine.Style.Base(term.Or(p.Program, p.Name)) }

// MiB is the device memory that the program holds; "" where the kernel does not tell.
func (p program) MiB() string {
	if len(p.Memory) == 0 {
		return ""
	}
	var all uint64
	for _, m := range p.Memory {
		all += m.Bytes
	}
	return fmt.Sprintf("%.0f MiB", float64(all)/(1<<20))
}

// Taken tells whether an update took something away under the program.
func (p program) Taken() bool {
	return slices.ContainsFunc(p.Loaders, func(l loaded) bool { return l.Change != process.Same }) ||
		slices.ContainsFunc(slices.Concat(p.Drivers, p.Layers), func(m process.Module) bool { return m.Change != process.Same })
}

// addressOf is the address of a program's chain: #/program/usr/bin/vkcube.
func addressOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "program/" + strings.Join(parts, "/")
}

func programsOf(r *Request) (any, error) {
	m, err := r.Tool.Machine()
	if err != nil {
		return nil, err
	}
	if m.Foreign() {
		return &programs{Running: &running{}, Foreign: true}, nil
	}
	found, err := runningOf(r)
	if err != nil {
		return nil, err
	}
	return &programs{Running: found}, nil
}

// runningOf asks which programs run.
func runningOf(r *Request) (*running, error) {
	found := &running{}
	return found, r.Tool.Run(r, "ps", "--json").Decode(found)
}
