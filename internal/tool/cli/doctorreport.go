package cli

import (
	"fmt"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// section is a part of the doctor's report, with a table.
type section struct {
	title    string
	lines    []string // before the table
	headings []string
	rows     [][]string
	none     string   // in place of an empty table
	after    []string // lines after the table
}

// sectionsOf returns the sections of a report. devices means that the report has devices.
func sectionsOf(r *doctor.Report, devices bool) (list []section) {
	if devices {
		list = append(list, section{title: "Devices", headings: []string{"device", "kernel driver", "nodes", "Vulkan drivers"}, none: "none",
			rows: term.Words(r.GPUs, func(g doctor.GPU) []string {
				return []string{g.Title(), term.Or(g.Kernel, "none"), term.Or(strings.Join(g.Nodes, " "), "none"), term.Or(baseNames(g.Drivers), "none")}
			})})
	}
	if devices || len(r.Loaders) > 0 {
		list = append(list, loadersSection(r))
	}
	for _, kind := range []struct {
		title   string
		modules []doctor.Entry
	}{{"Drivers", r.Drivers}, {"Layers", r.Layers}} {
		list = append(list, section{title: kind.title, headings: []string{"state", "name", "library", ">needs", "stage"}, none: "none",
			rows: term.Words(kind.modules, func(m doctor.Entry) []string {
				return []string{stateOf(&m, r), m.Name, term.Or(m.File, m.Library), term.Count(m.Needs, "library"), m.Standing.String()}
			})})
	}
	if len(r.Probes) == 0 {
		return list
	}
	probes := section{title: "Tried in child processes", headings: []string{"state", "name", ">time", "result"}}
	for _, p := range r.Probes {
		probes.rows = append(probes.rows, []string{string(p.Result), p.Name, term.Microseconds(p.Millis * 1000), term.Or(p.Detail, strings.Join(p.Devices, ", "))})
		for _, line := range p.Wrote {
			probes.after = append(probes.after, p.Name+" wrote  "+line)
		}
	}
	return append(list, probes)
}

// loadersSection returns the loaders, the default one first.
func loadersSection(r *doctor.Report) section {
	all := section{title: "Loaders", headings: []string{"", "file", "Vulkan", ""}, none: "none found by the dynamic linker"}
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

func stateOf(m *doctor.Entry, r *doctor.Report) string {
	state := "bad"
	switch {
	case m.Good:
		state = "ok"
	case m.Class != 0 && m.Class != r.WordSize():
		state = fmt.Sprintf("%d-bit", m.Class)
	}
	if m.Brought {
		state += ", the program's"
	} else if !m.Used {
		state += ", not used"
	}
	return state
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
	for _, line := range [][2]string{{"file", placeIn(f.Path, f.Line, f.Column)}, {"what", f.What}, {"why", f.Why}, {"from", because}, {"do", f.Do},
		{"", untriedText(f)}, {"rule", f.Statement}} {
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
		table := term.NewTable(section.headings...)
		for _, row := range section.rows {
			table.Row(row...)
		}
		table.PrintOr(section.none, s.out, "  ", s.style)
		for _, line := range section.after {
			s.style.Lines(s.out, "  ", nil, line)
		}
		fmt.Fprintln(s.out)
	}
	printFindings(s, r, full)
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
		case line[0] != "rule" || s.rules:
			s.style.Lines(s.out, before, nil, line[1])
		}
	}
	fmt.Fprintln(s.out)
}
