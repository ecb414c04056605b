package explain

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
)

// Row is one thing found, and why it is in or out.
type Row struct {
	Subject   string `json:"subject"`
	Path      string `json:"path,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	In        bool   `json:"in"`
	Code      string `json:"code"`
	Severity  string `json:"severity"`
	Statement string `json:"statement"`
	Why       string `json:"why"`
	Do        string `json:"do,omitempty"`
}

// Kind says which findings of a plan are about one kind of what can be loaded.
type Kind struct {
	One      string // in words
	in       diag.Code
	prefixes []string // of codes
	searches []search.Kind
}

// Kinds of what can be loaded.
var (
	Drivers = Kind{"driver", diag.DriverUsed, []string{"driver-"}, []search.Kind{search.Drivers}}
	Layers  = Kind{"layer", diag.LayerActive, []string{"layer-", "meta-", "override-"},
		[]search.Kind{search.ImplicitLayers, search.ExplicitLayers}}
)

// Rows picks the findings of the kind.
func (k Kind) Rows(answer *plan.Answer) []Row {
	rows := []Row{}
	for _, f := range answer.Findings {
		entry := f.Code.Entry()
		mine := slices.ContainsFunc(k.prefixes, func(p string) bool { return strings.HasPrefix(entry.Name, p) })
		general := strings.HasPrefix(entry.Name, "file-") || strings.HasPrefix(entry.Name, "manifest-")
		if !mine && !(general && k.searched(answer, f.Path)) {
			continue
		}
		rows = append(rows, Row{
			Subject: f.Subject, Path: f.Path, Line: f.Line, Column: f.Column, In: f.Code == k.in, Code: entry.Name,
			Severity: entry.Severity.String(), Statement: entry.Statement, Why: f.What, Do: entry.Do,
		})
	}
	return rows
}

// searched tells whether a file is in a place where this kind is looked for.
func (k Kind) searched(answer *plan.Answer, path string) bool {
	for _, kind := range k.searches {
		for _, where := range answer.Searched[kind].List {
			if path == where.Path || search.Folder(path) == strings.TrimRight(where.Path, "/")+"/" {
				return true
			}
		}
	}
	return false
}

// Place is a location that was searched, and by whose word.
type Place struct {
	Path string `json:"path"`
	From string `json:"from"`
}

// Places are the locations that were searched for the kind.
func (k Kind) Places(answer *plan.Answer) []Place {
	places := []Place{}
	for _, kind := range k.searches {
		for _, where := range answer.Searched[kind].List {
			places = append(places, Place{where.Path, where.From})
		}
	}
	return places
}
