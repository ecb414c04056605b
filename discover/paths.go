package discover

import (
	"context"
)

// Searched is a place where drivers, layers or settings are looked for.
type Searched struct {
	For   string `json:"for"`   // "drivers", "implicit layers", "explicit layers" or "settings"
	Order int    `json:"order"` // among those for the same, from 1; 0: it is not searched
	// a directory, a manifest, a settings file, or the socket of a driver service
	Path      string   `json:"path"`
	Real      string   `json:"real,omitempty"` // the path without symbolic links
	From      string   `json:"from"`           // the variable that names it, or "default"
	Exists    bool     `json:"exists"`         // it is there
	Manifests []string `json:"manifests"`      // names in the order in which they are read
	Note      string   `json:"note,omitempty"` // what else there is to know: one clause
}

// PathList are all places of a search, in order.
type PathList struct {
	Schema int        `json:"schema"` // number of the schema
	Kind   string     `json:"kind"`   // "paths"
	Places []Searched `json:"places"` // in the order of the search
}

// Paths lists where drivers, layers and settings are looked for, also places that do not exist. Programs need it to
// install manifests, to bind them into a sandbox, or to wait for new ones.
func Paths(ctx context.Context, host *Host, program Program) (*PathList, error) {
	places, err := host.machine().Paths(contextOr(ctx), program.subject())
	if err != nil {
		return nil, err
	}
	list := &PathList{Schema: Schema, Kind: "paths", Places: []Searched{}}
	for i := range places {
		list.Places = append(list.Places, Searched(places[i]))
	}
	return list, nil
}
