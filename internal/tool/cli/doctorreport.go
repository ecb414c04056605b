package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// section is a part of the doctor's report, with a table. A report as text and one in Markdown have the same sections.
type section struct {
	title    string
	lines    []string // before the table
	headings []string // Markdown alone has the columns whose headings begin with "+"
	rows     [][]string
	none     string   // in place of an empty table
	after    []string // lines after the table
}

// sectionsOf returns the sections of a report. devices means that the report has devices.
func sectionsOf(r *doctor.Report, devices bool) (list []section) {
	if devices {
		list = append(list, section{title: "Kernel devices", none: "none",
			headings: []string{"device", "+address", "kernel driver", "nodes", "Vulkan drivers"},
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
		list = append(list, section{title: kind.title, none: "none",
			headings: []string{"state", "name", "+manifest", "library", "stage"},
			rows: term.Words(kind.modules, func(m doctor.Entry) []string {
				return []string{stateOf(&m), m.Name, m.Manifest, term.Or(m.File, m.Library), m.Standing.String()}
			})})
	}
	if len(r.Probes) == 0 {
		return list
	}
	probes := section{title: "Tried in child processes", headings: []string{"trial", "name", ">time", "result"}}
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
	state := m.State(m.Used || m.Brought)
	if state == standing.Used && !m.Good { // of another system: its library alone was examined
		state = standing.Broken
	}
	return string(state) + term.Either(m.Brought, ", the program's", "")
}

// baseNames returns the names of files without their directories.
func baseNames(files []string) string {
	return strings.Join(term.Words(files, machine.Style.Base), " ")
}

// findingLines returns the lines of a finding, each with its label.
func findingLines(f *doctor.Finding) (lines [][2]string) {
	because := ""
	if f.Because != nil {
		because = "it follows from " + f.Because.String()
	}
	for _, line := range [][2]string{{"file", placeIn(f.Path, f.Line, f.Column)}, {"what", f.What}, {"why", f.Why},
		{"from", because}, {"do", f.Do}, {"", untriedText(f)}, {"rule", f.Statement}} {
		if line[1] != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// untriedText returns the words about an untried fix; "" for a tried one, and where the reason does not help.
func untriedText(f *doctor.Finding) string {
	return term.Enclosed("(not tried: ", f.NotTried(), ")")
}

// printReport prints a report as text: the inventory, then the findings. devices means that the report has devices.
func printReport(s *invocation, r *doctor.Report, full, devices bool) {
	s.style.Lines(s.out, "", s.style.Heading, r.Verdict)
	place := term.Or(r.System, "unknown system")
	for _, in := range r.Sandboxes {
		place += ", in " + in.Kind
		place += term.Enclosed(" (", in.Detail, ")")
	}
	fmt.Fprintf(s.out, "\n%s  %s\n\n", s.style.Heading("System"), term.OneLine(place))
	for _, section := range sectionsOf(r, devices) {
		fmt.Fprintln(s.out, s.style.Heading(section.title))
		for _, line := range section.lines {
			s.style.Lines(s.out, "  ", nil, line)
		}
		table := term.NewTable(section.columns(section.headings, false)...)
		for _, row := range section.rows {
			table.Row(section.columns(row, false)...)
		}
		table.PrintOr(section.none, s.out, "  ", s.style)
		for _, line := range section.after {
			s.style.Lines(s.out, "  ", nil, line)
		}
		fmt.Fprintln(s.out)
	}
	printFindings(s, r, full)
}

// columns returns the cells of a row in Markdown, or in text.
func (s *section) columns(row []string, markdown bool) (cells []string) {
	for i, cell := range row {
		if markdown || !strings.HasPrefix(s.headings[i], "+") {
			cells = append(cells, cell)
		}
	}
	return cells
}

func printFindings(s *invocation, r *doctor.Report, full bool) {
	count, hidden := map[diag.Severity]int{}, false
	for _, f := range r.Findings {
		if f.Because != nil && !full {
			continue
		}
		count[f.Severity]++
		if f.Shown() || full {
			printFinding(s, &f)
		} else {
			hidden = true
		}
	}
	notes := term.Count(count[diag.Note], "note")
	if hidden {
		notes += " (--full shows them)"
	}
	fmt.Fprintf(s.out, "%s, %s, %s\n", term.Count(count[diag.Problem], "problem"),
		term.Count(count[diag.Warning], "warning"), notes)
}

func printFinding(s *invocation, f *doctor.Finding) {
	title := term.OneLine(f.Severity.String() + " " + f.Code.String() + ": " + subjectIn(f.Subject, f.Path))
	fmt.Fprintln(s.out, term.Either(f.Severity == diag.Problem, s.style.Bad, s.style.Heading)(title))
	for _, line := range findingLines(f) {
		switch before := fmt.Sprintf("    %-4s  ", line[0]); {
		case line[0] == "do":
			s.style.Advice(s.out, before, f.Do, f.Commands...)
		case line[0] != "rule" || s.Rules:
			s.style.Lines(s.out, before, nil, line[1])
		}
	}
	fmt.Fprintln(s.out)
}

// markdownReport is the doctor's report as text for a bug tracker.
type markdownReport struct {
	to        io.Writer
	report    *doctor.Report
	variables []environment.Variable // the set variables
	kernel    string
}

// printMarkdown prints a report for a bug tracker and hides personal data as in a bundle. All text from the machine is
// in code spans and blocks, so that it contains no markup.
func printMarkdown(s *invocation, source *machine.Source, report *doctor.Report, full bool) {
	hide := bundle.NewPrivate(bundle.People(source))
	m := &markdownReport{to: term.Raw(s.out), report: bundle.Hidden(hide, report), kernel: kernelOf(source)}
	for _, v := range environment.All(report.Answer, source, source.Environ, source.Elevated) {
		if v.Set {
			m.variables = append(m.variables, bundle.Hidden(hide, v))
		}
	}
	m.print(full)
}

func (m *markdownReport) print(full bool) {
	r := m.report
	fmt.Fprint(m.to, "## vkloader doctor\n\n", term.CodeBlock("text", r.Verdict))
	sandboxes := term.Words(r.Sandboxes, func(in doctor.Sandbox) string {
		return strings.TrimSpace(in.Kind + " " + in.Detail)
	})
	m.table("", []string{"", ""}, [][]string{{"vkloader", release}, {"system", term.Or(r.System, "unknown")},
		{"kernel", m.kernel}, {"sandbox", strings.Join(sandboxes, ", ")},
		{"program", fmt.Sprintf("%d-bit", r.WordSize())}})
	for _, section := range sectionsOf(r, true) {
		headings := term.Words(section.headings, func(heading string) string { return strings.TrimLeft(heading, "+>") })
		m.table(section.title, headings, section.rows)
		if lines := slices.Concat(section.lines, section.after); len(lines) > 0 {
			fmt.Fprint(m.to, "\n", term.CodeBlock("text", lines...))
		}
	}
	m.findings(full)
	m.table("Variables", []string{"name", "value", "state", "why"},
		term.Words(m.variables, func(v environment.Variable) []string {
			return []string{v.Name, v.Value, v.State, v.Why}
		}))
}

// findings prints problems and warnings; with full, also notes and consequences of other findings.
func (m *markdownReport) findings(full bool) {
	fmt.Fprint(m.to, "\n### Findings\n")
	none := true
	for _, f := range m.report.Findings {
		if !full && !f.Shown() {
			continue
		}
		none = false
		lines := []string{"about  " + f.Subject}
		for _, line := range findingLines(&f) {
			lines = append(lines, fmt.Sprintf("%-5s  %s", line[0], line[1]))
		}
		fmt.Fprintf(m.to, "\n#### %s %s\n\n%s", f.Severity, term.CodeSpan(f.Code.String()),
			term.CodeBlock("text", lines...))
	}
	if none {
		fmt.Fprint(m.to, "\nnone\n")
	}
}

// table prints a table with code spans in its cells. It omits two-cell rows without a second cell.
func (m *markdownReport) table(title string, headings []string, rows [][]string) {
	if title != "" {
		fmt.Fprintf(m.to, "\n### %s\n", title)
	}
	if len(rows) == 0 {
		fmt.Fprint(m.to, "\nnone\n")
		return
	}
	fmt.Fprintf(m.to, "\n| %s |\n|%s\n", strings.Join(headings, " | "), strings.Repeat(" --- |", len(headings)))
	for _, row := range rows {
		if len(row) == 2 && row[1] == "" {
			continue
		}
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = term.CodeSpan(cell)
		}
		fmt.Fprintf(m.to, "| %s |\n", strings.Join(cells, " | "))
	}
}
