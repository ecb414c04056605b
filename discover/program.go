package discover

import (
	"fmt"
	"io/fs"
	"slices"

	"vkloader/internal/core/plan"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/machine"
)

// Program is what a decision is made for.
type Program struct {
	Path     string   // of its file on the host; "": the calling program, or on another host one that nothing names
	Env      []string // NAME=VALUE; nil: the variables of the host
	Elevated bool     // it has more rights than its user, and does not see most variables
	Bits     int      // word size, 32 or 64; 0: as its file says, or 64

	Layers     []string // that it enables in vkCreateInstance
	Extensions []string // instance extensions that it enables
}

// app is what the program gives to vkCreateInstance.
func (p *Program) app() plan.App {
	names := func(list []string) (out []plan.Name) {
		for _, name := range list {
			out = append(out, plan.Name{Text: name, Set: true})
		}
		return out
	}
	return plan.App{LayerCount: uint32(len(p.Layers)), ExtensionCount: uint32(len(p.Extensions)),
		Layers: names(p.Layers), Extensions: names(p.Extensions)}
}

// source gives the facts of a host for a program, until done is called.
func (h *Host) source(p *Program) (s *machine.Source, done func(), err error) {
	if !slices.Contains([]int{0, 32, 64}, p.Bits) {
		return nil, nil, fmt.Errorf("program of %d bits: %w", p.Bits, ErrUnsupported)
	}
	m, done, err := h.machine(p.Env)
	if err != nil {
		return nil, nil, err
	}
	s = &machine.Source{Machine: *m, Elevated: p.Elevated, Class: p.Bits}
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
