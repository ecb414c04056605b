package cli

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// section is a part of the doctor's report, with a table.
type section struct {
	title    string
	lines    []string // before the table
	headings []string
	extra    int // the column that only reports for a bug tracker have; 0: none
	rows     [][]string
	none     string   // in place of an empty table
	after    []string // lines after the table
}

// sectionsOf returns the sections of a report. devices means that the report has devices.
func sectionsOf(r *doctor.Report, devices bool) (list []section) {
	if devices {
		list = append(list, section{title: "Kernel devices", none: "none", extra: 1,
			headings: []string{"device", "address", "kernel driver", "nodes", "Vulkan drivers"},
			rows: term.Words(r.GPUs, func(g doctor.GPU) []string {
				return []string{g.Title(), g.Address(), term.Or(g.Kernel, "none"),
					term.Or(strings.Join(g.Nodes, " "), "none"), term.Or(baseNames(g.Drivers), "none")}
			})})
	}
	if devices || len(r.Loaders) > 0 {
		list = append(list, loadersSection(r))
	}
	for _, kind := range []struct {
		title   string
		modules []doctor.Entry
	}{{"Drivers", r.Drivers}, {"Layers", r.Layers}} {
		list = append(list, section{title: kind.title, none: "none", extra: 2,
			headings: []string{"state", "name", "manifest", "library", "stage"},
			rows: term.Words(kind.modules, func(m doctor.Entry) []string {
				return []string{stateOf(&m), m.Name, m.Manifest, term.Or(m.File, m.Library),
					term.Either(m.Brought, "the program chooses it itself", m.Standing.String())}
			})})
	}
	if len(r.Probes) == 0 {
		return list
	}
	probes := section{title: "Tried in child processes", headings: []string{"trial", "name", ">time", "result"}}
	if choice := deviceChoice(r); r.Program != "" && choice != "" {
		probes.after = append(probes.after, "To choose  "+choice)
	}
	if r.Program != "" && r.Works && !r.Has(diag.Problem) {
		probes.after = append(probes.after,
			"If it fails  vkloader run --find-culprit "+string(shell.Quoted(r.Program)))
	}
	for _, p := range r.Probes {
		probes.rows = append(probes.rows, []string{string(p.Result), p.Name, term.Microseconds(p.Millis * 1000),
			term.Or(p.Detail, strings.Join(p.Devices, ", "))})
		for _, line := range p.Wrote {
			probes.after = append(probes.after, p.Name+" wrote  "+line)
		}
	}
	return append(list, probes)
}

// loadersSection returns the loaders, the default one first.
func loadersSection(r *doctor.Report) section {
	all := section{title: "Loaders", headings: []string{"", "file", "Vulkan", ""},
		none: "none found by the dynamic linker"}
	if r.Loader != nil {
		all.lines = append(all.lines, loaders.Line(r.Loader, r.Program))
	} else if r.Static != loaders.NotStatic {
		all.lines = append(all.lines, r.Static.Line(r.Program))
	}
	if r.Other != nil {
		all.lines = append(all.lines, r.Other.Line())
	}
	for _, l := range r.Loaders {
		all.rows = append(all.rows, []string{term.Either(l.First, "first", ""), l.File, term.Or(l.Version, l.Vulkan),
			term.Either(l.Own, "belongs to this tool", l.Signature())})
	}
	return all
}

func stateOf(m *doctor.Entry) string {
	if m.Brought {
		return "the program's"
	}
	state := m.State(m.Used)
	if state == standing.Used && !m.Good { // of another system: its library alone was examined
		state = standing.Broken
	}
	return string(state)
}

// baseNames returns the names of files without their directories.
func baseNames(files []string) string {
	return strings.Join(term.Words(files, machine.Style.Base), " ")
}

// untriedText returns the words about an untried fix; "" for a tried one, and where the reason does not help.
func untriedText(f *doctor.Finding) string {
	return term.Enclosed("(not tried: ", f.NotTried(), ")")
}

// reportExtent is the extent of a printed report.
type reportExtent struct {
	full    bool // also notes, and findings that follow from others
	devices bool // the report has devices
	whole   bool // all columns of the tables
}

// printReport prints a report as text: the inventory, then the findings.
func printReport(s *invocation, r *doctor.Report, extent reportExtent) {
	s.style.Lines(s.out, "", s.style.Heading, r.Verdict)
	place := term.Or(r.System, "unknown system")
	for _, in := range r.Sandboxes {
		place += ", in " + in.Kind
		place += term.Enclosed(" (", in.Detail, ")")
	}
	fmt.Fprintf(s.out, "\n%s  %s\n\n", s.style.Heading("System"), term.OneLine(place))
	for _, section := range sectionsOf(r, extent.devices) {
		fmt.Fprintln(s.out, s.style.Heading(section.title))
		for _, line := range section.lines {
			s.style.Lines(s.out, "  ", nil, line)
		}
		table := term.NewTable(section.columns(section.headings, extent.whole)...)
		for _, row := range section.rows {
			table.Row(section.columns(row, extent.whole)...)
		}
		table.PrintOr(section.none, s.out, "  ", s.style)
		for _, line := range section.after {
			s.style.Lines(s.out, "  ", nil, line)
		}
		fmt.Fprintln(s.out)
	}
	printFindings(s, r, extent.full)
}

// columns returns the cells of a row, or those of a shorter report.
func (s *section) columns(row []string, whole bool) []string {
	if whole || s.extra == 0 {
		return row
	}
	return slices.Delete(slices.Clone(row), s.extra, s.extra+1)
}

func printFindings(s *invocation, r *doctor.Report, full bool) {
	count, followers, hidden := map[diag.Severity]int{}, 0, false
	for _, f := range r.Findings {
		if f.Because != nil && !full {
			continue
		}
		if f.Because == nil {
			count[f.Severity]++
		} else {
			followers++
		}
		if f.Shown() || full {
			printFinding(s, &f, r.Quote(&f))
		} else {
			hidden = true
		}
	}
	notes := term.Count(count[diag.Note], "note")
	if hidden {
		notes += " (--full shows them)"
	}
	if followers > 0 {
		notes += fmt.Sprintf("; %d more follow from these", followers)
	}
	fmt.Fprintf(s.out, "%s, %s, %s\n", term.Count(count[diag.Problem], "problem"),
		term.Count(count[diag.Warning], "warning"), notes)
}

// printFinding prints a finding. wrote is a line of its driver.
func printFinding(s *invocation, f *doctor.Finding, wrote string) {
	title := term.OneLine(f.Severity.String() + " " + f.Code.String() + ": " + subjectIn(f.Subject, f.Path))
	fmt.Fprintln(s.out, term.Either(f.Severity == diag.Problem, s.style.Bad, s.style.Heading)(title))
	because := ""
	if f.Because != nil {
		because = "it follows from " + f.Because.String()
	}
	for _, line := range [][2]string{{"file", placeIn(f.Path, f.Line, f.Column)}, {"what", f.What},
		{"it wrote", wrote}, {"why", f.Why}, {"from", because}, {"do", f.Do}, {"", untriedText(f)},
		{"rule", f.Statement}} {
		switch before := fmt.Sprintf("    %-4s  ", line[0]); {
		case line[1] == "":
		case line[0] == "do":
			s.style.Advice(s.out, before, f.Do, f.Commands...)
		case line[0] != "rule" || s.Rules:
			s.style.Lines(s.out, before, nil, line[1])
		}
	}
	fmt.Fprintln(s.out)
}

// printMarkdown prints a report for a bug tracker: as text in a code block, with the set variables and the system's
// release. It hides personal data as in a bundle.
func printMarkdown(s *invocation, source *machine.Source, report *doctor.Report, full bool) {
	hide := bundle.NewPrivate(bundle.People(source))
	variables := slices.DeleteFunc(environment.All(report.Answer, source, source.Environ, source.Elevated),
		func(v environment.Variable) bool { return !v.Set })
	var text strings.Builder
	plain := invocation{out: &text, Rules: true, style: term.Style{Cell: hide.Hide}}
	fmt.Fprintf(&text, "vkloader %s, for %d-bit programs\n", release, report.WordSize())
	printReport(&plain, report, reportExtent{full, !onWindows, true})
	fmt.Fprintln(&text)
	printVariables(&plain, variables)
	fmt.Fprintf(&text, "\n%s", bundle.System(source))
	lines := strings.Split(strings.TrimRight(hide.Hide(text.String()), "\n"), "\n")
	fmt.Fprint(term.Raw(s.out), "## vkloader doctor\n\n", term.CodeBlock("text", lines...))
}
