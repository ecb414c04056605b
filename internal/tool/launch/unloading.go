package launch

// Unloading stands among suspects for the loader's unloading of drivers and layers, which a run can do without.
const Unloading = "unloading"

// unloading tries the program with no driver and no layer unloaded. A library that leaves something to be called when a
// thread ends is not at fault alone: it crashes where it no longer is, and works where it stays. done: the search is over.
func (s *culpritSearch) unloading() (done bool, err error) {
	seen, err := s.run([]Suspect{{Kind: Unloading, Name: Unloading}})
	if err != nil || seen.Stopped {
		_, err = s.broken(err)
		return true, err
	}
	if seen.Good {
		s.Last, s.Result = seen, SearchUnloading
	}
	return seen.Good, nil
}
