package decide

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// question holds the facts for a decision.
type question struct {
	source   facts.Provider  // of a program
	local    *machine.Source // the same source, if the machine has this system; nil: it has another one
	machine  *machine.Machine
	platform search.Platform
	judged   string // the kind whose files are judged: explain.Drivers.One or explain.Layers.One; "": both
	made     *Made  // the decision; nil: not made yet
}

// errNoHost is the error of a question about no host.
var errNoHost = errors.New("no host: it is nil")

// newQuestion returns the question about the program of a source.
func newQuestion(source *machine.Source) *question {
	return &question{source: source, local: source, machine: &source.Machine, platform: explain.Platform(source)}
}

// isZero reports whether no function made the host.
func (h *Host) isZero() bool { return h == nil || h.name == "" && !h.below }

// question returns the facts of a host for a program, until done is called.
func (h *Host) question(ctx context.Context, p *Program) (q *question, done func(), err error) {
	if !h.isZero() && ctx.Err() == nil && h.asked != nil {
		h.asked.judged = p.Judged
		return h.asked, func() {}, nil
	}
	source, done, err := h.Source(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return newQuestion(source), done, nil
}

// Source returns the facts of a host with this system for a program, until done is called.
func (h *Host) Source(ctx context.Context, p *Program) (s *machine.Source, done func(), err error) {
	switch {
	case h.isZero():
		return nil, nil, errNoHost
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case h.asked != nil && h.asked.local != nil:
		return h.asked.local, func() {}, nil
	case h.asked != nil:
		return nil, nil, fmt.Errorf("%s: %w", h, ErrUnsupported)
	case !slices.Contains([]int{0, 32, 64}, p.Bits):
		return nil, nil, fmt.Errorf("program of %d bits: %w", p.Bits, ErrUnsupported)
	}
	m, done, err := h.Machine(p.Env)
	if err != nil {
		return nil, nil, err
	}
	s = &machine.Source{Machine: *m, Elevated: p.Elevated, Class: p.Bits}
	if p.Loader != nil { // facts as this loader reads them
		p.Loader.On(s)
	}
	if p.Path != "" {
		path, err := h.find(m, p.Path)
		if err == nil { // a loader knows its program without links (GEN-13)
			p.Path = path
			s.Program, err = m.Real(path)
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

// find returns the file of a program on m, the host with the program's variables.
func (h *Host) find(m *machine.Machine, path string) (string, error) {
	searched := *m
	if _, set := m.Lookup("PATH"); !set {
		searched.Environ = h.variables()
	}
	file, err := searched.FindProgram(path)
	if err != nil {
		return "", &fs.PathError{Op: "find in PATH", Path: path, Err: fs.ErrNotExist}
	}
	info, err := m.Stat(file)
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "open", Path: file, Err: fs.ErrInvalid}
	}
	return file, err
}
