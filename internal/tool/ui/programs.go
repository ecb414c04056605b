package ui

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
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
	Processes []program
	Hidden    int
}

// program is a process that has a Vulkan loader mapped.
type program struct{ doctor.RunningProgram }

// Link is the page of the program's chain.
func (p program) Link() template.URL {
	return link(addressOf(term.Or(p.Program, p.Name)), url.Values{"pid": {fmt.Sprint(p.PID)}})
}

// Base is the program's name without its directory.
func (p program) Base() string { return machine.Style.Base(term.Or(p.Program, p.Name)) }

// Taken tells whether an update took something away under the program.
func (p program) Taken() bool {
	return slices.ContainsFunc(p.Loaders, func(l doctor.RunningLoader) bool { return l.Change != process.Same }) ||
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
	m := r.Tool.Machine()
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
