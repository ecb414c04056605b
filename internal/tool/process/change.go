package process

import (
	"time"

	"vkloader/internal/tool/machine"
)

// Change is what became of a file since a process mapped it.
type Change string

// Changes.
const (
	Same     Change = ""
	Gone     Change = "gone"     // nothing has its name any more
	Replaced Change = "replaced" // another file has its name
	Written  Change = "written"  // it was written to since the process began
)

// coarse is how far off a process's beginning may be: the kernel tells the time of its own start in whole seconds.
const coarse = 3 * time.Second

// Change compares a mapped file with what has its name now.
func (p *Process) Change(m *Mapping) Change {
	info, err := p.Machine.Stat(m.Path)
	switch {
	case err != nil && m.Deleted:
		return Gone
	case err != nil:
		return Same // it cannot be looked at
	case m.Deleted:
		return Replaced
	case p.Started.IsZero():
		return Same
	}
	begun := p.Started.Add(coarse)
	numbers, ok := machine.NumbersOf(info)
	// File systems in layers show other numbers in maps than stat does: only what also changed since then counts.
	if ok && numbers.Inode != m.inode && m.inode != 0 && numbers.Changed > begun.Unix() {
		return Replaced
	}
	if info.ModTime().After(begun) && ok && numbers.Inode == m.inode {
		return Written
	}
	return Same
}
