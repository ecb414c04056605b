package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
)

// finder makes the searches for manifests.
type finder struct {
	call
	searched *[3]search.Locations // by search.Kind
}

// search makes a search and logs it (LOG-17).
func (s *finder) search(k search.Kind, noVariables bool, override []string) []search.Found {
	flags := diag.Layer
	if k == search.Drivers {
		flags = diag.Driver
	}
	places := search.Build(&s.q.Platform, k, s.f, noVariables, override)
	for _, path := range places.TooLong {
		s.say(diag.Debug, diag.LocationTooLong, path, "", "add_data_files: Path to "+path+" too long")
	}
	for _, v := range places.Ignored {
		s.find(diag.VariableIgnored, v.From, "", v.From+" is set, but "+v.Path+" takes its place")
	}
	s.carry(places.Said)
	found, missing := places.Files(s.f)
	s.searched[k] = places
	s.log(flags, "Searching for "+k.What()+" manifest files")
	s.log(flags, "   In following locations:")
	for i := range places.List {
		if at := &places.List[i]; !s.quiet && at.Told {
			s.log(flags, "      "+at.Path+" ("+at.From+")")
		} else if !s.quiet {
			s.log(flags, "      "+at.Path)
		}
	}
	for i := range missing {
		s.find(diag.LocationMissing, missing[i].From, missing[i].Path, "no such directory")
	}
	if len(found) == 0 {
		s.log(flags, "   Found no files")
		return nil
	}
	s.log(flags, "   Found the following files:")
	for i := range found {
		if !s.quiet {
			s.log(flags, "      "+found[i].Path)
		}
	}
	return found
}

// look finds the manifests of a kind in its usual places.
func (s *finder) look(k search.Kind) []search.Found {
	places := search.Build(&s.q.Platform, k, s.f, false, nil)
	found, _ := places.Files(s.f)
	return found
}

// ask asks for manifests.
func (s *finder) ask(list []search.Found) {
	for i := range list {
		s.f.File(list[i].Path)
	}
}
