package discover

import (
	"context"
	"fmt"
	"strconv"

	"vkloader/internal/decide/explain"
)

// Driver is a driver manifest that was found.
type Driver struct {
	Name     string // file name of the manifest
	Manifest string
	Library  string // as in the manifest: a path, or a name for the dynamic linker; "" if the driver is not used
	Used     bool
	Order    int // place in the order of opening, from 1; 0: not used
	Reason   Reason

	program Program // that it was decided for
}

// Layer is a layer that was found.
type Layer struct {
	Name     string
	Manifest string
	Library  string // "" if it is a meta-layer, or not used
	Used     bool
	Order    int  // place from the program down, from 1; 0: not used
	Meta     bool // it has no library, and stands for other layers
	NameOnly bool // its name is active, but another layer of this name is in the chain
	Reason   Reason

	program   *Program  // that it was decided for; nil: of no decision
	functions [2]string // of its library, where they have other names: to negotiate, and vkGetInstanceProcAddr
}

// Chance lists layers whose order is that in which the file system lists their manifests. It may change when files change.
type Chance struct {
	Directory string   `json:"directory"`
	Layers    []string `json:"layers"` // in their present order
}

// Answer is what a program gets.
type Answer struct {
	Program string   // the program's path; "": no particular program
	Loader  *Loader  // the loader of the Program
	Drivers []Driver // first those that are used, in the order in which they are opened
	Layers  []Layer  // first those that are used, from the program down
	Compute []Layer  // those that a Headless program would not get, by the settings; none if the Program is Headless
	Chance  []Chance // layers whose order no rule defines

	lists [2]List // of drivers and of layers
}

// Decide makes the library's decision for a program that creates an instance.
//
// If the program gets no driver, the error is [ErrNoDriver]. The answer is complete even then, with the reason for each driver
// that is left out. With any other error the answer is nil. Decide asks no driver service. It assumes that the program gets
// the loader of this module, unless [Program].Loader names another one.
func Decide(ctx context.Context, host *Host, program Program) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q, done, err := host.question(&program)
	if err != nil {
		return nil, err
	}
	defer done()
	made, err := decided(ctx, q, &program)
	if err != nil {
		return nil, err
	}
	if host.asked != nil {
		host.asked.Made = *made
	}
	if q.Only {
		return &Answer{}, nil
	}
	a := answerOf(program, made)
	return a, a.none()
}

// decided makes the decision.
func decided(ctx context.Context, q *explain.Question, program *Program) (m *explain.Made, err error) {
	m = &explain.Made{}
	from, app := guarded{q.Source, ctx}, program.app()
	if program.Headless || len(program.Extensions) > 0 {
		m.Plan, err = explain.DecideOn(q.Platform, app, from)
	} else {
		m.Plan, m.Compute, err = explain.DecideShowing(q.Platform, app, from)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrEndless, err)
	}
	if q.Only {
		return m, nil
	}
	m.In, m.Out = explain.Of(m.Plan)
	if q.Local != nil {
		m.Out = append(m.Out, explain.KeptOut(q.Local, m.Plan)...)
	}
	return m, nil
}

// answerOf is a decision in the words of this package.
func answerOf(program Program, made *explain.Made) *Answer {
	a := &Answer{Program: program.Path, Loader: program.Loader,
		lists: [2]List{listOf("drivers", program.Loader, explain.Drivers, made.Plan), listOf("layers", program.Loader, explain.Layers, made.Plan)}}
	for _, list := range [][]explain.Item{made.In, made.Out} {
		for i := range list {
			a.add(&list[i])
		}
	}
	for i := range a.Drivers {
		a.Drivers[i].program = program
	}
	for i := range a.Layers {
		a.Layers[i].program = &program
		for _, l := range made.Plan.Layers {
			if l.Name == a.Layers[i].Name && l.Manifest == a.Layers[i].Manifest {
				a.Layers[i].functions = [2]string{l.Negotiate, l.GetInstance}
			}
		}
	}
	left := explain.WithoutOverlays(made.Compute)
	for i := range left {
		a.Compute = append(a.Compute, layerOf(&left[i]))
	}
	for _, c := range explain.ByChance(made.Plan) {
		a.Chance = append(a.Chance, Chance(c))
	}
	return a
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
