package run

import (
	"errors"
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// Kind is the kind of a suspect.
type Kind string

// Kinds of suspects.
const (
	Layer    Kind = "layer"
	Driver   Kind = "driver"
	Variable Kind = "variable"

	// Pseudo-suspects. A run without unloading finds libraries whose code runs at a thread's end, and crashes if it is
	// unloaded by then. A run without drivers that stay open finds a library that one of them needs, and the program in
	// another version.
	KeepLoaded Kind = "unloading"
	KeepNone   Kind = "drivers that stay open"
)

// Suspect is a layer or driver of a program, or a variable that hides devices.
type Suspect struct {
	Kind     Kind   `json:"kind"` // layer, driver or variable
	Name     string `json:"name"` // the layer's or variable's name, or the file name of the driver's manifest
	Manifest string `json:"manifest,omitempty"`
	Library  string `json:"library,omitempty"`
	Value    string `json:"value,omitempty"` // the variable's value
}

// Seen is the end of a run.
type Seen struct {
	Good    bool     `json:"-"`                   // it did not fail
	Stopped bool     `json:"-"`                   // the user of the tool ended it
	What    string   `json:"what"`                // how the program ended
	Process string   `json:"process,omitempty"`   // the executable of the failed process
	Files   []string `json:"files"`               // the mapped files on the call stack of the failure, innermost first
	Phase   string   `json:"phase"`               // the loader's last phase before the failure
	Wrote   string   `json:"wrote,omitempty"`     // the last lines on standard error that are not the loader's
	Last    string   `json:"last_line,omitempty"` // the loader's last line
	Errors  []string `json:"errors,omitempty"`    // the loader's last different errors
	Nowhere bool     `json:"-"`                   // the failed instruction is outside of every mapping
	Missing bool     `json:"-"`                   // the dynamic linker found no definition of a symbol
	Unused  bool     `json:"-"`                   // it failed in a process without a loader, before any line of one
	Cut     bool     `json:"-"`                   // the dynamic linker ended it; Files may have the file with the fault
	Layers  []string `json:"-"`                   // names of layers that the loader put into the chain

	Deviceless string `json:"-"` // why the program has no device, though no driver failed; "": it may have one
	Lacks      string `json:"-"` // the extension that the program enables and its device lacks; "": none is known

	Refused string `json:"-"` // the loader's error about a layer that the program asks for, and got no instance without
}

// Run is a completed run.
type Run struct {
	Without []string `json:"without"` // the excluded suspects
	Good    bool     `json:"good"`
	What    string   `json:"what"`
}

// TrialRun runs the program without some suspects.
type TrialRun func(without []Suspect) (*Seen, error)

// SearchResult is the result of a search.
type SearchResult string

// Results of searches.
const (
	EndedWell         SearchResult = "fine"      // the program works
	FoundCulprit      SearchResult = "found"     // the program works without the culprits
	FoundUnloading    SearchResult = "unloading" // the program works if no driver and no layer is unloaded
	FoundKeeping      SearchResult = "keeping"   // the program works if every driver is unloaded with its last instance
	NothingToLeaveOut SearchResult = "elsewhere" // the program fails without every suspect
	// the program fails with one loader only, and fails there without every suspect
	FailsWithLoader SearchResult = "loader"
	EndsDiffer      SearchResult = "unsteady" // equal runs end differently
	BrokenOff       SearchResult = "stopped"  // the search was cancelled
)

// CulpritSearch is the outcome of a search.
type CulpritSearch struct {
	Result   SearchResult `json:"result"` // fine, found, unloading, keeping, loader, elsewhere, unsteady or stopped
	Culprits []Suspect    `json:"culprits"`
	With     []Suspect    `json:"with,omitempty"` // the layer that must also be present for the culprit to fail
	Runs     []Run        `json:"runs"`
	First    *Seen        `json:"-"` // the run with all suspects
}

// searching is a search in progress.
type searching struct {
	*CulpritSearch
	trial TrialRun
}

// errStopped reports that the user of the tool ended a run.
var errStopped = errors.New("stopped")

// FindCulprit searches for the culprit of a failure. It runs the program unchanged, without the variables that hide
// devices, without layers, and then halves the suspects. more returns the suspects, given the first run, which shows
// the layers that the program itself enables.
func FindCulprit(trial TrialRun, more func(first *Seen) *Suspects) (*CulpritSearch, error) {
	s := &searching{&CulpritSearch{Result: NothingToLeaveOut, Culprits: []Suspect{}}, trial}
	err := s.search(more)
	if errors.Is(err, errStopped) {
		s.Result, err = BrokenOff, nil
	}
	return s.CulpritSearch, err
}

func (s *searching) search(more func(first *Seen) *Suspects) (err error) {
	if s.First, err = s.run(nil); err != nil {
		return err
	}
	first := s.First
	if first.Good {
		s.Result = EndedWell
		return nil
	}
	list := more(first)
	for _, try := range []struct {
		applies bool
		kind    Kind
		result  SearchResult
	}{{first.Nowhere, KeepLoaded, FoundUnloading}, {first.Missing, KeepNone, FoundKeeping}} {
		if !try.applies {
			continue
		}
		seen, err := s.run([]Suspect{{Kind: try.kind, Name: string(try.kind)}})
		if err != nil {
			return err
		}
		if seen.Good {
			s.Result = try.result
			return nil
		}
	}
	cut := first.Cut && s.pointedAt(slices.Concat(list.Layers, list.Drivers)) < 0
	if cut || first.Unused || first.Refused != "" { // no layer or driver was loaded, or none is at fault
		return nil
	}
	if first.Lacks != "" { // a layer may put this device first, which is no fault
		if done, err := s.each(list.Drivers, nil); done || err != nil {
			return err
		}
	}
	for _, suspects := range [][]Suspect{list.Variables, list.Layers} {
		if len(suspects) == 0 {
			continue
		}
		bare, err := s.run(suspects)
		if err != nil {
			return err
		}
		if bare.Good {
			return s.among(nil, suspects)
		}
	}
	if len(list.Drivers) > 1 && first.Deviceless+first.Lacks == "" {
		// Without any driver, few programs reach the point of the crash, so only runs without a single driver count.
		return s.among(list.Layers, list.Drivers)
	}
	return nil
}

// run runs the program once; a stopped run is errStopped.
func (s *searching) run(without []Suspect) (*Seen, error) {
	seen, err := s.trial(without)
	if err != nil {
		return nil, err
	}
	names := append([]string{}, term.Words(without, func(w Suspect) string { return w.Name })...)
	s.Runs = append(s.Runs, Run{Without: names, Good: seen.Good, What: seen.What})
	return seen, term.Either(seen.Stopped, errStopped, nil)
}

// fewest returns the smallest number of suspects, counted from the first, with which the program fails. The last of
// these is a culprit. without(n) returns the suspects to exclude so that only the first n remain.
func (s *searching) fewest(n int, without func(from int) []Suspect) (int, error) {
	works, fails := 0, n
	for fails-works > 1 {
		middle := (works + fails) / 2
		seen, err := s.run(without(middle))
		if err != nil {
			return 0, err
		}
		if seen.Good {
			works = middle
		} else {
			fails = middle
		}
	}
	return fails, nil
}

// each tries the program without each one of some suspects. Every run excludes out. done: one is the culprit.
func (s *searching) each(suspects, out []Suspect) (done bool, err error) {
	for _, one := range suspects {
		seen, err := s.run(slices.Concat(out, []Suspect{one}))
		if err != nil {
			return false, err
		}
		if seen.Good {
			s.Culprits, s.Result = append(s.Culprits, one), FoundCulprit
			return true, nil
		}
	}
	return false, nil
}

// among finds the culprits among suspects. Every run excludes out. The program works without all suspects.
func (s *searching) among(out, suspects []Suspect) error {
	rest := slices.Clone(suspects)
	with := func(more ...Suspect) []Suspect { return slices.Concat(out, s.Culprits, more) }
	var single []Suspect // are tried alone first
	if at := s.pointedAt(rest); at >= 0 {
		single = rest[at : at+1] // the suspect in the failure's call stack
	}
	if rest[0].Kind == Driver { // a run without the driver of the program's device fails, too, so halves prove nothing
		single = append(slices.Clone(single),
			slices.DeleteFunc(slices.Clone(rest), func(x Suspect) bool { return slices.Contains(single, x) })...)
	}
	if done, err := s.each(single, out); err != nil {
		return err
	} else if done {
		return s.together(suspects)
	}
	for len(rest) > 0 {
		fails, err := s.fewest(len(rest), func(from int) []Suspect { return with(rest[from:]...) })
		if err != nil {
			return err
		}
		s.Culprits = append(s.Culprits, rest[fails-1])
		rest = slices.Delete(rest, fails-1, fails)
		if len(rest) == 0 && suspects[0].Kind == Driver {
			break // a run without any driver proves nothing
		}
		seen, err := s.run(with())
		if err != nil {
			return err
		}
		if seen.Good {
			s.Result = FoundCulprit
			return s.together(suspects)
		}
	}
	s.Culprits, s.Result = []Suspect{}, NothingToLeaveOut
	if suspects[0].Kind != Driver {
		s.Result = EndsDiffer // the program did work without all of them
	}
	return nil
}

// together finds the layer that makes the only culprit fail, if the culprit works alone.
func (s *searching) together(suspects []Suspect) error {
	if len(s.Culprits) != 1 || s.Culprits[0].Kind != Layer || len(suspects) == 1 {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(suspects), func(x Suspect) bool { return x == s.Culprits[0] })
	alone, err := s.run(others)
	if err != nil || !alone.Good {
		return err
	}
	fails, err := s.fewest(len(others), func(from int) []Suspect { return others[from:] })
	if err != nil {
		return err
	}
	s.With = []Suspect{others[fails-1]}
	return nil
}

// pointedAt returns the index of the first suspect whose library is in the failure's call stack; -1 for none.
func (s *searching) pointedAt(list []Suspect) int {
	for _, file := range s.First.Files {
		if at := slices.IndexFunc(list, func(x Suspect) bool { return x.Owns(file) }); at >= 0 {
			return at
		}
	}
	return -1
}

// Owns reports whether a mapped file is the suspect's library. It ignores the version in the file's name.
func (x *Suspect) Owns(file string) bool {
	stem := func(name string) string {
		name, _, _ = strings.Cut(machine.Style.Base(name), ".so")
		return name
	}
	return x.Library != "" && (x.Library == file || machine.SameName(stem(x.Library), stem(file)))
}

// Scene is the decision for a program.
type Scene struct {
	Source *machine.Source
	Answer *plan.Answer

	Program explain.Option // of the answer

	ByFiles bool // exclude drivers by listing the others, for a loader without filters
}

// Suspects are the components and variables that a run can exclude.
type Suspects struct {
	Variables, Layers, Drivers []Suspect
	Stay                       []string // names of components that no variable excludes
}

// hiding lists variables that hide devices from a program or end it: with "list", Mesa's layer calls exit.
var hiding = []string{variables.DeviceIDFilter.Name(), variables.VendorIDFilter.Name(), variables.DriverIDFilter.Name(),
	drivers.MesaSelect, drivers.MesaForce, drivers.MesaPrime}

// Suspects returns the variables that hide devices, and the layers and drivers that a run can exclude. more are the
// names of layers that the program itself enables.
func (s *Scene) Suspects(more []string) *Suspects {
	found := &Suspects{}
	for _, name := range hiding {
		if value, _ := s.Source.Lookup(name); value != "" {
			found.Variables = append(found.Variables, Suspect{Kind: Variable, Name: name, Value: value})
		}
	}
	active := explain.Active(s.Answer)
	for _, l := range s.Answer.Layers {
		enabled := slices.Contains(active, l) || slices.Contains(more, l.Name)
		if enabled && !l.Meta && !slices.ContainsFunc(found.Layers, func(x Suspect) bool { return x.Name == l.Name }) {
			found.Layers = append(found.Layers, Suspect{Kind: Layer, Name: l.Name, Manifest: l.Manifest,
				Library: s.real(l.Library)})
		}
	}
	found.Drivers = term.Words(s.Answer.Drivers, func(d *manifest.Driver) Suspect {
		return Suspect{Kind: Driver, Name: machine.Style.Base(d.Path), Manifest: d.Path, Library: s.real(d.Library)}
	})
	stays := func(x Suspect) bool {
		if s.stays(x) {
			found.Stay = append(found.Stay, x.Name)
			return true
		}
		return false
	}
	found.Layers, found.Drivers = slices.DeleteFunc(found.Layers, stays), slices.DeleteFunc(found.Drivers, stays)
	return found
}

// stays reports whether a suspect stays active in spite of the variables. Runs cannot test it.
func (s *Scene) stays(x Suspect) bool {
	source := *s.Source
	source.Environ, _ = s.Without([]Suspect{x})
	answer, err := explain.Decide(&source, s.Program)
	return err != nil || explain.ActiveLayer(answer, x.Name) != nil ||
		slices.ContainsFunc(answer.Drivers, func(d *manifest.Driver) bool { return d.Path == x.Manifest })
}

func (s *Scene) real(library string) string {
	if real, err := s.Source.Real(library); machine.Style.Directory(library) != "" && err == nil {
		return real
	}
	return library
}

// noManifest is a filter entry that matches no manifest.
const noManifest = "none"

// driversWithout returns the manifests of the drivers that are not in a list.
func (s *Scene) driversWithout(list []Suspect) (files []string) {
	for _, d := range s.Answer.Drivers {
		if !slices.ContainsFunc(list, func(x Suspect) bool { return x.Kind == Driver && x.Manifest == d.Path }) {
			files = append(files, d.Path)
		}
	}
	return files
}

// Without returns the environment that excludes suspects, and its changes.
func (s *Scene) Without(list []Suspect) (environ []string, changes []explain.Change) {
	set := func(name, value string) { changes = append(changes, explain.SetVariable(name, value)) }
	var layers, names []string
	for _, x := range list {
		l := explain.Layer(s.Answer, x.Name, x.Manifest)
		switch {
		case x.Kind == Variable:
			changes = append(changes, explain.UnsetVariable(x.Name))
		case x.Kind == KeepLoaded:
			set(variables.DisableUnloading.Name(), "1")
		case x.Kind == KeepNone:
			set(variables.DisableUnloading.Name(), "0")
		case x.Kind == Driver:
			names = append(names, x.Name)
		case l != nil && l.Implicit && l.DisableName != "":
			set(l.DisableName, "1")
		default:
			layers = append(layers, x.Name)
		}
	}
	if s.ByFiles && len(names) > 0 {
		left := strings.Join(s.driversWithout(list), machine.ListSeparator)
		set(variables.ICDFilenames.Name(), left)
		if _, has := s.Source.Lookup(variables.DriverFiles.Name()); has { // it takes precedence
			set(variables.DriverFiles.Name(), left)
		}
		names = nil
	}
	selected, _ := s.Source.Lookup(variables.DriversSelect.Name())
	// VK_LOADER_DRIVERS_DISABLE does not exclude a selected driver (ENV-15).
	if slices.ContainsFunc(names, func(name string) bool { return plan.Matches(selected, name) }) {
		left := term.Words(s.driversWithout(list), machine.Style.Base)
		if len(left) == 0 {
			left = []string{noManifest}
		}
		set(variables.DriversSelect.Name(), strings.Join(left, ","))
	}
	for v, more := range map[variables.ID][]string{variables.LayersDisable: layers, variables.DriversDisable: names} {
		if len(more) > 0 {
			changes = append(changes, explain.AddToFilter(s.Source, v, more...)[0])
		}
	}
	for v, separator := range map[variables.ID]string{variables.InstanceLayers: machine.ListSeparator,
		variables.LayersEnable: ","} {
		changes = append(changes, explain.DropFromList(s.Source, v, separator, func(name string) bool {
			return slices.ContainsFunc(list, func(x Suspect) bool { return x.Kind == Layer && x.Name == name })
		})...)
	}
	slices.SortFunc(changes, func(a, b explain.Change) int { return strings.Compare(a.Variable, b.Variable) })
	return explain.Apply(s.Source.Environ, changes), changes
}
