package environment

import (
	_ "embed"
	"strings"
	"sync"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

//go:embed guide.txt
var guideTable string

// Directories is the group of the variables that are paths of the search.
const Directories = "Directories"

// VariableGuide describes one variable.
type VariableGuide struct {
	ID         variables.ID // nil: a variable that the manifest of an implicit layer names
	Name       string       // of a layer's variable: the field of the manifest
	Group      string       // its subject
	Takes      string       // its value
	Does       string       // its effect
	YieldsTo   string       // the settings that replace it
	EmptyCount bool         // an empty value differs from unset
	Instead    string       // the current name, if this is an old name
	Statements []string     // IDs in the specification
}

// guide returns the rows of guide.txt, by the kind of variable.
var guide = sync.OnceValue(func() (read struct{ own, layers []VariableGuide }) {
	_, table, _ := strings.Cut(guideTable, "\n\n")
	separated := term.Either(machine.ListSeparator == ":", "colon", "semicolon") + "-separated" // WIN-013
	phrases, table, _ := strings.Cut(strings.ReplaceAll(table, "{separated}", separated), "\n\n")
	for line := range strings.SplitSeq(phrases, "\n") {
		name, phrase, _ := strings.Cut(line, " ")
		table = strings.ReplaceAll(table, name, phrase)
	}
	for row := range strings.SplitSeq(table, "\n\n") {
		lines := append(strings.Split(strings.TrimSpace(row), "\n"), "")
		head := append(strings.Split(lines[0], " | "), "", "")
		e := VariableGuide{Name: head[0], Group: head[1], Statements: strings.Fields(head[2]),
			EmptyCount: head[3] != "", Instead: head[4], Takes: lines[1], Does: lines[2], YieldsTo: lines[3]}
		if id, known := variables.Find(e.Name); known {
			e.ID = id
			read.own = append(read.own, e)
		} else {
			read.layers = append(read.layers, e)
		}
	}
	return read
})

// Guide returns the descriptions of the loader's variables, in the order of the groups.
func Guide() []VariableGuide { return guide().own }

// OfLayers returns the descriptions of the variables of layers: disable_environment and enable_environment.
func OfLayers() []VariableGuide { return guide().layers }

// Elevated returns the effect of elevated rights on the variable: "ignored" or "kept".
func (e *VariableGuide) Elevated() string {
	return term.Either(e.ID != nil && e.ID.Secure(), "ignored", "kept")
}

// Told returns the full description: the effect, the time of reading, the meaning of an empty value, and the current
// name.
func (e *VariableGuide) Told() string {
	text := e.Does
	if e.ID != nil {
		text += map[variables.Reader]string{variables.Load: " Read once, when the library is loaded.",
			variables.Asking:      " Read when no driver is found on this machine.",
			variables.Enumeration: " Read whenever devices are listed."}[e.ID.Reader()]
	}
	if e.EmptyCount {
		text += " An empty value counts as set."
	}
	if e.Instead != "" {
		text += " Deprecated: use " + e.Instead + "."
	}
	return text
}

// Plain removes the Markdown from a text of the guide.
func Plain(text string) string { return strings.ReplaceAll(text, "`", "") }
