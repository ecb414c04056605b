package environment

import (
	_ "embed"
	"os"
	"strconv"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/term"
)

//go:embed problems.txt
var problemTable string

// Kind is the kind of a finding: the name of a row of problems.txt.
type Kind string

// Kinds of findings.
const (
	NoFile          Kind = "no-file"
	NoManifest      Kind = "no-manifest"
	NoDirectory     Kind = "no-directory"
	NoAccess        Kind = "no-access"
	EmptyDirectory  Kind = "empty-directory"
	NoDriverMatches Kind = "no-driver-matches"
	NoLayerMatches  Kind = "no-layer-matches"
	BothMatch       Kind = "both-match"
	AllOut          Kind = "all-out"
	KeptOut         Kind = "kept-out"
	NoLayer         Kind = "no-layer"
	OnAndOff        Kind = "on-and-off"
	TwoOfMesa       Kind = "two-of-mesa"
	TwoChoices      Kind = "two-choices"
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
	_, row, _ := strings.Cut(problemTable, "\n"+string(f.Kind)+": ")
	row, _, _ = strings.Cut(row, "\n")
	asks := f.Variable == variables.InstanceLayers.Name()
	values := map[string]string{"variable": f.Variable, "place": f.Place, "quoted": strconv.Quote(f.Place),
		"layer": f.Layer, "value": f.Value, "other": f.Other, "othervalue": f.OtherValue,
		"names": term.ShortList(f.Names, 8), "on": strings.Join(f.On, ", "), "off": strings.Join(f.Off, ", "),
		"does":    term.Either(asks, "names", "switches on"),
		"outcome": term.Either(f.Used, "it is used", "it is not used")}
	return os.Expand(row, func(name string) string { return values[name] })
}
