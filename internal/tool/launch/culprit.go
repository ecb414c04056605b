package launch

import (
	"path"
	"slices"
	"strings"
)

// Suspect is a layer or driver that a program gets.
type Suspect struct {
	Kind     string `json:"kind"` // layer or driver
	Name     string `json:"name"` // of the layer; of a driver, its manifest's file name
	Manifest string `json:"manifest"`
	Library  string `json:"library,omitempty"`
}

// Seen is how a run ended.
type Seen struct {
	Good    bool     // neither a crash nor a hang
	Stopped bool     // who runs the tool has ended it
	What    string   // in words
	Files   []string // where it stood, and what had called that, nearest first
	Phase   string   // how far the loader had come
	Last    string   // the loader's last line
	Program string   // executable of the process that stood there
	Nowhere bool     // it stood where nothing is mapped
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

// Results of a search.
const (
	SearchFine      = "fine"      // the program ended as it should
	SearchFound     = "found"     // it works when the culprits are left out
	SearchUnloading = "unloading" // it works when no driver and no layer is unloaded
	SearchElsewhere = "elsewhere" // no layer and no driver can be left out so that it works
	SearchUnsteady  = "unsteady"  // the same run ends this way and that way
	SearchStopped   = "stopped"   // it was broken off
)

// Verdict is what a search found.
type Verdict struct {
	Result   string
	Culprits []Suspect
	Runs     []Run
	First    *Seen // the run as the program is
	Last     *Seen // the run with the culprits left out
}

// culpritSearch is one under way.
type culpritSearch struct {
	*Verdict
	trial Trial
}

// FindCulprit looks for the culprit: the program as it is, without layers, then with fewer and fewer of the suspects left out. More
// gives the suspects, once the first run has shown which layers the program itself asks for.
func FindCulprit(trial Trial, more func(first *Seen) (layers, drivers []Suspect)) (*Verdict, error) {
	s := &culpritSearch{&Verdict{}, trial}
	first, err := s.run(nil)
	if err != nil {
		return nil, err
	}
	s.First = first
	if first.Good || first.Stopped {
		s.Result = SearchFine
		if first.Stopped {
			s.Result = SearchStopped
		}
		return s.Verdict, nil
	}
	layers, drivers := more(first)
	if first.Nowhere {
		if done, err := s.unloading(); done || err != nil {
			return s.Verdict, err
		}
	}
	if len(layers) > 0 {
		bare, err := s.run(layers)
		if err != nil || bare.Stopped {
			return s.broken(err)
		}
		if bare.Good {
			return s.among(nil, layers)
		}
	}
	if len(drivers) > 1 {
		// Without any driver hardly a program goes on to where it crashes: what counts is that one can be left out.
		return s.among(layers, drivers)
	}
	s.Result = SearchElsewhere
	return s.Verdict, nil
}

// broken ends a search that was broken off.
func (s *culpritSearch) broken(err error) (*Verdict, error) {
	s.Result = SearchStopped
	return s.Verdict, err
}

func (s *culpritSearch) run(without []Suspect) (*Seen, error) {
	seen, err := s.trial(without)
	if err != nil {
		return nil, err
	}
	run := Run{Without: []string{}, Good: seen.Good, What: seen.What}
	for _, w := range without {
		run.Without = append(run.Without, w.Name)
	}
	s.Runs = append(s.Runs, run)
	return seen, nil
}

// among finds the culprits among suspects, with others left out in every run. With all suspects left out it works.
func (s *culpritSearch) among(out, suspects []Suspect) (*Verdict, error) {
	rest := slices.Clone(suspects)
	with := func(more ...Suspect) []Suspect { return slices.Concat(out, s.Culprits, more) }
	if at := s.pointedAt(rest); at >= 0 { // the one that it stood in is tried first
		seen, err := s.run(with(rest[at]))
		if err != nil || seen.Stopped {
			return s.broken(err)
		}
		if seen.Good {
			s.Culprits, s.Last, s.Result = append(s.Culprits, rest[at]), seen, SearchFound
			return s.Verdict, nil
		}
	}
	for len(rest) > 0 {
		// The fewest of them, from the first on, with which it does not work: the last of these is a culprit.
		works, fails := 0, len(rest)
		for fails-works > 1 {
			middle := (works + fails) / 2
			seen, err := s.run(with(rest[middle:]...))
			if err != nil || seen.Stopped {
				return s.broken(err)
			}
			if seen.Good {
				works = middle
			} else {
				fails = middle
			}
		}
		s.Culprits = append(s.Culprits, rest[fails-1])
		rest = slices.Delete(rest, fails-1, fails)
		if len(rest) == 0 && suspects[0].Kind == "driver" {
			break // with none left it proves nothing
		}
		seen, err := s.run(with())
		if err != nil || seen.Stopped {
			return s.broken(err)
		}
		if seen.Good {
			s.Last, s.Result = seen, SearchFound
			return s.Verdict, nil
		}
	}
	s.Culprits, s.Result = nil, SearchElsewhere
	if suspects[0].Kind == "layer" {
		s.Result = SearchUnsteady // without all of them it did work
	}
	return s.Verdict, nil
}

// pointedAt is the suspect whose library the first run stood in, or was called through; -1 for none.
func (s *culpritSearch) pointedAt(list []Suspect) int {
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
		name, _, _ = strings.Cut(path.Base(name), ".so")
		return name
	}
	return x.Library != "" && (x.Library == file || stem(x.Library) == stem(file))
}
