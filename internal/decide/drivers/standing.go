package drivers

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/binary"
)

// Stage is how far a driver or layer gets on its way into a program, as far as is known.
type Stage string

// Stages in their order. The first three come from files alone, the others from a child process that loads the library.
const (
	NotChosen    Stage = "not chosen"    // the loader's rules leave it out
	Chosen       Stage = "chosen"        // the rules select it
	Loadable     Stage = "loadable"      // its library exists, has the right machine, its dependencies and its functions
	WasOpened    Stage = "opened"        // the loader opened it
	Answered     Stage = "answered"      // its functions returned without an error
	ShowsDevices Stage = "shows devices" // it lists a device
)

// stages are all stages in their order.
var stages = []Stage{NotChosen, Chosen, Loadable, WasOpened, Answered, ShowsDevices}

// Codes of the faults that keep a library from being loaded, the same as those of the findings about them.
const (
	FaultMissing    = "library-missing"
	FaultUnreadable = "library-unreadable"
	FaultForeign    = "library-foreign"
	FaultNeeds      = "library-needs"
	FaultVersion    = "library-version"
	FaultSymbol     = "library-symbol"
	FaultRuntime    = "library-runtime"
	FaultDriver     = "driver-interface"
	FaultLayer      = "layer-interface"
)

// Standing is the stage of a driver or layer, and what keeps it from the next one.
type Standing struct {
	Stage    Stage  `json:"stage,omitempty"`    // not chosen, chosen, loadable, opened, answered or shows devices; absent: not judged
	But      string `json:"but,omitempty"`      // the reason why it gets no further: one clause
	Fault    string `json:"fault,omitempty"`    // the code of the finding about the reason
	Harmless bool   `json:"harmless,omitempty"` // programs lose nothing: it is for other programs, or its device is absent
}

// String returns the stage with its fault: "chosen, but its library /usr/lib/libx.so is missing".
func (s Standing) String() string {
	if s.But == "" {
		return string(s.Stage)
	}
	return string(s.Stage) + ", but " + s.But
}

// Lost reports whether the rules choose the driver or layer, and programs get nothing from it though they should.
func (s Standing) Lost() bool { return s.But != "" && s.Stage != NotChosen && !s.Harmless }

// Reaches reports whether the standing is at or past a stage.
func (s Standing) Reaches(stage Stage) bool {
	return slices.Index(stages, s.Stage) >= slices.Index(stages, stage)
}

// StandingOf returns the standing of a judged library. used: the rules choose it; lacks: the code for a library without the
// functions of its kind.
func (f *Files) StandingOf(used bool, lacks string) Standing {
	s := Standing{Stage: NotChosen}
	if used {
		s.Stage = Chosen
	}
	s.Fault, s.But = f.fault(lacks)
	if s.Fault == "" && used {
		s.Stage = Loadable
	}
	s.Harmless = s.Fault == FaultForeign
	return s
}

// fault returns the first reason why the dynamic linker does not load the library, as a code and a clause.
func (f *Files) fault(lacks string) (code, clause string) {
	switch f.Fault {
	case Absent, ForOthers, Unreadable, Foreign:
		return f.Library.fault("its library")
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
		return FaultSymbol, "its library needs the symbol " + unbound[0] + ", which no library defines"
	}
	for i := range f.RunTime {
		switch o := &f.RunTime[i]; {
		case !o.Required || o.Complete():
		case o.Fault != None:
			_, clause := o.Library.fault("the library")
			return FaultRuntime, "it opens a library at run time: " + clause
		default:
			if code, clause := closureFault(o.With, "the library "+o.Name+", which it opens at run time,"); code != "" {
				return code, clause
			}
		}
	}
	return "", ""
}

// fault returns why a library cannot be used, as a code and a clause about it; subject names it.
func (l *Library) fault(subject string) (code, clause string) {
	switch l.Fault {
	case Absent:
		if strings.Contains(l.Name, "/") {
			return FaultMissing, subject + " " + l.Name + " is missing"
		}
		return FaultMissing, subject + " " + l.Name + " is in no directory that the dynamic linker searches"
	case ForOthers:
		return FaultForeign, subject + " " + l.Name + " is there only for other programs: " + l.Others[0]
	case Unreadable:
		if errors.Is(l.File.Err(), fs.ErrNotExist) {
			return FaultMissing, subject + " " + l.File.Path + " is missing"
		}
		return FaultUnreadable, subject + " " + l.File.Path + " cannot be read: " + Cause(l.File.Err()).Error()
	case Foreign:
		return FaultForeign, subject + " " + l.File.Path + " is for " + strconv.Itoa(l.File.Class) + "-bit " + l.File.MachineName() + " programs"
	}
	return "", ""
}

// closureFault returns the first reason why the dynamic linker does not load a library with its dependencies. subject names
// the library.
func closureFault(c *binary.Closure, subject string) (code, clause string) {
	by := func(file *binary.File) string {
		if file == c.Files[0] {
			return subject + " needs "
		}
		return subject + " needs " + file.Soname + ", and this needs "
	}
	if len(c.Missing) > 0 {
		missing := &c.Missing[0]
		needed := Needed(missing)
		why := "which is missing"
		switch {
		case missing.Err != nil:
			why = "which cannot be read: " + Cause(missing.Err).Error()
		case needed.Fault == ForOthers:
			why = "which is there only for other programs: " + missing.Result.Others[0]
		}
		return FaultNeeds, by(missing.By) + missing.Name + ", " + why
	}
	if newest := c.Newest(); len(newest) > 0 {
		old := &newest[0]
		has := "which has no such version"
		if old.Newest != "" {
			has = "which has " + old.Newest
		}
		return FaultVersion, by(old.By) + old.Version + " of " + old.In.Path + ", " + has
	}
	return "", ""
}

// MayServe reports whether a device may be one of a family's. A device without a kernel driver may be any family's.
func (f *Family) MayServe(kernel, vendor string) bool {
	return f.WorksOn(kernel) || kernel == "" || f.Name == NVIDIA && f.Made(strings.ToUpper(strings.TrimPrefix(vendor, "0x")))
}
