// Package standing has the stages of a driver or layer on its way into a program, and the faults that keep it from the
// next stage. It holds values and their words; other packages judge.
package standing

import "slices"

// Stage is the last stage that a driver or layer is known to reach on its way into a program.
type Stage string

// Stages in their order. The first three come from files alone, the others from a child process that loads the library.
const (
	NotChosen Stage = "not chosen" // the loader's rules leave it out
	Chosen    Stage = "chosen"     // the rules select it
	// its library exists, has the right machine, its dependencies and its functions
	Loadable     Stage = "loadable"
	Opened       Stage = "opened"        // the loader opened it
	Answered     Stage = "answered"      // its functions returned without an error
	ShowsDevices Stage = "shows devices" // it lists a device
)

// stages are all stages in their order.
var stages = []Stage{NotChosen, Chosen, Loadable, Opened, Answered, ShowsDevices}

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

// Standing is the stage of a driver or layer, and the reason why it is not at the next one.
type Standing struct {
	// not chosen, chosen, loadable, opened, answered or shows devices; absent: not judged
	Stage Stage  `json:"stage,omitempty"`
	But   string `json:"but,omitempty"`   // the reason why it is not at the next stage: one clause
	Fault string `json:"fault,omitempty"` // the code of the finding about the reason
	// programs lose nothing: it is for other programs, or its device is absent
	Harmless bool `json:"harmless,omitempty"`
}

// String returns the stage with its fault: "chosen, but its library /usr/lib/libx.so is missing". A driver for other
// programs has no stage.
func (s Standing) String() string {
	switch {
	case s.But == "":
		return string(s.Stage)
	case s.Fault == FaultForeign:
		return s.But
	}
	return string(s.Stage) + ", but " + s.But
}

// Lost reports whether the rules choose the driver or layer, but programs do not get it although it is for them.
func (s Standing) Lost() bool { return s.But != "" && s.Stage != NotChosen && !s.Harmless }

// State is whether programs get a driver, a layer or a device. Every command has these words and no others for it.
type State string

// States.
const (
	Used    State = "used"
	NotUsed State = "not used" // nothing enables it, something excludes it, or it is for other programs
	Missing State = "missing"  // the rules choose it, but its library is not there
	Broken  State = "broken"   // the rules choose it, but it cannot be used
)

// State returns the state of a driver or layer. in: the rules choose it.
func (s Standing) State(in bool) State {
	switch {
	case !in, s.Harmless && !s.Reaches(Answered):
		return NotUsed
	case !s.Lost():
		return Used
	case s.Fault == FaultMissing:
		return Missing
	}
	return Broken
}

// Reaches reports whether the standing is at or past a stage.
func (s Standing) Reaches(stage Stage) bool {
	return slices.Index(stages, s.Stage) >= slices.Index(stages, stage)
}
