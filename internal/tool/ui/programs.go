package ui

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

var programsPage = &Page{Name: "programs", Title: "Programs", Data: programsOf}

// programs is the data of the page: the running programs, and a form for any other.
type programs struct {
	Running *running
	Foreign bool // with --root, no program runs
}

// running is the output of ps.
type running struct {
	Processes []program
	Hidden    int // the number of processes that could not be inspected
}

// program is a process with a Vulkan loader mapped.
type program struct{ doctor.RunningProgram }

// Link returns the page of the program's chain.
func (p program) Link() template.URL {
	return link(addressOf(term.Or(p.Program, p.Name)), url.Values{"pid": {fmt.Sprint(p.PID)}})
}

// Taken reports whether an update removed or replaced a file that the program has loaded.
func (p program) Taken() bool {
	return slices.ContainsFunc(p.Loaders, func(l doctor.RunningLoader) bool { return l.State != process.Same }) ||
		slices.ContainsFunc(slices.Concat(p.Drivers, p.Layers),
			func(m process.MappedModule) bool { return m.State != process.Same })
}

// addressOf returns the address of a program's chain: #/program/usr/bin/vkcube.
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

// runningOf returns the running programs.
func runningOf(r *Request) (*running, error) {
	found := &running{}
	return found, r.Tool.Run(r, "ps", "--json").Decode(found)
}
