package decide

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
)

// ListEntry is one remark of a decision: about something found, a variable, or a name.
type ListEntry struct {
	Subject   string `json:"subject"`
	Path      string `json:"path,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	In        bool   `json:"in"` // a program gets it
	Code      Code   `json:"code"`
	Severity  string `json:"severity"` // note, warning or problem
	Statement string `json:"statement"`
	Why       string `json:"why"`

	Standing // of the driver or layer
}

// Place is a location that was searched.
type Place = explain.Place

// List is every remark of a decision about drivers, or about layers.
type List struct {
	Schema int         `json:"schema"`
	Kind   string      `json:"kind"` // "drivers" or "layers"
	Loader *Loader     `json:"loader,omitempty"`
	Found  []ListEntry `json:"found"`
	Places []Place     `json:"places"` // in the order in which they were searched
}

// DriverList returns every remark about drivers.
func (a *Answer) DriverList() List { return a.lists[0] }

// LayerList returns every remark about layers.
func (a *Answer) LayerList() List { return a.lists[1] }

func listOf(name string, loader *Loader, kind explain.Kind, made *Made) List {
	rows, places := kind.Rows(made.Plan), kind.Places(made.Plan)
	list := List{Schema: Schema, Kind: name, Loader: loader, Found: make([]ListEntry, len(rows)), Places: places}
	for i := range rows {
		r := &rows[i]
		list.Found[i] = ListEntry{Subject: r.Subject, Path: r.Path, Line: r.Line, Column: r.Column, In: r.In, Code: Code(r.Code.String()),
			Severity: r.Severity.String(), Statement: r.Statement, Why: r.Why}
		if made.standings != nil {
			list.Found[i].Severity = made.standings.Severity(&diag.Diagnostic{Code: r.Code, Subject: r.Subject, Path: r.Path}).String()
		}
		if made.standings != nil && r.Path != "" {
			list.Found[i].Standing = made.standings.Of(r.Key(kind))
		}
	}
	return list
}
