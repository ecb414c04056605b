package discover

import (
	"context"
	"fmt"
	"strconv"

	"vkloader/internal/core/plan"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/explain"
)

// Driver is a driver manifest that was found.
type Driver struct {
	Name     string // of the manifest, without its directory
	Manifest string
	Library  string // as the manifest names it: a path, or a name for the dynamic linker; "" of one that is not used
	Used     bool
	Order    int // in which drivers are opened, from 1; 0: not used
	Reason   Reason

	program Program // that it was decided for
}

// Layer is a layer that was found.
type Layer struct {
	Name     string
	Manifest string
	Library  string // "" of a meta-layer, and of one that is not used
	Used     bool
	Order    int  // from the program down, from 1; 0: not used
	Meta     bool // it stands for other layers
	NameOnly bool // it is active, but a later one of its name is in the chain
	Reason   Reason
}

// Answer is what a program gets.
type Answer struct {
	Program string   // that it is for; "": none in particular
	Drivers []Driver // those that are used, in the order in which they are opened; then the others
	Layers  []Layer  // those that are used, from the program down; then the others

	lists [2]List // of drivers and of layers
}

// Decide makes the library's decision for a program that creates an instance.
//
// Where the program gets no driver, the error is [ErrNoDriver], and the answer is complete nevertheless: it says of each
// driver why it is left out. With any other error the answer is nil. A driver service is not asked.
func Decide(ctx context.Context, host *Host, program Program) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if host.windows != nil {
		return host.windows.decide(ctx, host, program)
	}
	source, done, err := host.source(&program)
	if err != nil {
		return nil, err
	}
	defer done()
	made, err := decision.AskOn(decision.Platform(source), program.app(), guarded{source, ctx})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEndless, err)
	}
	return answerOf(program, made, explain.KeptOut(source, made))
}

// answerOf is a decision in the words of this package; left are items that the decision itself does not name.
func answerOf(program Program, made *plan.Answer, left []explain.Item) (*Answer, error) {
	in, out := explain.Of(made)
	a := &Answer{Program: program.Path, lists: [2]List{listOf("drivers", explain.Drivers, made), listOf("layers", explain.Layers, made)}}
	for _, list := range [][]explain.Item{in, out, left} {
		for i := range list {
			a.add(&list[i])
		}
	}
	for i := range a.Drivers {
		a.Drivers[i].program = program
	}
	return a, a.none()
}

// none is ErrNoDriver where no driver is used.
func (a *Answer) none() error {
	for i := range a.Drivers {
		if a.Drivers[i].Used {
			return nil
		}
	}
	if len(a.Drivers) == 0 {
		return fmt.Errorf("%w: no manifest was found", ErrNoDriver)
	}
	first := &a.Drivers[0]
	more := ""
	if n := len(a.Drivers) - 1; n > 0 {
		more = "; and " + strconv.Itoa(n) + " more"
	}
	return fmt.Errorf("%w: %s: %s%s", ErrNoDriver, first.Name, first.Reason.Text, more)
}

// place is a file with line and column before a text.
func place(file string, line, column int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	}
	return fmt.Sprintf("%s:%d:%d: ", file, line, column)
}
