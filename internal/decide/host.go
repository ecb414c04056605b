package decide

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/machine"
)

// Host is a machine: its files, and the variables of programs whose [Program].Env is nil. discover.Host is this type.
type Host struct {
	name    string
	below   bool         // it is the file system below a directory
	root    string       // that directory
	tree    machine.Tree // in place of a directory
	environ []string
	asked   *question // the tool's question, which has facts beyond the machine's files
}

// HostOf returns the machine of a source as a host. Questions are about the source's program; only the first one
// decides.
func HostOf(source *machine.Source) *Host {
	return &Host{name: cmp.Or(source.Root, "this machine"), asked: newQuestion(source)}
}

// ForeignHost is HostOf for a machine with another system.
func ForeignHost(platform search.Platform, source facts.Provider, m *machine.Machine) *Host {
	return &Host{name: cmp.Or(m.Root, "this machine"), asked: &question{source: source, machine: m, platform: platform}}
}

// Local returns the running system. A program has the variables of this process.
func Local() *Host { return &Host{name: "this machine"} }

// Root returns the file system below a directory; see discover.Root.
func Root(directory string) *Host { return &Host{name: directory, below: true, root: directory} }

// Files returns a host with the files of an fs.FS; see discover.Files.
func Files(files fs.FS) *Host {
	if files == nil {
		files = noFiles{}
	}
	return &Host{name: fmt.Sprintf("%T", files), tree: filesTree{files}}
}

// noFiles is the file system of a host without files.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// WithEnv returns the host with other variables for programs whose [Program].Env is nil.
func (h *Host) WithEnv(variables ...string) *Host {
	other := *h
	other.environ = slices.Clone(variables)
	if other.environ == nil {
		other.environ = []string{}
	}
	return &other
}

// String returns the name of the host in messages.
func (h *Host) String() string { return h.name }

// local reports whether it is the running system.
func (h *Host) local() bool { return !h.below && h.tree == nil }

// variables returns the variables of a program that names none.
func (h *Host) variables() []string {
	if h.environ == nil && h.local() {
		return os.Environ()
	}
	return h.environ
}

// Machine returns the host with a program's variables; nil: the host's. done closes its files.
func (h *Host) Machine(variables []string) (m *machine.Machine, done func(), err error) {
	if h.asked != nil {
		return h.asked.machine, func() {}, nil
	}
	if variables == nil {
		variables = h.variables()
	}
	m, done = &machine.Machine{Tree: h.tree, Environ: variables}, func() {}
	switch {
	case h.tree != nil:
		m.Root = h.name
	case h.below:
		if m.Opened, err = machine.OpenRoot(h.root); err != nil {
			return nil, nil, fmt.Errorf("host: %w", err)
		}
		m.Root, done = h.root, func() { _ = m.Opened.Close() }
	}
	return m, done, nil
}
