package decide

import (
	"context"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
)

// Searched is a place where drivers, layers or settings are looked for.
type Searched = explain.Searched

// PathList are all places of a search, in order.
type PathList struct {
	Schema int        `json:"schema"`
	Kind   string     `json:"kind"` // "paths"
	Places []Searched `json:"places"`
}

// Paths lists where drivers, layers and settings are looked for, also where nothing is there.
func (h *Host) Paths(ctx context.Context, program Program) (*PathList, error) {
	q, done, err := h.question(ctx, &program)
	if err != nil {
		return nil, err
	}
	defer done()
	return q.paths(ctx, &program)
}

// paths lists the places of a decision.
func (q *question) paths(ctx context.Context, program *Program) (*PathList, error) {
	m, err := q.plan(ctx, program)
	if err != nil {
		return nil, err
	}
	list := &PathList{Schema: Schema, Kind: "paths", Places: []Searched{}}
	find := func(answer *plan.Answer) []explain.Searched {
		return explain.PathsOn(&q.platform, answer, guarded{q.source, ctx})
	}
	if q.local != nil {
		find = func(answer *plan.Answer) []explain.Searched { return explain.Paths(answer, q.local) }
	}
	list.Places = append(list.Places, find(m.Plan)...)
	return list, ctx.Err()
}
