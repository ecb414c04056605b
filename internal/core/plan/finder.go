package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
)

// finder searches for manifests.
type finder struct {
	call
	searched *[3]search.Locations // by search.Kind
}

// search returns the manifests of a kind and logs the search (LOG-17).
func (s *finder) search(k search.Kind, noVariables bool, override []string) []search.ManifestFile {
	flags := diag.Layer
	if k == search.Drivers {
		flags = diag.Driver
	}
	var at *places
	if noVariables || override != nil {
		at = s.build(&places{}, k, noVariables, override)
	} else {
		at = s.usual(k)
	}
	for _, path := range at.TooLong {
		s.say(diag.Debug, diag.LocationTooLong, path, "", "add_data_files: Path to "+path+" too long")
	}
	for _, v := range at.Ignored {
		s.find(diag.VariableIgnored, v.From, "", diag.OtherVariable, v.Path)
	}
	s.carry(at.Said)
	found, missing := at.found, at.missing
	s.searched[k] = at.Locations
	s.log(flags, "Searching for "+k.What()+" manifest files")
	s.log(flags, "   In following locations:")
	for i := range at.List {
		if one := &at.List[i]; !s.quiet && one.Told {
			s.log(flags, "      "+one.Path+" ("+one.From+")")
		} else if !s.quiet {
			s.log(flags, "      "+one.Path)
		}
	}
	for i := range missing {
		s.find(diag.LocationMissing, missing[i].From, missing[i].Path, diag.Plain, "")
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

// usual returns the usual locations of a kind. They do not change in a call once all their facts are known.
func (s *finder) usual(k search.Kind) *places {
	p := &s.m.places[k]
	if !p.known {
		s.build(p, k, false, nil)
		p.known = !s.f.Missing()
	}
	return p
}

func (s *finder) build(p *places, k search.Kind, noVariables bool, override []string) *places {
	p.Locations = search.Build(&s.q.Platform, k, s.f, noVariables, override)
	p.found, p.missing = p.Files(s.f)
	return p
}

// ask requests the manifests of a list.
func (s *finder) ask(list []search.ManifestFile) {
	for i := range list {
		s.f.File(list[i].Path)
	}
}
