package explain

import (
	"slices"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
)

// NamesOfLayers returns the patterns of the variables that the layers of this machine read, for a program with these
// variables: also those of layers that it does not get, because a variable may enable them.
func NamesOfLayers(environ []string) (patterns []string) {
	source := &machine.Source{Machine: machine.Machine{Environ: environ}}
	answer, err := Decide(source)
	if err != nil {
		return nil
	}
	for _, l := range answer.Layers {
		patterns = append(patterns, spawn.LayerNames(l.Name, l.EnableName, l.DisableName)...)
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}
