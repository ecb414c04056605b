package doctor

import (
	"os"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
)

// PC is a machine with Windows: the facts of the decision, as programs of one word size see them, and what those leave out.
type PC interface {
	facts.Source
	Title() string                      // of its system
	WordSize() string                   // of the programs, "32" or "64"
	Views() []string                    // the word sizes of programs that run there
	Seen(bits string) PC                // the same machine, as programs of this word size see it
	Files() bool                        // its files can be looked at; false: the registry alone is known
	Whole() bool                        // all of them are there; false: a copy of some
	Open(name string) (*os.File, error) // a file, by its path there
	App() string                        // the program; "": none in particular
	Directories() []string              // where the system looks for a library without a path, after the program's own
	Loader() *loaders.Loader            // that the program gets, whose facts these are; nil: none
	Variables() []string                // that are set, also those that this loader does not read
	Version(file string) string         // what a file's resources say; "": not known
	Running() *machine.Source           // the system that runs here; nil: it is another
}

// pcExam is an examination of a PC under way.
type pcExam struct {
	*Report
	pc      PC
	plan    *plan.Answer
	changes map[pcKey][]pcChange // that may end a finding
}

// ExaminePC says what is wrong on the way from a program to its drivers on a machine with Windows, by its registry and its
// files, and tries what is said to help. Nothing is loaded.
func ExaminePC(pc PC) (*Report, error) {
	e, err := lookPC(pc)
	if err != nil {
		return nil, err
	}
	e.settle()
	e.sum = e.verdict
	e.Order()
	return e.Report, nil
}

// lookPC examines without trying anything.
func lookPC(pc PC) (*pcExam, error) {
	e := &pcExam{pc: pc, changes: map[pcKey][]pcChange{}, Report: newReport(pc.Title())}
	if e.Class = classOf(pc.WordSize()); e.Class == ProcessClass {
		e.Class = 0
	}
	var err error
	if e.plan, err = decide.ChangedOn(search.Windows(pc.WordSize()), pc, decide.Program{}); err != nil {
		return nil, err
	}
	e.Answer, e.source = e.plan, pc.Running()
	e.Loader, e.Program = pc.Loader(), pc.App()
	named := e.registry()
	for i := range e.plan.Findings {
		f := &e.plan.Findings[i]
		if device := e.deviceOf(f, named); device != "" {
			e.found(DriverPackage, e.base(f.Path), f.Path, said(deviceNames, device, f.Path), nil)
		} else if !e.toldOtherwise(f, named) {
			e.takenOver(f)
		}
	}
	if pc.Files() {
		e.libraries()
		e.implicit()
		e.layered()
		e.loaders()
	}
	if err := e.otherView(); err != nil {
		return nil, err
	}
	e.elevated()
	e.ignored()
	return e, nil
}

func classOf(bits string) int {
	if bits == "32" {
		return 32
	}
	return 64
}

// toldOtherwise are findings of the decision that "list" and "explain" tell, or that the doctor says in one of its own;
// named are the paths of values of the registry that it has said something about.
func (e *pcExam) toldOtherwise(f *diag.Finding, named map[string]bool) bool {
	switch f.Code {
	case diag.DriverUsed, diag.LayerListed, diag.LayerActive, diag.LayerInactive, diag.LocationMissing, diag.SettingsNone, diag.SettingsUsed,
		diag.VariableElevated, diag.DriverRegistryOff, diag.LayerRegistryOff:
		return true
	case diag.FileOpen:
		return !e.pc.Files() || named[f.Path]
	}
	return false
}

// deviceOf is the display device whose driver package lacks the manifest that a finding is about; "": it is about something else.
func (e *pcExam) deviceOf(f *diag.Finding, named map[string]bool) string {
	if f.Code != diag.FileOpen || !e.pc.Files() || named[f.Path] || e.pc.Exists(f.Path) {
		return ""
	}
	return e.namedByDevice(f.Path)
}

// pcKey is what makes two findings the same one: a value may be in two keys, or in two views.
type pcKey struct {
	key
	at entry
}

func keyOf(f *Finding) pcKey {
	what, _ := f.fact.(valueIn)
	return pcKey{f.key(), what.at}
}

// offering adds changes that may end a finding.
func (e *pcExam) offering(f *Finding, changes ...pcChange) {
	e.changes[keyOf(f)] = append(e.changes[keyOf(f)], changes...)
}

// settle tries the changes that are offered, each on the whole examination, and tells those that help.
func (e *pcExam) settle() {
	problem := func(list []Finding) map[pcKey]bool {
		found := map[pcKey]bool{}
		for i := range list {
			found[keyOf(&list[i])] = list[i].Severity == diag.Problem
		}
		return found
	}
	before, looks := problem(e.Findings), 0
	for i := range e.Findings {
		f := &e.Findings[i]
		for _, c := range e.changes[keyOf(f)] {
			if looks++; looks > maxLooks {
				return
			}
			again, err := lookPC(changedPC{e.pc, c})
			if err != nil {
				continue
			}
			after := problem(again.Findings)
			_, still := after[keyOf(f)]
			for k, bad := range after {
				still = still || bad && !before[k]
			}
			if !still && e.sameBut(again, f) {
				f.advice = pcTried{c}
				break
			}
		}
	}
}

// sameBut tells whether after a change programs get what they got before, but for what a finding is about.
func (e *pcExam) sameBut(after *pcExam, f *Finding) bool {
	about := func(m Module) bool {
		// Behind a layer for the other word size may be another one of its name, which programs get then.
		return m.Manifest == f.Path || f.Code == RegistryOff || f.Code == LibraryForeign && (m.File == f.Path || m.Name == f.Subject)
	}
	for _, lists := range [][2][]Module{{e.Drivers, after.Drivers}, {e.Layers, after.Layers}} {
		for i, list := range lists {
			for _, m := range list {
				there := slices.ContainsFunc(lists[1-i], func(o Module) bool { return o.Name == m.Name && o.Manifest == m.Manifest && o.Used == m.Used })
				if !there && !about(m) {
					return false
				}
			}
		}
	}
	return true
}

// verdict is the report in one line.
func (e *pcExam) verdict() string {
	if broken := e.misbehaving(); broken != "" {
		return broken + "."
	}
	switch good := slices.ContainsFunc(e.Drivers, func(d Module) bool { return d.Good }); {
	case !e.pc.Files() && e.Has(diag.Problem):
		return "The registry has problems; no file was examined."
	case !e.pc.Files():
		return "The registry has no problems; no file was examined."
	case !good:
		return "Vulkan will not work: no driver was found whose library exists."
	case e.Has(diag.Problem):
		return "Vulkan should work, but there are problems."
	case e.Works:
		return "Vulkan works (tried)."
	case len(e.waiting()) > 0:
		return "No problems found so far; still being tried: " + strings.Join(e.waiting(), ", ") + "."
	case e.Tried:
		return "No problems found, but no driver gave a device."
	case e.pc.Whole():
		return "No problems found without loading a driver."
	}
	return "No problems found in the files."
}

// base is the last part of a path of Windows.
func (e *pcExam) base(path string) string { return e.plan.Style.Base(path) }

func sameName(a, b string) bool { return strings.EqualFold(a, b) }
