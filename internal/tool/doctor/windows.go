package doctor

import (
	"os"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/systems"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/term"
)

// Windows is a machine with Windows: the facts of the decision for programs of one word size, and further facts.
type Windows struct {
	facts.Provider
	Title       string
	Bits        string                              // the word size of the examined programs, "32" or "64"
	Views       []string                            // the word sizes of programs that the machine runs
	Seen        func(bits string) Windows           // the machine as programs of another word size see it
	Files       bool                                // files can be read; false: only the registry is known
	Whole       bool                                // every file is present; false: only copies of some
	Open        func(name string) (*os.File, error) // opens a file by its path on the machine
	App         string                              // the program's path; "": any program
	Directories []string                            // the system's library search directories, after the program's own
	Loader      *loaders.Loader                     // the program's loader; nil: none
	Variables   []string                            // those that are set, also if this loader does not read them
	Running     *machine.Source                     // the running system; nil: another machine
}

// ForeignWindows returns a machine with Windows by its files.
func ForeignWindows(s *systems.Foreign) Windows {
	return Windows{Provider: s, Title: s.System.Title, Bits: s.Bits, Views: s.Views(), Files: s.HasFiles(),
		Open: s.Open, App: s.Program, Directories: s.Directories(), Loader: s.Loader, Variables: s.Machine.Environ,
		Seen: func(bits string) Windows { return ForeignWindows(s.For(bits)) }}
}

// after returns the machine after a change.
func (w Windows) after(c windowsChange) Windows {
	changed := w
	changed.Provider = changedWindows{w.Provider, &w, c}
	changed.Seen = func(bits string) Windows { return w.Seen(bits).after(c) }
	return changed
}

// windowsExam is an examination of a machine with Windows in progress.
type windowsExam struct {
	*Report
	windows   Windows
	named     map[string]bool // the missing files that values of the registry name
	other     *plan.Answer    // for programs of the other word size; nil: the machine runs none
	otherBits string
}

// ExamineWindows examines a Windows machine by its registry and files, and tries the changes that may fix its findings.
func ExamineWindows(w Windows) (*Report, error) {
	e, err := lookWindows(w)
	if err != nil {
		return nil, err
	}
	(&engine{report: e.Report}).complete()
	e.judge = e.verdict
	return e.finish(), nil
}

// lookWindows examines without trying changes.
func lookWindows(w Windows) (*windowsExam, error) {
	e := &windowsExam{windows: w, Report: newReport(w.Title)}
	if e.Class = classOf(w.Bits); e.Class == ProcessClass {
		e.Class = 0
	}
	var err error
	if e.Answer, err = explain.Decide(w.Provider, explain.WithPlatform(search.Windows(w.Bits))); err != nil {
		return nil, err
	}
	e.source = w.Running
	e.examineAfter = e.after
	e.Loader, e.Program, e.named = w.Loader, w.App, map[string]bool{}
	if at := slices.IndexFunc(w.Views, func(bits string) bool { return bits != w.Bits }); at >= 0 {
		e.otherBits = w.Views[at]
		if e.other, err = explain.Decide(w.Seen(e.otherBits).Provider,
			explain.WithPlatform(search.Windows(e.otherBits))); err != nil {
			return nil, err
		}
	}
	e.registry()
	e.decisions()
	if w.Files {
		e.libraries()
		e.addNoDriver()
		e.addLayered()
		e.loaders()
	}
	e.otherView()
	e.addElevatedFindings()
	e.addIgnored()
	return e, nil
}

// decisions adds the findings of the decision. A manifest that a display device names, and that does not exist, is a
// fault of its driver.
func (e *windowsExam) decisions() {
	for f := range each(e.Answer.Diagnostics) {
		device := ""
		if f.Code == diag.FileOpen && e.windows.Files && !e.named[f.Path] && !e.windows.Exists(f.Path) {
			device = e.namedByDevice(f.Path)
		}
		if device != "" {
			e.add(DriverPackage, pathname.Backslash.Base(f.Path), f.Path,
				textf("the display device %s names %s, which is not there", device, f.Path), nil)
		} else if !isOrdinary(f) && !(f.Code == diag.FileOpen && (!e.windows.Files || e.named[f.Path])) &&
			!slices.Contains([]diag.Code{diag.VariableElevated, diag.DriverRegistryOff, diag.LayerRegistryOff},
				f.Code) { // the doctor has findings of its own in their place
			e.takenOver(f)
		}
	}
}

// after examines the machine again with a change.
func (e *windowsExam) after(c *effect) ([]Finding, func(*Finding) bool, bool) {
	change, is := c.change.(windowsChange)
	if variables, are := c.change.(explain.Change); are {
		change, is = windowsChange{Change: variables}, true
	}
	again, err := lookWindows(e.windows.after(change))
	if err != nil || !is {
		return nil, nil, false
	}
	return again.Findings, func(f *Finding) bool { return e.sameBut(again, f) }, true
}

// sameBut reports whether programs get the same drivers and layers after a change, except for the subject of a finding.
func (e *windowsExam) sameBut(after *windowsExam, f *Finding) bool {
	about := func(m Entry) bool {
		// A layer for the other word size may hide a layer with the same name, which programs then get.
		return m.Manifest == f.Path || f.Code == RegistryOff || f.Code == LibraryMissing && m.Library == f.Path &&
			m.Name == f.Subject || f.Code == LibraryForeign && (m.File == f.Path || m.Name == f.Subject)
	}
	for _, lists := range [][2][]Entry{{e.Drivers, after.Drivers}, {e.Layers, after.Layers}} {
		for i, list := range lists {
			for _, m := range list {
				there := slices.ContainsFunc(lists[1-i],
					func(o Entry) bool { return o.Name == m.Name && o.Manifest == m.Manifest && o.Used == m.Used })
				if !there && !about(m) {
					return false
				}
			}
		}
	}
	return true
}

// verdict returns the report in one line.
func (e *windowsExam) verdict(r *Report) string {
	if !e.windows.Files {
		return "The registry has " + term.Either(r.Has(diag.Problem), "", "no ") + "problems; no file was examined."
	}
	return verdictWithoutKernel(r)
}

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

// WindowsLibrary examines the library of one manifest on Windows, for programs of the library's word size: whether
// Windows finds it, with its dependencies, and whether it exports the required functions.
func WindowsLibrary(w Windows, m Entry) (Entry, []Finding) {
	e := &windowsExam{windows: w, Report: newReport(w.Title)}
	if l := e.read(e.place(m.Library)); l != nil {
		for _, bits := range w.Views {
			if l.Class == classOf(bits) && l.Class != classOf(w.Bits) {
				e.windows = w.Seen(bits)
			}
		}
	}
	e.examineLibrary(&m)
	return m, e.finish().Findings
}

// WindowsObstacle returns why the loader does not open a manifest's library in programs of a machine's word size; "" if
// it does.
func WindowsObstacle(w Windows, library string) string {
	e := &windowsExam{windows: w, Report: newReport("")}
	m := Entry{Library: library, Used: true}
	switch _, fault := e.examineFile(&m); {
	case fault == nil:
		return ""
	case fault.Code == LibraryMissing:
		return "its library is missing: the loader does not find " + library
	default:
		return "its library cannot be loaded: " + fault.fact.say()
	}
}

// entry is a registry value, in the view of programs of a word size.
type entry = windows.ValueName

// windowsChange is one change on a machine with Windows: of variables, or enable or delete a registry value.
type windowsChange struct {
	explain.Change
	entry entry
	on    bool // set the data to a DWORD of 0; false: delete the value
}

// hives are the root key names of the reg command.
var hives = map[facts.Hive]string{facts.LocalMachine: "HKLM", facts.CurrentUser: "HKCU"}

// line returns the change as a command line for Windows.
func (c windowsChange) line() shell.Line {
	if c.Variable != "" {
		return shell.PromptedSet(c.Variable, c.Value)
	}
	line, data := shell.Line("reg delete "), shell.Line(" /f")
	if c.on {
		line, data = "reg add ", " /t REG_DWORD /d 0 /f"
	}
	line += shell.Prompted(hives[c.entry.Hive]+`\`+c.entry.Key) + " /v " + shell.Prompted(c.entry.Name) + data
	if c.entry.Hive == facts.LocalMachine {
		line += " /reg:" + shell.Quoted(c.entry.Bits)
	}
	return line
}

// remedy returns the change as a remedy.
func (c windowsChange) remedy() *Remedy {
	line, before := c.line(), ""
	switch {
	case c.Variable != "":
		before = "For a program in which it causes problems: "
	case c.entry.Hive == facts.LocalMachine:
		before = "In a prompt that runs as administrator: "
	}
	do := shellAdvice(before, line)
	do.effect = &effect{name: string(line), change: c}
	return do
}

// RegistryChange returns the registry change that was tried and removes the finding: at is the value, on whether its
// data become a DWORD of 0 instead of the value being deleted. is is false if the fix does not change the registry.
func (f *Finding) RegistryChange() (at windows.ValueName, on, is bool) {
	if do := f.remedy(); do != nil && do.effect != nil {
		if c, is := do.effect.change.(windowsChange); is && c.Variable == "" {
			return c.entry, c.on, true
		}
	}
	return entry{}, false, false
}

// changedWindows are the facts of a machine with Windows after a change.
type changedWindows struct {
	facts.Provider
	of     *Windows
	change windowsChange
}

func (c changedWindows) Var(name string, secure bool) facts.Var {
	l := c.of.Loader
	for at := &c.change.Change; at != nil; at = at.And {
		if sameName(name, at.Variable) && (l == nil || l.Ours() || l.Obeys(name)) {
			return facts.Var{Value: at.Value, Set: true}
		}
	}
	return c.Provider.Var(name, secure)
}

func (c changedWindows) Elsewhere() facts.Elsewhere {
	return changedRegistry{c.Provider.Elsewhere(), c}
}

type changedRegistry struct {
	facts.Elsewhere
	of changedWindows
}

func (r changedRegistry) Registry(h facts.Hive, path string) facts.Key {
	k, at := r.Elsewhere.Registry(h, path), r.of.change.entry
	if at.Name == "" || h != at.Hive || !sameName(path, at.Key) || h == facts.LocalMachine && at.Bits != r.of.of.Bits {
		return k
	}
	values := slices.Clone(k.Values)
	i := slices.IndexFunc(values, func(v facts.Value) bool { return v.Name == at.Name })
	switch {
	case i < 0:
	case r.of.change.on:
		values[i].Type, values[i].Data = facts.RegDWORD, zero
	default:
		values = slices.Delete(values, i, i+1)
	}
	return facts.Key{Opened: k.Opened, Values: values}
}

// zero is the data of an enabled value (WIN-036).
const zero = "\x00\x00\x00\x00"

// namedByDevice returns the display device that names a driver manifest; "": none does.
func (e *windowsExam) namedByDevice(manifest string) string {
	value := "VulkanDriverName"
	if e.windows.Elsewhere().Process().WOW64 {
		value += "Wow"
	}
	for _, d := range e.windows.Elsewhere().Devices(value).List {
		for _, path := range strings.Split(d.Data, "\x00") {
			if sameName(path, manifest) {
				return d.ID
			}
		}
	}
	return ""
}
