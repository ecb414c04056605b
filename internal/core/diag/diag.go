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

// Severities. A note gives a reason and is not a problem.
const (
	Note Severity = iota
	Warning
	Problem
)

// String returns the severity's name in messages.
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return "problem"
}

// MarshalText returns the word, for the tool's JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the result of MarshalText.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range []Severity{Note, Warning, Problem} {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return errors.New("no severity: " + string(text))
}

// About is the kind of subject of a code's findings, a word of the table.
type About string

// The subjects that a decision's explanation tells apart.
const (
	File    About = "file" // a manifest or settings file, regardless of its content
	Drivers About = "drivers"
	Layers  About = "layers"
)

// Cause is the cause of a finding, if the code alone does not determine it.
type Cause uint8

// Causes. The comment names the details of the finding.
const (
	Plain           Cause = iota // determined by the code
	Unasked                      // the layer is not requested
	DisableVariable              // the layer's disable variable is set: the variable
	// the layer's enable variable does not have the required value: the variable, the value
	EnableVariable
	OtherPrograms // the settings are for other programs
	ImplicitLayer // the layer is active: its disable variable
	InstanceList  // the layer is active: VK_INSTANCE_LAYERS names it
	EnableFilter  // the layer is active: VK_LOADER_LAYERS_ENABLE matches it
	ByProgram     // the layer is active: the program enables it
	OfMeta        // the layer is active: a meta-layer has it
	BySettings    // a layer is active, or a driver is used: the settings file
	ByPlace       // the driver is used: the origin of its location
	ByService     // the driver is used: the directory of the driver service
	OtherVariable // the variable has no effect: the variable that takes precedence
	DeviceList    // the variable has no effect: the settings file with device configurations
	LayerList     // the variable has no effect: the settings file with layers
	OverridePaths // the variable has no effect: the manifest of the override layer
	NoObject      // the top-level value is not an object
	IsLayer       // a layer manifest in a place for driver manifests
	IsDriver      // a driver manifest in a place for layer manifests
	UnknownType   // the layer's type is unknown: the type
	RegistryValue // a value is not four bytes of 0: the key
	NoMember      // an object of a manifest lacks a member: the member
	MemberValue   // a member has a value that the loader does not take: the member
)

// Diagnostic is a fact to report to the user. No decision depends on it.
type Diagnostic struct {
	Code    Code
	Cause   Cause
	Slip    uint8  // of a syntax error: the kind, a document.Slip
	Found   uint8  // of a member's value, or of the element in it: the kind, a document.Kind
	Subject string // the name of a layer, driver, variable or file
	Path    string // the file, if any
	Line    int    // in the file, counted from 1; 0: the whole file
	Column  int
	Detail  string // the first detail of the cause
	More    string // the second detail
	What    string // the line of the log; "": internal/decide/reasons builds the sentence
}
