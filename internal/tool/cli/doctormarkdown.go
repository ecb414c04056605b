package cli

import (
	"fmt"
	"io"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// markdownReport is the doctor's report as text for a bug tracker.
type markdownReport struct {
	to        io.Writer
	report    *doctor.Report
	variables []environment.Variable // the set variables
	kernel    string
}

// printMarkdown prints a report for a bug tracker and hides personal data as in a bundle. All text from the machine is in
// code spans and blocks, so that it contains no markup.
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
	sandboxes := term.Words(r.Sandboxes, func(in doctor.Sandbox) string { return strings.TrimSpace(in.Kind + " " + in.Detail) })
	m.table("", []string{"", ""}, [][]string{{"vkloader", release}, {"system", term.Or(r.System, "unknown")}, {"kernel", m.kernel},
		{"sandbox", strings.Join(sandboxes, ", ")}, {"program", fmt.Sprintf("%d-bit", r.WordSize())}})
	m.table("Devices", []string{"device", "name", "kernel driver", "nodes", "Vulkan drivers"}, term.Words(r.GPUs, func(g doctor.GPU) []string {
		return []string{g.Title(), g.Label, g.Kernel, strings.Join(g.Nodes, " "), baseNames(g.Drivers)}
	}))
	m.table("Loaders", []string{"file", "version", "Vulkan", ""}, term.Words(r.Loaders, func(l doctor.Loader) []string {
		return []string{l.File, l.Version, l.Vulkan, map[bool]string{true: "first"}[l.First]}
	}))
	m.modules("Drivers", r.Drivers)
	m.modules("Layers", r.Layers)
	if len(r.Probes) > 0 {
		m.table("Probes", []string{"name", "result", "with", "devices"}, term.Words(r.Probes, func(p doctor.Probe) []string {
			return []string{p.Name, string(p.Result), p.Detail, strings.Join(p.Devices, ", ")}
		}))
	}
	m.findings(full)
	m.table("Variables", []string{"name", "value", "state", "why"}, term.Words(m.variables, func(v environment.Variable) []string {
		return []string{v.Name, v.Value, v.State, v.Why}
	}))
}

// baseNames returns the names of files without their directories.
func baseNames(files []string) string {
	return strings.Join(term.Words(files, machine.Style.Base), " ")
}

func (m *markdownReport) modules(title string, modules []doctor.Module) {
	m.table(title, []string{"name", "state", "manifest", "library"}, term.Words(modules, func(d doctor.Module) []string {
		return []string{d.Name, stateOf(&d, m.report), d.Manifest, term.Or(d.File, d.Library)}
	}))
}

// findings prints problems and warnings; with full, also notes and consequences of other findings.
func (m *markdownReport) findings(full bool) {
	fmt.Fprint(m.to, "\n### Findings\n")
	none := true
	for _, f := range m.report.Findings {
		if !full && (f.Severity == diag.Note || f.Because != nil) {
			continue
		}
		none = false
		because := ""
		if f.Because != nil {
			because = f.Because.String()
		}
		lines := []string{}
		for _, line := range [][2]string{{"about", f.Subject}, {"file", placeIn(f.Path, f.Line, f.Column)}, {"what", f.What}, {"why", f.Why}, {"from", because},
			{"do", f.Do}, {"", notTried(&f)}, {"rule", f.Statement}} {
			if line[1] != "" {
				lines = append(lines, fmt.Sprintf("%-5s  %s", line[0], line[1]))
			}
		}
		fmt.Fprintf(m.to, "\n#### %s %s\n\n%s", f.Severity, term.CodeSpan(f.Code.String()), term.CodeBlock("text", lines...))
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
