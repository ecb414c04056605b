package decide

import (
	"context"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
)

// Program is the subject of a decision.
type Program struct {
	Path     string          // its file on the host, or a name to look up in PATH; "": none. A question resolves it
	Env      []string        // NAME=VALUE; nil: the variables of the host
	Elevated bool            // the program has more rights than its user
	Bits     int             // word size, 32 or 64; 0: as its file says, or 64
	Loader   *loaders.Loader // nil: the loader of this module
	Create   explain.Option  // its arguments to vkCreateInstance; nil: no layer and no extension
	Judged   string          // the kind whose files are examined: explain.Drivers.One or explain.Layers.One; "": both
}

// Made is the core's decision, with the drivers and layers in the order in which they act.
type Made struct {
	Plan      *plan.Answer
	In, Out   []explain.Item // the used drivers and layers, and the others, in the order of the answer
	Standings *Standings     // nil: another system, or only the plan was asked for
}

// Explain returns the decision for a source's program, which enables no layer and no extension and shows pictures on a
// screen, with a reason for each driver and layer.
func Explain(source *machine.Source) (*Made, error) {
	return HostOf(source).Decide(context.Background(), &Program{})
}

// Decide makes the library's decision for a program that creates an instance.
func (h *Host) Decide(ctx context.Context, program *Program) (*Made, error) {
	q, done, err := h.question(ctx, program)
	if err != nil {
		return nil, err
	}
	defer done()
	if q.made == nil {
		q.made, err = q.decide(ctx, program)
	}
	return q.made, err
}

// decide makes the decision for a program, with its explanation.
func (q *question) decide(ctx context.Context, program *Program) (*Made, error) {
	m, err := q.plan(ctx, program)
	if err != nil {
		return nil, err
	}
	m.In, m.Out = explain.Of(m.Plan)
	if q.local != nil {
		m.Out = append(append(m.Out, explain.KeptOut(q.local, m.Plan)...), explain.Brought(q.local, m.Plan)...)
		m.Standings = StandingsOf(q.local, nil, m.Plan)
		m.Standings.only = q.judged
		m.Standings.setStandings(m.In, m.Out)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return m, nil
}

// plan makes the decision without an explanation. The core cannot be interrupted: once the context ends, it finds no
// files and ends soon.
func (q *question) plan(ctx context.Context, program *Program) (m *Made, err error) {
	m = &Made{}
	m.Plan, err = explain.Decide(guarded{q.source, ctx}, explain.WithPlatform(q.platform), program.Create)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	return m, nil
}

// Paths lists where drivers, layers and settings are looked for, also where nothing is there.
func (h *Host) Paths(ctx context.Context, program *Program) ([]explain.Searched, error) {
	q, done, err := h.question(ctx, program)
	if err != nil {
		return nil, err
	}
	defer done()
	m, err := q.plan(ctx, program)
	if err != nil {
		return nil, err
	}
	if q.local != nil {
		return explain.Paths(m.Plan, q.local), ctx.Err()
	}
	return explain.PathsOn(&q.platform, m.Plan, guarded{q.source, ctx}), ctx.Err()
}
