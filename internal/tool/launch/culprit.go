package launch

import (
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// Kind is what kind of suspect it is.
type Kind string

// Kinds.
const (
	Layer    Kind = "layer"
	Driver   Kind = "driver"
	Variable Kind = "variable"
)

// Suspect is a layer or driver that a program gets, or a variable that hides devices.
type Suspect struct {
	Kind     Kind   `json:"kind"` // layer, driver or variable
	Name     string `json:"name"` // of the layer or variable; of a driver, its manifest's file name
	Manifest string `json:"manifest,omitempty"`
	Library  string `json:"library,omitempty"`
	Value    string `json:"value,omitempty"` // of the variable
}

// Seen is how a run ended.
type Seen struct {
	Good    bool     // it did not fail
	Stopped bool     // who runs the tool has ended it
	What    string   // in words
	Files   []string // the mapped files on the call stack of the failure, innermost first
	Phase   string   // the loader's last phase before the failure
	Last    string   // the loader's last line
	Program string   // executable of the process that stood there
	Nowhere bool     // it stood where nothing is mapped
	Unused  bool     // it failed in a process without a loader, and no loader had written a line
	Layers  []string // names of layers that the loader put into the chain
}

// Run is a run that was made.
type Run struct {
	Without []string `json:"without"` // what was left out
	Good    bool     `json:"good"`
	What    string   `json:"what"`
}

// Trial runs the program with some suspects left out.
type Trial func(without []Suspect) (*Seen, error)

// Result is what became of a search.
type Result string

// Results.
const (
	EndedWell         Result = "fine"      // the program ended as it should
	FoundCulprit      Result = "found"     // it works when the culprits are left out
	FoundUnloading    Result = "unloading" // it works when no driver and no layer is unloaded
	NothingToLeaveOut Result = "elsewhere" // nothing can be left out so that it works
	FailsWithLoader   Result = "loader"    // it fails with one loader alone, and nothing can be left out so that it works there
	EndsDiffer        Result = "unsteady"  // the same run ends this way and that way
	BrokenOff         Result = "stopped"   // it was broken off
)

// Verdict is what a search found.
type Verdict struct {
	Result   Result
	Culprits []Suspect
	With     []Suspect // the layer that must also be present for the culprit to fail
	Runs     []Run
	First    *Seen // the run as the program is
	Last     *Seen // the run with the culprits left out
}

// searching is one under way.
type searching struct {
	*Verdict
	trial Trial
}

// FindCulprit looks for the culprit: a run as it is, without the variables that hide devices, without layers, then with fewer
// and fewer of the suspects left out. More gives the suspects, once the first run has shown which layers the program itself
// asks for.
func FindCulprit(trial Trial, more func(first *Seen) *Suspects) (*Verdict, error) {
	s := &searching{&Verdict{}, trial}
	first, err := s.run(nil)
	if err != nil {
		return nil, err
	}
	s.First = first
	if first.Good || first.Stopped {
		s.Result = EndedWell
		if first.Stopped {
			s.Result = BrokenOff
		}
		return s.Verdict, nil
	}
	list := more(first)
	if first.Nowhere {
		if done, err := s.unloading(); done || err != nil {
			return s.Verdict, err
		}
	}
	if first.Unused { // no layer or driver was there to do harm
		s.Result = NothingToLeaveOut
		return s.Verdict, nil
	}
	for _, suspects := range [][]Suspect{list.Variables, list.Layers} {
		if len(suspects) == 0 {
			continue
		}
		bare, err := s.run(suspects)
		if err != nil || bare.Stopped {
			return s.broken(err)
		}
		if bare.Good {
			return s.among(nil, suspects)
		}
	}
	if len(list.Drivers) > 1 {
		// Without any driver hardly a program goes on to where it crashes: what counts is that one can be left out.
		return s.among(list.Layers, list.Drivers)
	}
	s.Result = NothingToLeaveOut
	return s.Verdict, nil
}

// broken ends a search that was broken off.
func (s *searching) broken(err error) (*Verdict, error) {
	s.Result = BrokenOff
	return s.Verdict, err
}

func (s *searching) run(without []Suspect) (*Seen, error) {
	seen, err := s.trial(without)
	if err != nil {
		return nil, err
	}
	names := append([]string{}, term.Words(without, func(w Suspect) string { return w.Name })...)
	s.Runs = append(s.Runs, Run{Without: names, Good: seen.Good, What: seen.What})
	return seen, nil
}

// fewest is how many of n suspects, from the first on, it takes for the program to fail: the last of these is at fault.
// without are those to leave out when the suspects from a place on are. 0: a run was stopped or could not be made.
func (s *searching) fewest(n int, without func(from int) []Suspect) (int, error) {
	works, fails := 0, n
	for fails-works > 1 {
		middle := (works + fails) / 2
		seen, err := s.run(without(middle))
		if err != nil || seen.Stopped {
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

// among finds the culprits among suspects, with others left out in every run. With all suspects left out it works.
func (s *searching) among(out, suspects []Suspect) (*Verdict, error) {
	rest := slices.Clone(suspects)
	with := func(more ...Suspect) []Suspect { return slices.Concat(out, s.Culprits, more) }
	if at := s.pointedAt(rest); at >= 0 { // the one that it stood in is tried first
		seen, err := s.run(with(rest[at]))
		if err != nil || seen.Stopped {
			return s.broken(err)
		}
		if seen.Good {
			s.Culprits, s.Last, s.Result = append(s.Culprits, rest[at]), seen, FoundCulprit
			return s.together(suspects)
		}
	}
	for len(rest) > 0 {
		fails, err := s.fewest(len(rest), func(from int) []Suspect { return with(rest[from:]...) })
		if fails == 0 {
			return s.broken(err)
		}
		s.Culprits = append(s.Culprits, rest[fails-1])
		rest = slices.Delete(rest, fails-1, fails)
		if len(rest) == 0 && suspects[0].Kind == Driver {
			break // with none left it proves nothing
		}
		seen, err := s.run(with())
		if err != nil || seen.Stopped {
			return s.broken(err)
		}
		if seen.Good {
			s.Last, s.Result = seen, FoundCulprit
			return s.together(suspects)
		}
	}
	s.Culprits, s.Result = nil, NothingToLeaveOut
	if suspects[0].Kind != Driver {
		s.Result = EndsDiffer // without all of them it did work
	}
	return s.Verdict, nil
}

// together finds the layer that the only culprit fails with, where it does no harm alone.
func (s *searching) together(suspects []Suspect) (*Verdict, error) {
	if len(s.Culprits) != 1 || s.Culprits[0].Kind != Layer || len(suspects) == 1 {
		return s.Verdict, nil
	}
	others := slices.DeleteFunc(slices.Clone(suspects), func(x Suspect) bool { return x == s.Culprits[0] })
	alone, err := s.run(others)
	if err != nil || alone.Stopped {
		return s.broken(err)
	}
	if !alone.Good {
		return s.Verdict, nil
	}
	fails, err := s.fewest(len(others), func(from int) []Suspect { return others[from:] })
	if fails == 0 {
		return s.broken(err)
	}
	s.With = []Suspect{others[fails-1]}
	return s.Verdict, nil
}

// pointedAt is the suspect whose library the first run stood in, or was called through; -1 for none.
func (s *searching) pointedAt(list []Suspect) int {
	for _, file := range s.First.Files {
		if at := slices.IndexFunc(list, func(x Suspect) bool { return x.Owns(file) }); at >= 0 {
			return at
		}
	}
	return -1
}

// Owns tells whether a mapped file is the suspect's library, whatever the version in its name.
func (x *Suspect) Owns(file string) bool {
	stem := func(name string) string {
		name, _, _ = strings.Cut(machine.Style.Base(name), ".so")
		return name
	}
	return x.Library != "" && (x.Library == file || machine.SameFileName(stem(x.Library), stem(file)))
}

// KeepLoaded stands among suspects for the loader's unloading of drivers and layers, which a run can do without.
const KeepLoaded Kind = "unloading"

// unloading tries the program with no driver and no layer unloaded. A library that leaves something to be called when a
// thread ends is not at fault alone: it crashes where it no longer is, and works where it stays. done: the search is over.
func (s *searching) unloading() (done bool, err error) {
	seen, err := s.run([]Suspect{{Kind: KeepLoaded, Name: string(KeepLoaded)}})
	if err != nil || seen.Stopped {
		_, err = s.broken(err)
		return true, err
	}
	if seen.Good {
		s.Last, s.Result = seen, FoundUnloading
	}
	return seen.Good, nil
}
