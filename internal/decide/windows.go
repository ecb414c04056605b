package decide

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/systems"
)

// windowsCopy is a copy of a machine with Windows.
type windowsCopy struct {
	keys  *systems.Registry
	files fs.FS
	wrong error // a line of the registry that is not understood
}

// Windows returns a copy of a machine with Windows; see discover.Windows.
func Windows(files fs.FS, registry ...[]byte) *Host {
	w := &windowsCopy{keys: &systems.Registry{}, files: files}
	for i, text := range registry {
		for _, p := range w.keys.Read("registry "+strconv.Itoa(i+1), bytes.Clone(text)) {
			if w.wrong == nil {
				w.wrong = fmt.Errorf("%s", p)
			}
		}
	}
	return &Host{name: "a copy of Windows", windows: w}
}

// question returns the question about the copy for a program.
func (w *windowsCopy) question(host *Host, program *Program) (*question, error) {
	if w.wrong != nil {
		return nil, w.wrong
	}
	if !slices.Contains([]int{0, 32, 64}, program.Bits) {
		return nil, fmt.Errorf("program of %d bits: %w", program.Bits, ErrUnsupported)
	}
	system, _ := systems.Find("windows")
	s := &systems.Foreign{System: system, Keys: w.keys, Bits: "64", Elevated: program.Elevated, Program: program.Path,
		Machine: machine.Machine{Environ: program.Env}}
	if program.Env == nil {
		s.Machine.Environ = host.environ
	}
	if w.files != nil {
		s.Machine.Tree, s.Machine.Root = filesTree{w.files}, host.name
	}
	if program.Bits == 32 {
		s.Bits = "32"
	}
	return &question{source: s, machine: &s.Machine, platform: system.Platform(s.Bits)}, nil
}
