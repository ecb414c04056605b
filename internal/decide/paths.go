package decide

import (
	"context"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
)

// Searched is a place where drivers, layers or settings are looked for.
type Searched struct {
	For       string   `json:"for"`            // "drivers", "implicit layers", "explicit layers" or "settings"
	Order     int      `json:"order"`          // among those for the same, from 1; 0: it is not searched
	Path      string   `json:"path"`           // a directory, a manifest, a settings file, or the socket of a driver service
	Real      string   `json:"real,omitempty"` // the path without symbolic links
	From      string   `json:"from"`           // the variable that names it, or "default"
	Exists    bool     `json:"exists"`
	Manifests []string `json:"manifests"` // names in the order in which they are read
	Note      string   `json:"note,omitempty"`
}

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
	for _, p := range find(m.Plan) {
		list.Places = append(list.Places, Searched(p))
	}
	return list, ctx.Err()
}
