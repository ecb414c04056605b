package discover

import (
	"context"
	"fmt"
	"strconv"

	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
)

// Driver is a driver manifest that was found.
type Driver struct {
	Name     string   // file name of the manifest
	Manifest string   // its file
	Library  string   // as in the manifest: a path, or a name for the dynamic linker; "" if the driver is not used
	Used     bool     // a program gets the driver
	Order    int      // place in the order of opening, from 1; 0: not used
	Reason   Reason   // why it is used, or not
	Standing Standing // how far the driver gets on its way into a program, judged by its files

	program *decide.Program // of the decision; nil: there was none
}

// Layer is a layer that was found.
type Layer struct {
	Name     string   // as VK_LAYER_MESA_overlay
	Manifest string   // its file
	Library  string   // "" if it is a meta-layer
	Used     bool     // a program gets the layer
	Order    int      // place from the program down, from 1; 0: not used
	Meta     bool     // a meta-layer: it has no library, and activates other layers
	NameOnly bool     // its name is active, but another layer of this name is in the chain
	Reason   Reason   // why it is used, or not
	Standing Standing // how far the layer gets on its way into a program, judged by its files

	program   *decide.Program // of the decision; nil: there was none
	functions [2]string       // the library's negotiation function and vkGetInstanceProcAddr, if they have other names
}

// UnspecifiedOrder lists layers whose order depends on the order of their manifests in a directory. It may change when
// files change.
type UnspecifiedOrder struct {
	Directory string   `json:"directory"` // of the manifests
	Layers    []string `json:"layers"`    // in their present order
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

// Decide makes the library's decision for a program that creates an instance.
//
// If the program gets no driver, the error is [ErrNoDriver]. The answer is complete even then, with the reason for each
// driver that is left out. With any other error the answer is nil. Decide asks no driver service. It assumes that the
// program gets the loader of this module, unless [Program].Loader names another one.
func Decide(ctx context.Context, host *Host, program Program) (*Answer, error) {
	subject := program.subject()
	made, err := host.machine().Decide(contextOr(ctx), subject)
	if err != nil {
		return nil, err
	}
	program.Path = subject.Path
	a := answerOf(&program, subject, made)
	return a, a.driverError()
}

// answerOf converts a decision to an Answer.
func answerOf(program *Program, subject *decide.Program, made *decide.Made) *Answer {
	a := &Answer{Program: program.Path, Loader: program.Loader,
		lists: [2]List{listOf("drivers", program.Loader, explain.Drivers, made),
			listOf("layers", program.Loader, explain.Layers, made)}}
	for _, list := range [][]explain.Item{made.In, made.Out} {
		for i := range list {
			a.add(&list[i])
		}
	}
	for i := range a.Drivers {
		a.Drivers[i].program = subject
	}
	for i := range a.Layers {
		a.Layers[i].program = subject
		if l := explain.Layer(made.Plan, a.Layers[i].Name, a.Layers[i].Manifest); l != nil {
			a.Layers[i].functions = [2]string{l.Negotiate, l.GetInstance}
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
		a.Layers = append(a.Layers,
			Layer{Name: e.Name, Manifest: e.Manifest, Library: e.Library, Used: e.Order > 0, Order: e.Order,
				Meta: e.Meta, NameOnly: e.NameOnly, Reason: reasonOf(e), Standing: standingOf(e.Standing)})
		return
	}
	a.Drivers = append(a.Drivers,
		Driver{Name: e.Name, Manifest: e.Manifest, Library: e.Library, Used: e.Order > 0, Order: e.Order,
			Reason: reasonOf(e), Standing: standingOf(e.Standing)})
}

// reasonOf returns the reason of a driver or layer of an explained decision.
func reasonOf(e *explain.Item) Reason {
	return Reason{Code: Code(e.Code), Text: e.Why, Statement: e.Statement, File: e.Manifest, Line: e.Line,
		Column: e.Column}
}

// driverError returns ErrNoDriver if no driver is used.
func (a *Answer) driverError() error {
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
