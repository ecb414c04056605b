package discover

import (
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
)

// ListEntry is one remark of a decision: about something found, a variable, or a name.
type ListEntry struct {
	// the name of a layer, the manifest's file name of a driver, or a variable
	Subject  string `json:"subject"`
	Path     string `json:"path,omitempty"`   // the manifest; "": it is not about a file
	Line     int    `json:"line,omitempty"`   // in the manifest, from 1; 0: the whole file
	Column   int    `json:"column,omitempty"` // in the line, from 1
	In       bool   `json:"in"`               // a program gets it
	Code     Code   `json:"code"`             // the kind of remark
	Severity string `json:"severity"`         // note, warning or problem
	// the ID of the statement in the specification of this module, such as LAY-144
	Statement string `json:"statement"`
	Why       string `json:"why"` // one English sentence

	Standing // of the driver or layer
}

// Place is a location that was searched.
type Place struct {
	Path string `json:"path"` // a directory, or a manifest
	From string `json:"from"` // the variable that names it, or "default"
}

// List is every remark of a decision about drivers, or about layers.
type List struct {
	Schema int         `json:"schema"`           // number of the schema
	Kind   string      `json:"kind"`             // "drivers" or "layers"
	Loader *Loader     `json:"loader,omitempty"` // the loader of the Program
	Found  []ListEntry `json:"found"`            // in the order in which the decision made them
	Places []Place     `json:"places"`           // in the order in which they were searched
}

// DriverList returns every remark about drivers.
func (a *Answer) DriverList() List { return a.lists[0] }

// LayerList returns every remark about layers.
func (a *Answer) LayerList() List { return a.lists[1] }

func listOf(name string, loader *Loader, kind explain.Kind, made *decide.Made) List {
	list := List{Schema: Schema, Kind: name, Loader: loader, Found: []ListEntry{}, Places: []Place{}}
	for _, p := range kind.Places(made.Plan) {
		list.Places = append(list.Places, Place(p))
	}
	for _, f := range kind.Findings(made.Plan) {
		entry := f.Code.Entry()
		found := ListEntry{Subject: f.Subject, Path: f.Path, Line: f.Line, Column: f.Column, In: kind.Chosen(&f),
			Code: Code(entry.Name), Severity: entry.Severity.String(), Statement: entry.Statement, Why: f.What}
		if made.Standings != nil {
			found.Severity = made.Standings.Severity(&f).String()
		}
		if made.Standings != nil && f.Path != "" {
			found.Standing = standingOf(made.Standings.Standing(kind.Key(&f)))
		}
		list.Found = append(list.Found, found)
	}
	return list
}
