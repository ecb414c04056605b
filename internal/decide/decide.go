package decide

import (
	"context"
	"fmt"
	"strconv"

	"vkloader/internal/core/plan"
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
	Standing Standing // how far the driver gets on its way into a program, judged by its files

	program Program // the decision's program
}

// Layer is a layer that was found.
type Layer struct {
	Name     string
	Manifest string
	Library  string // "" if it is a meta-layer
	Used     bool
	Order    int  // place from the program down, from 1; 0: not used
	Meta     bool // a meta-layer: it has no library, and activates other layers
	NameOnly bool // its name is active, but another layer of this name is in the chain
	Reason   Reason
	Standing Standing // how far the layer gets on its way into a program, judged by its files

	program   *Program  // the decision's program; nil: there was no decision
	functions [2]string // the library's negotiation function and vkGetInstanceProcAddr, if they have other names
}

// UnspecifiedOrder lists layers whose order depends on the order of their manifests in a directory. It may change when files change.
type UnspecifiedOrder struct {
	Directory string   `json:"directory"`
	Layers    []string `json:"layers"` // in their present order
}

// Answer lists a program's drivers and layers.
type Answer struct {
	Program          string             // the program's path; "": no particular program
	Loader           *Loader            // the loader of the Program
	Drivers          []Driver           // first those that are used, in the order in which they are opened
	Layers           []Layer            // first those that are used, from the program down
	UnspecifiedOrder []UnspecifiedOrder // layers whose order no rule defines

	lists [2]List // of drivers and of layers
}

// Decide makes the library's decision for a program that creates an instance; see discover.Decide.
func (h *Host) Decide(ctx context.Context, program Program) (*Answer, error) {
	q, done, err := h.question(ctx, &program)
	if err != nil {
		return nil, err
	}
	defer done()
	made, err := q.decide(ctx, &program)
	if err != nil {
		return nil, err
	}
	a := answerOf(program, made)
	return a, a.none()
}

// Made is the core's decision, with the drivers and layers in the order in which they act.
type Made struct {
	Plan    *plan.Answer
	In, Out []explain.Item // the used drivers and layers, and the others, in the order of the answer

	standings *Standings // nil: another system, or only the plan was asked for
}

// decide makes the decision for a program, with its explanation.
func (q *question) decide(ctx context.Context, program *Program) (*Made, error) {
	return q.until(ctx, func() (*Made, error) {
		m, err := q.planned(ctx, program)
		if err != nil {
			return nil, err
		}
		m.In, m.Out = explain.Of(m.Plan)
		if q.local != nil {
			m.Out = append(m.Out, explain.KeptOut(q.local, m.Plan)...)
			m.standings = StandingsOf(q.local, nil, m.Plan)
			m.standings.only = q.judged
			m.standings.enter(m.In, m.Out)
		}
		return m, nil
	})
}

// plan makes the decision without an explanation.
func (q *question) plan(ctx context.Context, program *Program) (*Made, error) {
	return q.until(ctx, func() (*Made, error) { return q.planned(ctx, program) })
}

// until returns the result of work, or the context's error as soon as the context ends. The core cannot be interrupted, so
// the work then goes on without files until it ends.
func (q *question) until(ctx context.Context, work func() (*Made, error)) (*Made, error) {
	if ctx.Done() == nil {
		return work()
	}
	var m *Made
	var err error
	var panicked any
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { panicked = recover() }()
		m, err = work()
	}()
	select {
	case <-ended:
		if panicked != nil { // the caller's io/fs.FS panicked, and the caller may recover
			panic(panicked)
		}
		return m, err
	case <-ctx.Done():
		q.working = ended
		return nil, ctx.Err()
	}
}

func (q *question) planned(ctx context.Context, program *Program) (m *Made, err error) {
	m = &Made{}
	m.Plan, err = explain.Decide(guarded{q.source, ctx}, explain.WithPlatform(q.platform), program.set)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	return m, nil
}

// answerOf converts a decision to an Answer.
func answerOf(program Program, made *Made) *Answer {
	a := &Answer{Program: program.Path, Loader: program.Loader,
		lists: [2]List{listOf("drivers", program.Loader, explain.Drivers, made), listOf("layers", program.Loader, explain.Layers, made)}}
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
	for _, c := range explain.Unordered(made.Plan) {
		a.UnspecifiedOrder = append(a.UnspecifiedOrder, UnspecifiedOrder(c))
	}
	return a
}

// add appends one driver or layer to the answer.
func (a *Answer) add(e *explain.Item) {
	if e.Kind == layerKind {
		a.Layers = append(a.Layers, layerOf(e))
		return
	}
	a.Drivers = append(a.Drivers, Driver{Name: e.Name, Manifest: e.Manifest, Library: e.Library, Used: e.Order > 0, Order: e.Order, Reason: reasonOf(e), Standing: e.Standing})
}

// layerOf returns a layer of an explained decision.
func layerOf(e *explain.Item) Layer {
	return Layer{Name: e.Name, Manifest: e.Manifest, Library: e.Library, Used: e.Order > 0, Order: e.Order, Meta: e.Meta,
		NameOnly: e.NameOnly, Reason: reasonOf(e), Standing: e.Standing}
}

// reasonOf returns the reason of a driver or layer of an explained decision.
func reasonOf(e *explain.Item) Reason {
	return Reason{Code: Code(e.Code), Text: e.Why, Statement: e.Statement, File: e.Manifest, Line: e.Line, Column: e.Column}
}

// none returns ErrNoDriver if no driver is used.
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

// place returns a file with line and column, as the start of a message.
func place(file string, line, column int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	}
	return fmt.Sprintf("%s:%d:%d: ", file, line, column)
}
