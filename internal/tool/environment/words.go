package environment

import (
	"fmt"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
)

// Kind is what is wrong with a variable.
type Kind uint8

// Kinds of findings.
const (
	NoFile          Kind = iota // Place, a manifest, is not there
	NoManifest                  // Place is neither a directory nor a manifest by its name
	NoDirectory                 // Place is not there
	EmptyDirectory              // Place has no manifest
	NoDriverMatches             // Place, a pattern, matches none of the drivers Names
	NoLayerMatches              // the same of layers
	BothMatch                   // the variable and Other match the driver Place
	AllOut                      // none of the drivers Names is left
	KeptOut                     // Layer is kept out by the settings file Place
	NoLayer                     // Layer is not installed
	OnAndOff                    // Layer is switched on by the variables On, and off by Off
	TwoOfMesa                   // the variable with Value and Other with OtherValue are Layer's own, and Other counts
	TwoChoices                  // the variable with Value and Other with OtherValue choose a device, and Layer comes last
)

// Finding is something wrong with a variable, as values. What makes the sentence.
type Finding struct {
	Code     diag.Code
	Kind     Kind
	Variable string // to blame

	Place, Layer, Value string
	Other, OtherValue   string
	Names, On, Off      []string
	Used                bool // Layer is used all in all
}

// What is the finding in words.
func (f *Finding) What() string {
	names := f.Variable + " names "
	switch f.Kind {
	case NoFile:
		return names + f.Place + ", and there is no such file"
	case NoManifest:
		return names + f.Place + ", which is neither a directory nor ends in .json"
	case NoDirectory:
		return names + f.Place + ", and there is no such directory"
	case EmptyDirectory:
		return names + f.Place + ", and there is no manifest in it"
	case NoDriverMatches:
		return fmt.Sprintf("%s: %q matches no driver manifest; there is %s", f.Variable, f.Place, listed(f.Names))
	case NoLayerMatches:
		return fmt.Sprintf("%s: %q matches no layer; there is %s", f.Variable, f.Place, listed(f.Names))
	case BothMatch:
		return fmt.Sprintf("%s and %s both match %s: it is used", f.Variable, f.Other, f.Place)
	case AllOut:
		return f.Variable + " leaves no driver of " + listed(f.Names)
	case KeptOut:
		return names + f.Layer + ", and the settings file " + f.Place + " keeps it out"
	case NoLayer:
		return names + f.Layer + ", and no such layer is installed"
	case OnAndOff:
		outcome := "it is not used"
		if f.Used {
			outcome = "it is used"
		}
		return fmt.Sprintf("%s is switched on by %s and off by %s: %s", f.Layer, strings.Join(f.On, ", "), strings.Join(f.Off, ", "), outcome)
	case TwoOfMesa:
		return fmt.Sprintf("%s=%s and %s=%s both choose the first device: %s takes the first of them", f.Other, f.OtherValue,
			f.Variable, f.Value, f.Layer)
	}
	return fmt.Sprintf("%s=%s and %s=%s both choose the first device: %s has the last word", f.Variable, f.Value, f.Other,
		f.OtherValue, f.Layer)
}

// listed is a list for people, cut where it gets long.
func listed(names []string) string {
	const most = 8
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// FaultKind is what is wrong with a part of a value.
type FaultKind uint8

// Kinds of faults.
const (
	NoFault       FaultKind = iota
	NoWord                  // none of the words that the variable knows
	NoSwitch                // no number where 1 switches on
	NotZeroOrOne            // neither of the two
	NoSelection             // not VENDOR:DEVICE
	NoNumber                // no number
	EmptyRange              // the end of a range is before its beginning
	NoSpecialWord           // a special word of another variable
	BareWord                // a special word without its tildes
	Space                   // a space beside a comma
	InnerStar               // a star inside a name
	TooMany                 // more entries than count
)

// Fault is which part of a value has no effect, or another one than it seems to.
type Fault struct {
	Kind FaultKind
	Part string
}

func (f Fault) text() string {
	switch f.Kind {
	case NoWord:
		return fmt.Sprintf("%q is not one of its words (small letters, no spaces) and does nothing", f.Part)
	case NoSwitch:
		return fmt.Sprintf("%q is not a number and counts as 0; write 1 to enable it", f.Part)
	case NotZeroOrOne:
		return fmt.Sprintf("%q is neither 0 nor 1 and does nothing", f.Part)
	case NoSelection:
		return fmt.Sprintf("%q is not VENDOR:DEVICE, two hexadecimal numbers, and does nothing", f.Part)
	case NoNumber:
		return fmt.Sprintf("%q is not a number and counts as 0", f.Part)
	case EmptyRange:
		return fmt.Sprintf("the range %q ends before it begins, and no device has an ID in it", f.Part)
	case NoSpecialWord:
		return fmt.Sprintf("%q is no special word here and matches nothing", f.Part)
	case BareWord:
		return fmt.Sprintf("%q is read as a name; the special word is ~%s~", f.Part, strings.ToLower(f.Part))
	case Space:
		return fmt.Sprintf("the space in %q is part of the name; write a comma alone between entries", f.Part)
	case InnerStar:
		return fmt.Sprintf("%q has a star that is not a wildcard: only the first and last character can be one", f.Part)
	case TooMany:
		return fmt.Sprintf("only its first %d entries count", plan.FilterEntries)
	}
	return ""
}

// ReasonKind is why a variable is in a state that its value does not explain.
type ReasonKind uint8

// Kinds of reasons.
const (
	NoReason             ReasonKind = iota
	MoreRights                      // the program has more rights than its user
	Decided                         // the decision says so
	Empty                           // the value is empty
	Wrong                           // the value has a Fault
	Replaced                        // the variables By take its place
	DeviceConfigurations            // those of the settings file By do
	OfOtherSystems                  // this system's loader does not read it
	OfOtherLoaders                  // the loader that programs get does not read it
	SettingsLog                     // stderr_log of the settings file By does
	UsedAllTheSame                  // the layer By is used
	UnusedAllTheSame                // the layer By is not used
	Wants                           // the layer By[0] wants the value By[1]
	Nobody                          // nobody reads it
)

// Reason is why a variable is in a state that its value does not explain, as values.
type Reason struct {
	Kind     ReasonKind
	Decision diag.Finding
	Fault    Fault
	By       []string
}

func (r Reason) text() string {
	switch r.Kind {
	case MoreRights:
		return "the program has more rights than its user"
	case Decided:
		return r.Decision.What
	case OfOtherLoaders:
		return "the loader that programs get does not read it"
	case OfOtherSystems:
		return "the loader for Windows does not read it"
	case Empty:
		return "empty, which is the same as unset"
	case Wrong:
		return r.Fault.text()
	case Replaced:
		if len(r.By) > 1 {
			return strings.Join(r.By, " and ") + " take its place"
		}
		return r.By[0] + " takes its place"
	case DeviceConfigurations:
		return "the device configurations of " + r.By[0] + " take its place"
	case SettingsLog:
		return "stderr_log of " + r.By[0] + " takes its place, once that has been read"
	case UsedAllTheSame:
		return r.By[0] + " is used anyway: vkloader explain says why"
	case UnusedAllTheSame:
		return r.By[0] + " is still not used: vkloader explain says why"
	case Wants:
		return fmt.Sprintf("%s needs the value %q", r.By[0], r.By[1])
	case Nobody:
		return "the loader reads no variable of this name"
	}
	return ""
}
