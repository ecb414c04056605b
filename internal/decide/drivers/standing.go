package drivers

import (
	"errors"
	"io/fs"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/standing"
)

// StandingOf returns the standing of a judged library. used: the rules choose it; lacks: the code for a library without
// the functions of its kind.
func (f *Files) StandingOf(used bool, lacks string) standing.Standing {
	s := standing.Standing{Stage: standing.NotChosen}
	if used {
		s.Stage = standing.Chosen
	}
	s.Fault, s.But = f.fault(lacks)
	if s.Fault == "" && used {
		s.Stage = standing.Loadable
	}
	s.Harmless = s.Fault == standing.FaultForeign
	return s
}

// fault returns the first reason why the dynamic linker does not load the library, as a code and a clause.
func (f *Files) fault(lacks string) (code, clause string) {
	switch f.Fault {
	case Absent, Unreadable:
		return f.Library.fault("its library")
	case ForOthers, Foreign: // a manifest for other programs, not a fault of the library
		return standing.FaultForeign, f.Library.Why("its library")
	case None:
	}
	switch {
	case f.IsLoader():
		return lacks, "its library " + f.File.Path + " is a Vulkan loader"
	case !f.HasInterface():
		return lacks, "its library " + f.File.Path + " lacks the functions that the loader calls"
	}
	if code, clause := closureFault(f.With, "its library"); code != "" {
		return code, clause
	}
	if unbound := f.With.Unbound(); len(unbound) > 0 {
		return standing.FaultSymbol, "its library needs the symbol " + unbound[0] + ", which no dependency defines"
	}
	for i := range f.RunTime {
		switch o := &f.RunTime[i]; {
		case !o.Required || !o.Unfound && o.Complete():
		case o.Unfound:
			return standing.FaultRuntime, "it opens the library " + o.Name +
				" at run time, which is in no directory that the dynamic linker searches"
		case o.Fault != None:
			_, clause := o.Library.fault("the library")
			return standing.FaultRuntime, "it opens a library at run time: " + clause
		default:
			if code, clause := closureFault(o.With, "the library "+o.Name+", which it opens at run time,"); code != "" {
				return code, clause
			}
		}
	}
	return "", ""
}

// faultCodes are the codes of the faults.
var faultCodes = [...]string{Absent: standing.FaultMissing, ForOthers: standing.FaultForeign,
	Unreadable: standing.FaultUnreadable, Foreign: standing.FaultForeign}

// fault returns why a library cannot be used, as a code and a clause about it; subject describes it.
func (l *Library) fault(subject string) (code, clause string) {
	name, code := l.Name, faultCodes[l.Fault]
	switch {
	case l.File != nil:
		name = l.File.Path
		if errors.Is(l.File.Err(), fs.ErrNotExist) {
			code = standing.FaultMissing
		}
	case strings.Contains(name, "/"):
		name = PathOf(name, &l.LibrarySearch)
	}
	return code, l.Why(subject + " " + name)
}

// closureFault returns the first reason why the dynamic linker does not load a library with its dependencies. subject
// names the library.
func closureFault(c *binary.Closure, subject string) (code, clause string) {
	by := func(file *binary.File) string {
		if file == c.Files[0] {
			return subject + " needs "
		}
		return subject + " needs " + file.Soname + ", and this needs "
	}
	if len(c.Missing) > 0 {
		missing := &c.Missing[0]
		why := "which is missing"
		if needed := Needed(missing); needed.Fault != Absent {
			why = "and " + needed.Why("it")
		}
		return standing.FaultNeeds, by(missing.By) + missing.Name + ", " + why
	}
	if newest := c.Newest(); len(newest) > 0 {
		old := &newest[0]
		has := "which has no such version"
		if old.Newest != "" {
			has = "which has " + old.Newest
		}
		return standing.FaultVersion, by(old.By) + old.Version + " of " + old.In.Path + ", " + has
	}
	return "", ""
}

// MayServe reports whether a device may be one of a family's. A device without a kernel driver may be any family's.
func (f *Family) MayServe(kernel, vendor string) bool {
	return f != nil && (f.WorksOn(kernel) || kernel == "") || f.Is(NVIDIA) && f.Made(vendor)
}

// Made reports whether a family is for devices of a maker, by the number as sysfs writes it.
func (f *Family) Made(vendor string) bool {
	return f.Driver.Made(strings.ToUpper(strings.TrimPrefix(vendor, "0x")))
}
