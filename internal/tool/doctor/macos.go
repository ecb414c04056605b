package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/systems"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// macExam is an examination of a Mac in progress.
type macExam struct {
	*Report
	mac   *systems.Foreign
	plain *plan.Answer // for a program that does not enumerate portability drivers
}

// macChange is one change that may fix a finding: of variables or files, or of an attribute.
type macChange struct {
	explain.Change
	release string // the file without the attribute of quarantine; "": another change
}

// remedy returns the change as a remedy.
func (c macChange) remedy() *Remedy {
	do, line := placement{Change: c.Change}.remedy(), c.Line()
	if c.release != "" {
		line = "xattr -d " + systems.Quarantine + " " + shell.Quoted(c.release)
		do = shellAdvice("If you trust the file: ", line)
	}
	do.effect = &effect{name: string(line), change: c}
	return do
}

// on returns the machine after the change.
func (c macChange) on(s *systems.Foreign) *systems.Foreign {
	after := *s
	if c.release != "" {
		after.Released = append(slices.Clone(s.Released), c.release)
		return &after
	}
	changed := c.Change.On(&machine.Source{Machine: s.Machine, Added: s.Added})
	after.Machine, after.Added = changed.Machine, changed.Added
	return &after
}

// ExamineMacOS examines a Mac by its files and variables, and tries the changes that may fix its findings. It loads
// nothing.
func ExamineMacOS(source *systems.Foreign) (*Report, error) {
	e, err := lookMacOS(source)
	if err != nil {
		return nil, err
	}
	(&engine{report: e.Report}).complete()
	e.judge = e.verdict
	return e.finish(), nil
}

// lookMacOS examines without trying changes. Its decision is for a program that enumerates portability drivers, as
// programs for MoltenVK do.
func lookMacOS(source *systems.Foreign) (*macExam, error) {
	e := &macExam{Report: newReport(source.System.Title), mac: source}
	platform := source.System.Platform(source.Bits)
	var err error
	if e.plain, err = explain.Decide(source, explain.WithPlatform(platform)); err != nil {
		return nil, err
	}
	if e.Answer, err = explain.Decide(source, explain.WithPlatform(platform), explain.WithPortability); err != nil {
		return nil, err
	}
	e.Program, e.examineAfter = source.Program, e.after
	e.libraries()
	e.variables()
	e.decisions()
	e.copies()
	e.addNoDriver()
	return e, nil
}

// decisions adds the findings of the decision. Of the one without portability drivers only that it skips them is one.
func (e *macExam) decisions() {
	for f := range each(e.Answer.Diagnostics) {
		known := f.Code == diag.FileOpen && contains(e.Findings, func(o *Finding) bool { // a variable names the file
			m, is := o.fact.(misled)
			return is && m.Place == f.Path
		})
		if !isOrdinary(f) && f.Code != diag.DriverPortability && !known {
			e.takenOver(f)
		}
	}
	for f := range each(e.plain.Diagnostics) {
		if f.Code == diag.DriverPortability && f.Path != "" {
			e.takenOver(f)
		}
	}
}

// libraries examines the libraries of drivers and layers.
func (e *macExam) libraries() {
	e.examineEntries(e.examineLibrary)
	// for a driver of another processor, one outside of the searched directories may do
	for f := range each(e.Findings) {
		if f.Code == LibraryForeign &&
			contains(e.Drivers, func(m *Entry) bool { return m.Name == f.Subject && m.File == f.Path }) {
			e.offer(f, e.otherManifests()...)
		}
	}
}

// addNoDriver adds a finding if programs find no driver.
func (e *macExam) addNoDriver() {
	if len(e.Answer.Drivers) == 0 {
		e.offer(e.addDiagnostic(&diag.Diagnostic{Code: diag.DriverNone, Subject: e.System},
			diag.DriverNone.Entry().Severity, noDriverFound, installMoltenVK), e.otherManifests()...)
	}
}

// installMoltenVK is the advice for a Mac without a driver.
var installMoltenVK = shellAdvice("Install MoltenVK, which is the driver for Metal, and is in Homebrew: ",
	"brew install molten-vk").withObstacle(ofPackage)

// offer adds changes that may fix a finding.
func (e *macExam) offer(f *Finding, changes ...explain.Change) {
	for _, c := range changes {
		f.prefer(macChange{Change: c}.remedy())
	}
}

// examineLibrary examines the library of a driver or layer.
func (e *macExam) examineLibrary(m *Entry) {
	candidates := []string{m.Library}
	if !strings.Contains(m.Library, "/") {
		candidates = []string{"/usr/local/lib/" + m.Library, "/usr/lib/" + m.Library}
	}
	for _, candidate := range candidates {
		if m.File == "" && e.mac.Exists(candidate) {
			m.File = candidate
		}
	}
	l := e.read(m.File)
	if e.examineHeader(m, e.mac.Bits, l, textf("%s is no library of macOS", m.File), usual) != nil {
		return
	}
	machines := strings.Split(l.machine, ", ")
	if lacks := slices.DeleteFunc(slices.Clone(e.mac.ProgramProcessors()),
		func(p string) bool { return slices.Contains(machines, p) }); len(lacks) > 0 {
		e.add(LibraryForeign, m.Name, m.File, textf("%s is for %s alone: programs for %s cannot load it", m.File,
			strings.Join(machines, " and "), strings.Join(lacks, " and ")), nil)
		m.Good = false
	} else if e.mac.Quarantined(m.File) {
		f := e.add(LibraryQuarantined, m.Name, m.File, textf("%s has the attribute %s", m.File, systems.Quarantine),
			nil)
		f.prefer(macChange{release: path.Clean(m.File)}.remedy())
	}
}

// read returns the header of a library; nil if the file is none.
func (e *macExam) read(place string) *header {
	file, err := e.mac.Open(place)
	if err != nil {
		return nil
	}
	defer file.Close()
	read, err := binary.ReadMachO(file)
	if err != nil || len(read.Parts) == 0 {
		return nil
	}
	l := &header{class: read.Parts[0].Class, machine: strings.Join(read.Machines(), ", ")}
	if slices.ContainsFunc(read.Parts, func(p binary.MachOPart) bool { return p.Class == classOf(e.mac.Bits) }) {
		l.class = classOf(e.mac.Bits)
	}
	if read.Symbols() {
		l.exports = read.Exports
	}
	return l
}

// copies adds a finding for each driver whose library several manifests have, by its name.
func (e *macExam) copies() {
	first := map[string]*Entry{}
	for d := range each(e.Drivers) {
		if !d.Good {
			continue
		}
		name := strings.ToLower(path.Base(d.File))
		before := first[name]
		if before == nil {
			first[name] = d
			continue
		}
		f := e.add(DriverCopies, d.Name, d.Manifest,
			textf("%s and %s both name a %s", before.Manifest, d.Manifest, path.Base(d.File)), nil)
		if e.mac.Own.Resources != "" && strings.HasPrefix(before.Manifest, e.mac.Own.Resources+"/") {
			e.offer(f, explain.SetVariable(variables.OnlyInBundle, "1"))
		}
		if !strings.Contains(before.Manifest, ":") {
			e.offer(f, explain.SetVariable(variables.DriverFiles.Name(), before.Manifest))
		}
	}
}

// otherManifests returns changes that name the drivers' manifests of SDKs, Homebrew and MacPorts, which the loader does
// not search: those of the last place of the table first, so of the newest SDK.
func (e *macExam) otherManifests() (changes []explain.Change) {
	h := host{&e.mac.Machine}
	for _, place := range slices.Backward(h.places("mac-drivers")) {
		for _, file := range h.manifestsIn(place) {
			if !strings.Contains(file, ":") {
				changes = append(changes, explain.SetVariable(variables.DriverFiles.Name(), file))
			}
		}
	}
	return changes
}

// after examines the machine again with a change.
func (e *macExam) after(c *effect) ([]Finding, func(*Finding) bool, bool) {
	change, is := c.change.(macChange)
	again, err := lookMacOS(change.on(e.mac))
	if err != nil || !is {
		return nil, nil, false
	}
	return again.Findings, nil, true
}

// verdict returns the report in one line.
func (e *macExam) verdict(r *Report) string {
	if r.someGood() && len(e.plain.Drivers) == 0 {
		return fit(r.end(), []string{"Only programs that enable VK_KHR_portability_enumeration get a driver"})
	}
	return verdictWithoutKernel(r)
}

// ForeignLibrary examines the library of one manifest for macOS: whether it exists and exports the required functions.
func ForeignLibrary(source *systems.Foreign, m Entry) (Entry, []Finding) {
	e := &macExam{Report: newReport(source.System.Title), mac: source}
	e.examineLibrary(&m)
	return m, e.finish().Findings
}

// variables adds a finding for each entry of a variable that names a missing file or directory, such as those of a
// removed SDK.
func (e *macExam) variables() {
	source := &machine.Source{Machine: e.mac.Machine, Added: e.mac.Added}
	all := environment.Check(source, e.Answer)
	for _, f := range all {
		what := Finding{fact: misled{Problem: f}}
		if !what.misleads(noPlace...) {
			continue // the decision's findings are enough
		}
		severity := term.Either(decide.OnlyDrivers(f.Variable) && e.someGood(), diag.Warning, f.Code.Entry().Severity)
		e.offer(e.addDiagnostic(&diag.Diagnostic{Code: f.Code, Subject: f.Variable}, severity, what.fact,
			entryOf(f.Code)), environment.Changes(source, &f, all)...)
	}
}

// ExamineForeign reports the faults of drivers and layers on a machine with another system, by its files. Fuchsia opens
// libraries through a service, and its files tell nothing about them.
func ExamineForeign(source *systems.Foreign, answer *plan.Answer) (*Report, error) {
	switch source.System.Name {
	case "windows":
		return ExamineWindows(ForeignWindows(source))
	case "macos":
		return ExamineMacOS(source)
	}
	r := newReport(source.System.Title)
	r.Answer = answer
	for f := range each(answer.Diagnostics) {
		if !isOrdinary(f) {
			r.takenOver(f)
		}
	}
	r.examineEntries(func(m *Entry) { m.Good = true })
	if len(answer.Drivers) == 0 {
		r.takenOver(&diag.Diagnostic{Code: diag.DriverNone, Subject: source.System.Title, What: string(noDriverFound)})
	}
	r.judge = verdictWithoutKernel
	return r.finish(), nil
}

// verdictWithoutKernel returns a report in one line, as verdict does, on a machine whose kernel lists no devices in
// files.
func verdictWithoutKernel(r *Report) string {
	names := term.Words(r.Devices, func(d probe.Device) string { return d.Name })
	does := term.Either(len(names) == 1, " works", " work")
	switch broken := r.misbehaving(); {
	case len(broken) > 0:
		return fit(r.end(), brokenTexts(broken))
	case !r.someGood():
		return fit(r.end(), []string{term.Either(r.hasDriver(), "No driver works", "No driver is found") +
			", and no program gets Vulkan"})
	case r.Works:
		return fit(r.end(), []string{strings.Join(names, " and ") + does, term.Count(len(names), "device") + does})
	case r.Tried && !r.Unfinished():
		return fit(r.end(), []string{"No driver lists a device"})
	}
	return fit(r.end(), []string{"A driver is installed"})
}

// header is the content of a library's header.
type header struct {
	class   int
	machine string
	needs   []string
	exports func(function string) bool // nil: unknown
}

// Faults of a library by its header.
const (
	notThere    = "%s is not there"
	otherBits   = "%s is for %d-bit programs, and not for %s-bit programs"
	exportsNone = "%s exports no %s"
)

// examineHeader examines the library of a driver or layer for programs of a word size: l is its header, or the text
// about a file without one. foreign is what programs lose by a library of another word size. It returns the finding
// about a library that is not usable at all.
func (r *Report) examineHeader(m *Entry, bits string, l *header, none fact, foreign loss) *Finding {
	add := func(code Code, file string, what fact, lost loss) *Finding {
		m.Good = false
		return r.add(code, m.Name, file, what, nil, term.Either(m.Used || lost == nothing, lost, little))
	}
	switch {
	case m.File == "":
		return add(LibraryMissing, m.Library, textf(notThere, m.Library), usual)
	case l == nil:
		return add(LibraryUnreadable, m.File, none, usual)
	}
	m.Class, m.Machine, m.Needs, m.Good = l.class, l.machine, len(l.needs), true
	if l.class != classOf(bits) {
		return add(LibraryForeign, m.File, textf(otherBits, m.File, l.class, bits), foreign)
	}
	if is, usually, misfit := m.functions(); l.exports != nil && !is(l.exports) {
		add(misfit, m.File, textf(exportsNone, m.File, usually), usual)
	}
	return nil
}

func classOf(bits string) int { return term.Either(bits == "32", 32, 64) }
