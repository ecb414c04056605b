package environment

import (
	"fmt"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/tool/term"
)

// Kind is the kind of a finding.
type Kind uint8

// Kinds of findings.
const (
	NoFile          Kind = iota // the manifest Place does not exist
	NoManifest                  // Place is neither a directory nor named like a manifest
	NoDirectory                 // Place does not exist
	NoAccess                    // this user may not look at Place
	EmptyDirectory              // Place contains no manifest
	NoDriverMatches             // the pattern Place matches none of the drivers Names
	NoLayerMatches              // the pattern Place matches none of the layers Names
	BothMatch                   // the variable and Other match the driver Place
	AllOut                      // all drivers Names are excluded
	KeptOut                     // the settings file Place excludes Layer
	NoLayer                     // Layer is not installed
	OnAndOff                    // the variables On enable Layer, and Off disable it
	TwoOfMesa                   // the variable with Value and Other with OtherValue belong to Layer, and Other wins
	TwoChoices                  // the variable with Value and Other with OtherValue choose a device, and Layer acts last
)

// Problem is a fault of a variable as data. What returns its text.
type Problem struct {
	Code     diag.Code
	Severity diag.Severity
	Kind     Kind
	Variable string // the faulty variable

	Place, Layer, Value string
	Other, OtherValue   string
	Names, On, Off      []string
	Used                bool // Layer is active
}

// What returns the text of the finding.
func (f *Problem) What() string {
	names := f.Variable + " names "
	switch f.Kind {
	case NoFile:
		return names + f.Place + ", which does not exist"
	case NoManifest:
		return names + f.Place + ", which is neither a directory nor ends in .json"
	case NoDirectory:
		return names + f.Place + ", which does not exist"
	case NoAccess:
		return names + f.Place + ", which this user may not look at"
	case EmptyDirectory:
		return names + f.Place + ", which contains no manifest"
	case NoDriverMatches:
		return fmt.Sprintf("%s: %q matches no driver manifest; available: %s", f.Variable, f.Place, term.ShortList(f.Names, 8))
	case NoLayerMatches:
		return fmt.Sprintf("%s: %q matches no layer; available: %s", f.Variable, f.Place, term.ShortList(f.Names, 8))
	case BothMatch:
		return fmt.Sprintf("%s and %s both match %s: %[3]s is used", f.Variable, f.Other, f.Place)
	case AllOut:
		return f.Variable + " excludes every driver: " + term.ShortList(f.Names, 8)
	case KeptOut:
		return names + f.Layer + ", and the settings file " + f.Place + " excludes it"
	case NoLayer:
		return names + f.Layer + ", which is not installed"
	case OnAndOff:
		outcome := term.Either(f.Used, "it is used", "it is not used")
		return fmt.Sprintf("%s is switched on by %s and off by %s: %s", f.Layer, strings.Join(f.On, ", "), strings.Join(f.Off, ", "), outcome)
	case TwoOfMesa:
		return fmt.Sprintf("%s=%s and %s=%s both choose the first device: %s takes the first of them", f.Other, f.OtherValue,
			f.Variable, f.Value, f.Layer)
	}
	return fmt.Sprintf("%s=%s and %s=%s both choose the first device: %s takes precedence", f.Variable, f.Value, f.Other,
		f.OtherValue, f.Layer)
}

// FaultKind is the kind of a value's fault. It is a format for the faulty part.
type FaultKind string

// Kinds of faults.
const (
	NoFault       FaultKind = ""
	NoWord        FaultKind = "%q is not a known word (in lower case, without spaces) and has no effect"
	NoSwitch      FaultKind = "%q is not a number and counts as 0; write 1 to enable it"
	NotZeroOrOne  FaultKind = "%q is neither 0 nor 1 and has no effect"
	NoSelection   FaultKind = "%q is not VENDOR:DEVICE, two hexadecimal numbers, and has no effect"
	NoNumber      FaultKind = "%q is not a number and counts as 0"
	EmptyRange    FaultKind = "the range %q ends before it begins, so it contains no ID"
	NoSpecialWord FaultKind = "%q is not a special word here and matches nothing"
	BareWord      FaultKind = "%q is read as a name; the special word is ~%s~" // in lower case
	Space         FaultKind = "the space in %q is part of the name; write a comma alone between entries"
	InnerStar     FaultKind = "%q has a star that is not a wildcard: only the first and last characters can be wildcards"
	TooMany       FaultKind = "only the first %d entries count"
)

// ValueFault is a part of a value that has no effect or an unexpected one.
type ValueFault struct {
	Kind FaultKind
	Part string
}

func (f ValueFault) text() string {
	switch f.Kind {
	case NoFault:
		return ""
	case BareWord:
		return fmt.Sprintf(string(f.Kind), f.Part, strings.ToLower(f.Part))
	case TooMany:
		return fmt.Sprintf(string(f.Kind), plan.FilterEntries)
	}
	return fmt.Sprintf(string(f.Kind), f.Part)
}

// ReasonKind is the reason for a state that the value does not explain. It is a format for Reason.By.
type ReasonKind string

// Kinds of reasons.
const (
	NoReason             ReasonKind = ""
	MoreRights           ReasonKind = "the program has more rights than its user"
	Empty                ReasonKind = "empty, which is the same as unset"
	OfOtherSystems       ReasonKind = "the loader for Windows does not read it"
	OfOtherLoaders       ReasonKind = "the loader that programs get does not read it"
	Nobody               ReasonKind = "the loader reads no variable of this name"
	Replaced             ReasonKind = "%s takes precedence"
	ReplacedByTwo        ReasonKind = "%s and %s take precedence"
	DeviceConfigurations ReasonKind = "the device configurations of %s take precedence"                // the settings file
	SettingsLog          ReasonKind = "stderr_log of %s takes precedence once that file has been read" // the settings file
	UsedAllTheSame       ReasonKind = "%s is used anyway: vkloader explain says why"                   // the layer
	UnusedAllTheSame     ReasonKind = "%s is still not used: vkloader explain says why"                // the layer
	Wants                ReasonKind = "%s requires %q"                                                 // the layer and the value
	Decided              ReasonKind = "the decision says so"                                           // Reason.Decision has the text
	Wrong                ReasonKind = "the value says something else"                                  // Reason.Fault has the text
)

// StateReason is the reason for a state that the value does not explain, as data.
type StateReason struct {
	Kind     ReasonKind
	Decision diag.Diagnostic
	Fault    ValueFault
	By       []any
}

func (r StateReason) text() string {
	switch r.Kind {
	case Decided:
		return r.Decision.What
	case Wrong:
		return r.Fault.text()
	}
	return fmt.Sprintf(string(r.Kind), r.By...)
}
