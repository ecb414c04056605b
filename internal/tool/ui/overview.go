package ui

import (
	"runtime"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/fix"
)

// overviewPage is the overview by files only. overviewStart also tries drivers and layers.
var (
	overviewPage = &Page{Name: "overview", Title: "Overview",
		Data: func(r *Request) (any, error) { return overviewOf(r, "--no-probe") }}
	overviewStart = &Page{Name: "overview", Title: "Trying drivers and layers",
		Data: func(r *Request) (any, error) { return overviewOf(r) }}
)

// overview is the data of the command line's first screen, with every finding.
type overview struct {
	Report   *doctor.Report
	Loader   string
	Other    string
	In       []explain.Item
	Findings []findingRow
	Notes    int  // the number of notes, which only ?notes shows
	Here     bool // drivers and layers can be tried
	Unseen   bool // the kernel's list of devices is missing
}

// Good reports whether no problem was found and the trial worked.
func (o *overview) Good() bool { return o.Report.Works && !o.Report.Has(diag.Problem) }

// findingRow is a finding with its fix.
type findingRow struct {
	doctor.Finding
	Fix string // the command line of the step of "doctor --fix"; "": none
}

// overviewOf returns the command line's first screen, run with further options.
func overviewOf(r *Request, options ...string) (any, error) {
	ran := r.Tool.Run(r, append([]string{"--json"}, options...)...)
	report, ok := ran.Value.(*doctor.Report)
	if !ok {
		return nil, ran.Failed()
	}
	m := r.Tool.Machine()
	view := &overview{Here: !m.Foreign(), Unseen: runtime.GOOS == "linux" && len(m.Names("/sys")) == 0, Report: report,
		Loader: loaders.Line(report.Loader, "")}
	if report.Other != nil {
		view.Other = report.Other.Line()
	}
	view.In, _ = explain.Of(report.Answer)
	for _, f := range report.Findings {
		switch {
		case f.Shown() || f.Because == nil && r.Query.Has("notes"):
			shown := findingRow{Finding: f}
			if change, is := f.Change(); is && f.Severity != diag.Note && fix.Edits(&m, change) != nil {
				shown.Fix = string(change.Line())
			}
			view.Findings = append(view.Findings, shown)
		case f.Severity == diag.Note:
			view.Notes++
		}
	}
	return view, nil
}
