package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// doctoring holds the options of doctor.
type doctoring struct {
	output
	full, load, filesOnly, elevated bool
	app                             string
	limit                           time.Duration // of each child process
	other                           otherSystem
	repairing

	// For a running machine, if its system supports them:
	keepOut              bool
	user, device, plugin string
	pid                  int
}

// repairing holds the options of doctor for fixing a running machine and for printing its report.
type repairing struct {
	markdown              bool
	fix, undo, yes, force bool
	dry                   bool
	step                  string
}

func (r *repairing) options(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&r.markdown, "markdown", false, "print Markdown for a bug report, without names of people")
	flags.BoolVar(&r.fix, "fix", false, fixHelp)
	flags.BoolVar(&r.yes, "yes", false, "with --fix: do every step without asking")
	flags.BoolVar(&r.dry, "dry-run", false, "with --fix: show the steps, and make no change")
	flags.StringVar(&r.step, "step", "", "with --fix: only the step with this `LINE`, as --fix shows it")
	flags.BoolVar(&r.undo, "undo", false, undoHelp)
	flags.BoolVar(&r.force, "force", false, "with --undo: also restore files that have changed since")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown", "fix", "undo")
}

// sayUntried prints why drivers and layers are not tried.
func sayUntried(s *invocation, why error) {
	fmt.Fprintf(s.messages(), "vkloader: nothing is tried: %v\n", why)
}

// allowUntried returns nil, after a message, for the error of a probe that cannot run, unless trials were requested. It returns
// other errors unchanged.
func allowUntried(s *invocation, wanted examination, err error) error {
	if broken := (*probe.Unusable)(nil); wanted.how != everything && errors.As(err, &broken) {
		sayUntried(s, broken)
		return nil
	}
	return err
}

// check returns an error for incompatible options.
func (r *repairing) check() error {
	switch {
	case r.yes && !r.fix || r.force && !r.undo:
		return errors.New("--yes needs --fix, and --force needs --undo")
	case (r.dry || r.step != "") && !r.fix:
		return errors.New("--dry-run and --step need --fix")
	}
	return nil
}

func newDoctor(s *invocation) *cobra.Command {
	d := &doctoring{}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find what is wrong between a program and its GPU, and fix it",
		Long:  doctorHelp + platformHelp + exitCodesHelp,
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return d.run(s) },
	}
	flags := cmd.Flags()
	d.output.option(cmd, doctor.Schema)
	flags.BoolVar(&d.full, "full", false, "also show notes, and findings that follow from others")
	flags.StringVar(&d.app, "app", "", "examine for the program with the executable `EXE`, a path or a name in PATH")
	completesApp(s, cmd)
	flags.BoolVar(&d.load, "probe", false, "also try drivers whose device sleeps, which wakes the device, and present frames on a surface")
	flags.BoolVar(&d.filesOnly, "no-probe", false, "load no driver and no layer; examine files only")
	cmd.MarkFlagsMutuallyExclusive("probe", "no-probe")
	flags.DurationVar(&d.limit, "timeout", childLimit, "end a child process that tries drivers and layers after this `TIME`")
	d.repairing.options(cmd)
	d.systemFlags(s, cmd)
	addPlatform(cmd, &d.other)
	return cmd
}

// run examines this machine, or the one of --platform.
func (d *doctoring) run(s *invocation) error {
	if err := d.other.check(); err != nil {
		return err
	}
	if d.other.platform == "" {
		return d.here(s)
	}
	if err := d.files(); err != nil {
		return err
	}
	return d.elsewhere(s)
}

// here examines or fixes a running machine, or examines one below --root.
func (d *doctoring) here(s *invocation) error {
	if err := d.check(); err != nil {
		return err
	}
	if d.undo {
		return undoFix(s, d.force)
	}
	about, err := s.subject(d.app, d.elevated, d.pid)
	if err != nil {
		return err
	}
	if err := d.checkSubject(about); err != nil {
		return err
	}
	if err := about.opens(d.plugin); err != nil {
		return err
	}
	if d.fix {
		return fixHere(s, about, d)
	}
	device, err := kernelDevice(s, about, d.device, d.limit)
	if err != nil {
		return err
	}
	result, err := examine(context.Background(), s, about, examination{d.user, device, d.effort(about), d.limit, nil})
	if err != nil {
		return err
	}
	for _, p := range result.Probes {
		if d.keepOut && died(p) {
			if err := exclude(s, newExclusion(p.Kind, p.Name, d.app)); err != nil {
				return err
			}
		}
	}
	return d.judge(s, result, result.Has(diag.Problem), func() {
		if d.markdown {
			printMarkdown(s, about.source, result, d.full)
			return
		}
		printReport(s, result, d.full, !onWindows)
		d.namesFix(s, about, result)
	})
}

// elsewhere examines the files of a machine with another system.
func (d *doctoring) elsewhere(s *invocation) error {
	if s.root == "" && len(d.other.registry) == 0 {
		return errors.New("doctor --platform needs --root, or --registry: without files nothing can be examined")
	}
	source, answer, err := decideOther(s, &d.other, d.app, d.elevated)
	if err != nil {
		return err
	}
	report, err := doctor.ExamineForeign(source, answer)
	if err != nil {
		return err
	}
	return d.judge(s, report, report.Has(diag.Problem), func() { printReport(s, report, d.full, false) })
}

// files returns an error for options that need a running machine.
func (d *doctoring) files() error {
	if d.fix || d.undo || d.load || d.markdown || d.pid != 0 || d.user != "" || d.device != "" || d.plugin != "" {
		return errors.New("--platform examines files: not with " + onlyHere)
	}
	return nil
}

// checkSubject returns an error for options that do not fit the examined program.
func (d *doctoring) checkSubject(about *subject) error {
	switch {
	case d.user != "" && d.pid != 0:
		return errors.New("--pid and --user exclude each other: a process has its own user")
	case d.load && !onWindows && (about.source.Foreign() || d.pid != 0 || d.elevated || d.user != ""):
		return errors.New("--probe loads drivers as you, on this machine: not with --root, --pid, --elevated or --user")
	case d.keepOut && d.effort(about) == filesOnly:
		return errors.New("--quarantine needs trials: do not use it with --no-probe; with --app or --plugin, add --probe")
	}
	return nil
}

// kernelDevice converts a selector that needs a driver's answer to the address of the device.
func kernelDevice(s *invocation, about *subject, text string, limit time.Duration) (string, error) {
	if text == "" || !drivers.AsksDriver(text) {
		return text, nil
	}
	if about.source.Foreign() || about.process != nil {
		return "", fmt.Errorf("--device %s: numbers and UUIDs are those of this machine's drivers: not with --root or --pid", text)
	}
	devices, err := devicesOf(s, about.source, limit)
	if err != nil {
		return "", err
	}
	listed := devices.Selected()
	hits, err := drivers.SelectDevices(text, listed)
	if err != nil {
		return "", exit.Problem("--device: %w", err)
	}
	if address := listed[hits[0]].PCI; address != "" {
		return address, nil
	}
	return "", exit.Problem("--device: %s has no PCI address, so it cannot be examined alone", listed[hits[0]].String())
}

// examination holds the subject and the extent of an examination. The zero value examines all files and tries nothing.
type examination struct {
	user, device string // the subject; "": this user, all devices
	how          effort
	limit        time.Duration // of each child process
	ended        func(doctor.Probe)
}

// tries returns the options of a trial with the variables of its subject.
func (e *examination) tries(at probe.Companions, about *subject) doctor.Tries {
	return doctor.Tries{At: at, Environ: about.source.Environ, Limit: e.limit, Wake: e.how == everything, Present: e.how == everything,
		Ended: e.ended}
}

// effort is the extent of the trials.
type effort uint8

const (
	filesOnly  effort = iota // load nothing
	tryAwake                 // load everything except drivers whose device sleeps
	everything               // load everything and present frames
)

// effort returns the requested extent. By default, it is tryAwake for this machine and user, and filesOnly otherwise.
func (d *doctoring) effort(about *subject) effort {
	switch {
	case d.load && !(onWindows && (d.app != "" || d.elevated)):
		return everything
	case d.filesOnly || !triable(about) || d.pid != 0 || d.elevated || d.user != "" || d.app != "" || d.plugin != "":
		return filesOnly
	}
	return tryAwake
}

// Time limits of trials: of each child process, and of all trials on the first screen.
const (
	childLimit  = 10 * time.Second
	screenLimit = 30 * time.Second
)

// quietTime is the time after which a person on a terminal reads what the first screen waits for.
const quietTime = time.Second

// examineFiles returns the report on a machine's files.
func examineFiles(s *invocation, source *machine.Source) (*doctor.Report, error) {
	return examine(context.Background(), s, &subject{source: source}, examination{})
}

// examineHere returns the report on this machine for the first screen. It waits for the trials.
func examineHere(s *invocation, how effort) (*doctor.Report, error) {
	ctx := context.Background()
	if s.tried == nil {
		limited, cancel := context.WithTimeout(ctx, screenLimit)
		defer cancel()
		ctx = limited
	}
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	about := &subject{source: source}
	if !triable(about) {
		how = filesOnly
	}
	if term.IsTerminal(s.errOut) {
		waits := time.AfterFunc(quietTime, func() {
			fmt.Fprintf(s.messages(), "vkloader: trying drivers and layers, for at most %s\n", screenLimit)
		})
		defer waits.Stop()
	}
	return examine(ctx, s, about, examination{how: how, limit: childLimit, ended: s.tried})
}

// died reports whether a driver or layer ends programs.
func died(p doctor.Probe) bool {
	return p.Kind != "together" && (p.Result == doctor.ProbeCrashes || p.Result == doctor.ProbeHangs || p.Result == doctor.ProbeExits)
}

// printReport prints a report: the inventory, then the findings. devices means that the report has devices.
func printReport(s *invocation, r *doctor.Report, full, devices bool) {
	s.style.Lines(s.out, "", s.style.Heading, r.Verdict)
	place := term.Or(r.System, "unknown system")
	for _, in := range r.Sandboxes {
		place += ", in " + in.Kind
		place += term.Enclosed(" (", in.Detail, ")")
	}
	fmt.Fprintf(s.out, "\n%s  %s\n\n", s.style.Heading("System"), term.OneLine(place))
	if devices {
		printGPUs(s, r)
	}
	if devices || len(r.Loaders) > 0 {
		printLoaders(s, r)
		fmt.Fprintln(s.out)
	}
	printModules(s, r)
	printProbes(s, r.Probes)
	printFindings(s, r, full)
}

// printGPUs prints the kernel's devices with their drivers.
func printGPUs(s *invocation, r *doctor.Report) {
	fmt.Fprintf(s.out, "%s\n", s.style.Heading("Devices"))
	table := term.NewTable("device", "kernel driver", "nodes", "Vulkan drivers")
	for _, g := range r.GPUs {
		table.Row(g.Title(), term.Or(g.Kernel, "none"), term.Or(strings.Join(g.Nodes, " "), "none"), term.Or(baseNames(g.Drivers), "none"))
	}
	table.PrintOr("none", s.out, "  ", s.style)
	fmt.Fprintln(s.out)
}

// printModules prints drivers and layers with their libraries.
func printModules(s *invocation, r *doctor.Report) {
	for _, section := range []struct {
		title   string
		modules []doctor.Module
	}{{"Drivers", r.Drivers}, {"Layers", r.Layers}} {
		fmt.Fprintf(s.out, "%s\n", s.style.Heading(section.title))
		table := term.NewTable("state", "name", "library", ">needs", "stage")
		for _, m := range section.modules {
			table.Row(stateOf(&m, r), m.Name, term.Or(m.File, m.Library), term.Count(m.Needs, "library"), m.Standing.String())
		}
		table.PrintOr("none", s.out, "  ", s.style)
		fmt.Fprintln(s.out)
	}
}

// stateOf returns the word for the state of a driver or layer.
func stateOf(m *doctor.Module, r *doctor.Report) string {
	state := "bad"
	switch {
	case m.Good:
		state = "ok"
	case m.Class != 0 && m.Class != r.WordSize():
		state = fmt.Sprintf("%d-bit", m.Class)
	}
	if !m.Used {
		state += ", not used"
	}
	return state
}

// printFindings prints the findings and their numbers.
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
	if f.Severity == diag.Problem {
		title = s.style.Bad(title)
	} else {
		title = s.style.Heading(title)
	}
	fmt.Fprintln(s.out, title)
	line := func(name, text string) {
		if text != "" {
			s.style.Lines(s.out, fmt.Sprintf("    %-4s  ", name), nil, text)
		}
	}
	line("file", placeIn(f.Path, f.Line, f.Column))
	line("what", f.What)
	line("why", f.Why)
	if f.Because != nil {
		line("from", "it follows from "+f.Because.String())
	}
	if f.Do != "" {
		s.style.Advice(s.out, "    do    ", f.Do, f.Commands...)
		line("", notTried(f))
	}
	if s.rules {
		line("rule", f.Statement)
	}
	fmt.Fprintln(s.out)
}

// notTried returns the words about an untried fix; "" for a tried one.
func notTried(f *doctor.Finding) string {
	return term.Enclosed("(not tried: ", f.Untried, ")")
}

// printProbes prints the table of probe results.
func printProbes(s *invocation, probes []doctor.Probe) {
	if len(probes) == 0 {
		return
	}
	fmt.Fprintln(s.out, s.style.Heading("Tried in child processes"))
	table := term.NewTable("state", "name", ">time", "result")
	for _, p := range probes {
		table.Row(string(p.Result), p.Name, term.Microseconds(p.Millis*1000), term.Or(p.Detail, strings.Join(p.Devices, ", ")))
	}
	table.Print(s.out, "  ", s.style)
	for _, p := range probes {
		for _, line := range p.Wrote {
			s.style.Lines(s.out, "  "+p.Name+" wrote  ", nil, line)
		}
	}
	fmt.Fprintln(s.out)
}

// printLoaders prints the loaders, the default one first.
func printLoaders(s *invocation, r *doctor.Report) {
	fmt.Fprintf(s.out, "%s\n", s.style.Heading("Loaders"))
	if r.Loader != nil {
		s.style.Lines(s.out, "  ", nil, loaders.Line(r.Loader, r.Program))
	} else if r.Static != loaders.NotStatic {
		s.style.Lines(s.out, "  ", nil, r.Static.Line(r.Program))
	}
	if r.Other != nil {
		s.style.Lines(s.out, "  ", nil, r.Other.Line())
	}
	table := term.NewTable("", "file", "Vulkan", "")
	for _, l := range r.Loaders {
		mark, own := "", l.Signature()
		if l.First {
			mark = "first"
		}
		if l.Own {
			own = "belongs to this tool"
		}
		table.Row(mark, l.File, term.Or(l.Version, l.Vulkan), own)
	}
	table.PrintOr("none found by the dynamic linker", s.out, "  ", s.style)
}

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
		if !full && !f.Shown() {
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
