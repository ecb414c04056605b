package diag

import "errors"

// Flag bits of a log line; the numbers are those of the spine's logger.
const (
	Info       uint32 = 1
	Warn       uint32 = 2
	Perf       uint32 = 4
	Error      uint32 = 8
	Debug      uint32 = 16
	Layer      uint32 = 32
	Driver     uint32 = 64
	Validation uint32 = 128
	Fatal      uint32 = 256
)

// Severity of a finding.
type Severity uint8

// Severities. A note says why something is as it is: nothing is wrong.
const (
	Note Severity = iota
	Warning
	Problem
)

func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return "problem"
}

// MarshalText gives the word, for the tool's JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText has written.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range []Severity{Note, Warning, Problem} {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return errors.New("no severity: " + string(text))
}

// About is what the findings of a code are about.
type About uint8

// Subjects.
const (
	File     About = iota // a manifest or settings file as a file, whatever is in it
	Place                 // where files are looked for
	Variable              // of the environment
	Drivers               // a driver
	Layers                // a layer
	Program               // what the program asks for
	Settings              // what a settings file says
)

// Cause is what made a finding so, where its code alone does not tell.
type Cause uint8

// Causes.
const (
	Plain           Cause = iota // there is no more to it than the code
	Unasked                      // nobody asks for the layer
	DisableVariable              // the disable variable of the layer is set
	EnableVariable               // the enable variable of the layer has not the value that it wants
	OtherPrograms                // the settings are for other programs
)

// Finding is one thing found. What is for people: nothing decides by it.
type Finding struct {
	Code    Code
	Cause   Cause
	Subject string // what it is about: a layer's or driver's name, a variable, a file
	Path    string // the file, when there is one
	Line    int    // in the file, from 1; 0: the whole file
	Column  int
	What    string
}
