package environment

import (
	"fmt"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
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
	// the variable with Value and Other with OtherValue choose a device, and Layer acts last
	TwoChoices
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
		return fmt.Sprintf("%s: %q matches no driver manifest; available: %s", f.Variable, f.Place,
			term.ShortList(f.Names, 8))
	case NoLayerMatches:
		return fmt.Sprintf("%s: %q matches no layer; available: %s", f.Variable, f.Place, term.ShortList(f.Names, 8))
	case BothMatch:
		return fmt.Sprintf("%s and %s both match %s: %[3]s is used", f.Variable, f.Other, f.Place)
	case AllOut:
		return f.Variable + " excludes every driver: " + term.ShortList(f.Names, 8)
	case KeptOut:
		return names + f.Layer + ", and the settings file " + f.Place + " excludes it"
	case NoLayer:
		does := term.Either(f.Variable == variables.InstanceLayers.Name(), names, f.Variable+" switches on ")
		return does + f.Layer + ", which is not installed"
	case OnAndOff:
		outcome := term.Either(f.Used, "it is used", "it is not used")
		return fmt.Sprintf("%s is switched on by %s and off by %s: %s", f.Layer, strings.Join(f.On, ", "),
			strings.Join(f.Off, ", "), outcome)
	case TwoOfMesa:
		return fmt.Sprintf("%s=%s and %s=%s both choose the first device: %s takes the first of them", f.Other,
			f.OtherValue,
			f.Variable, f.Value, f.Layer)
	}
	return fmt.Sprintf("%s=%s and %s=%s both choose the first device: %s takes precedence", f.Variable, f.Value,
		f.Other,
		f.OtherValue, f.Layer)
}
