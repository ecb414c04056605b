package explain

import (
	"io/fs"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/machine"
)

// Question is for one caller at a time.
type Question struct {
	Source   facts.Source    // of a program
	Local    *machine.Source // the same, of a machine with this system; nil: it has another one
	Machine  *machine.Machine
	Platform search.Platform

	Only bool // the decision is wanted, and not the words of the answer
	Made Made // of the last answer
}

// Made is what an answer was made of.
type Made struct {
	Plan    *plan.Answer
	Compute *plan.Answer // for a program that shows nothing, where the settings have a policy for these; nil: they have none
	In, Out []Item       // in the order of the answer
}

// Open opens a file of the machine.
func (q *Question) Open(name string) (fs.File, error) { return q.Machine.Open("/" + name) }
