package discover

import "vkloader/internal/decide/standing"

// Stage is the last stage that a driver or layer is known to reach on its way into a program.
type Stage string

// Stages in their order. The first three come from files alone, the others from a child process that loads the library.
const (
	StageNotChosen Stage = "not chosen" // the loader's rules leave it out
	StageChosen    Stage = "chosen"     // the rules select it
	// its library exists, has the right machine, its dependencies and its functions
	StageLoadable Stage = "loadable"
	StageOpened   Stage = "opened"        // the loader opened it
	StageAnswered Stage = "answered"      // its functions returned without an error
	StageDevices  Stage = "shows devices" // it lists a device
)

// Standing is the stage that a driver or layer reaches on its way into a program, and what keeps it from the next one.
type Standing struct {
	// not chosen, chosen, loadable, opened, answered or shows devices; absent: not judged
	Stage Stage  `json:"stage,omitempty"`
	But   string `json:"but,omitempty"`   // the reason why it is not at the next stage: one clause
	Fault string `json:"fault,omitempty"` // the code of the finding about the reason; docs/findings.md lists them
	// programs lose nothing: it is for other programs, or its device is absent
	Harmless bool `json:"harmless,omitempty"`
}

// String returns the stage with its fault: "chosen, but its library /usr/lib/libx.so is missing".
func (s Standing) String() string { return s.internal().String() }

// Lost reports whether the rules choose the driver or layer, but programs do not get it although it is for them.
func (s Standing) Lost() bool { return s.internal().Lost() }

// State returns whether programs get the driver or layer: used, not used, missing or broken. in: the rules choose it.
func (s Standing) State(in bool) string { return string(s.internal().State(in)) }

// Reaches reports whether the standing is at or past a stage.
func (s Standing) Reaches(stage Stage) bool { return s.internal().Reaches(standing.Stage(stage)) }

// standingOf converts a standing of package standing, and internal converts it back.
func standingOf(s standing.Standing) Standing {
	return Standing{Stage(s.Stage), s.But, s.Fault, s.Harmless}
}

func (s Standing) internal() standing.Standing {
	return standing.Standing{Stage: standing.Stage(s.Stage), But: s.But, Fault: s.Fault, Harmless: s.Harmless}
}
