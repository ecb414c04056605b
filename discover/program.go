package discover

import (
	"fmt"
	"io/fs"
	"slices"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// Program is what a decision is made for.
type Program struct {
	Path     string   // of its file on the host; "": on Local the calling program, on other hosts a program without a name
	Env      []string // NAME=VALUE; nil: the variables of the host
	Elevated bool     // it has more rights than its user: most variables are ignored
	Bits     int      // word size, 32 or 64; 0: as its file says, or 64

	Layers      []string // that it enables in vkCreateInstance
	Extensions  []string // instance extensions that it enables
	Portability bool     // it enables VK_KHR_portability_enumeration, with the flag that belongs to it
	API         Version  // in its VkApplicationInfo; 0: none is named

	// Headless tells that it shows nothing on a screen, where Extensions is empty: the settings may have a policy that leaves
	// layers out of these programs.
	Headless bool

	// Loader is the loader that it gets, of [LoaderOf]. The decision leaves out what that loader is known not to read. nil: it
	// gets the loader of this module.
	Loader *Loader
}

// app is what the program gives to vkCreateInstance.
func (p *Program) app() plan.App {
	names := func(list []string) (out []plan.Name) {
		for _, name := range list {
			out = append(out, plan.Name{Text: name, Set: true})
		}
		return out
	}
	app := plan.App{API: uint32(p.API), Layers: names(p.Layers), Extensions: names(p.Extensions)}
	if p.Portability {
		app.Flags = portabilityFlag
		if !slices.Contains(p.Extensions, portabilityExtension) {
			app.Extensions = append(app.Extensions, plan.Name{Text: portabilityExtension, Set: true})
		}
	}
	app.LayerCount, app.ExtensionCount = uint32(len(app.Layers)), uint32(len(app.Extensions))
	return app
}

// VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR, and the extension that it belongs to.
const (
	portabilityFlag      = 1
	portabilityExtension = "VK_KHR_portability_enumeration"
)

// question is what is asked about a host for a program, until done is called.
func (h *Host) question(p *Program) (q *explain.Question, done func(), err error) {
	switch {
	case h.asked != nil:
		return h.asked, func() {}, nil
	case h.windows != nil:
		q, err = h.windows.question(h, p)
		return q, func() {}, err
	}
	source, done, err := h.source(p)
	if err != nil {
		return nil, nil, err
	}
	return questionOf(source), done, nil
}

// questionOf is what is asked about the program of a source.
func questionOf(source *machine.Source) *explain.Question {
	return &explain.Question{Source: source, Local: source, Machine: &source.Machine, Platform: explain.Platform(source)}
}

// source gives the facts of a host for a program, until done is called.
func (h *Host) source(p *Program) (s *machine.Source, done func(), err error) {
	switch {
	case h.asked != nil && h.asked.Local != nil:
		return h.asked.Local, func() {}, nil
	case h.asked != nil:
		return nil, nil, fmt.Errorf("%s: %w", h, ErrUnsupported)
	case !slices.Contains([]int{0, 32, 64}, p.Bits):
		return nil, nil, fmt.Errorf("program of %d bits: %w", p.Bits, ErrUnsupported)
	}
	m, done, err := h.machine(p.Env)
	if err != nil {
		return nil, nil, err
	}
	s = &machine.Source{Machine: *m, Elevated: p.Elevated, Class: p.Bits}
	p.Loader.on(s)
	if p.Path != "" {
		info, err := m.Stat(p.Path)
		if err == nil && info.IsDir() {
			err = &fs.PathError{Op: "open", Path: p.Path, Err: fs.ErrInvalid}
		}
		if err == nil { // a loader knows its program without links (GEN-13)
			s.Program, err = m.Real(p.Path)
		}
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("program: %w", err)
		}
		if s.Class == 0 {
			s.Class = binary.ProgramOf(m, s.Program).Class
		}
	}
	return s, done, nil
}
