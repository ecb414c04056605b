package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// allHelp is the option that shows the whole help of a command with a brief one.
const allHelp = "all"

// briefHelp is a help that fits one screen: a description and the most used options.
type briefHelp struct {
	long  string
	flags []string
}

// briefs are the brief helps of commands with many options, by the command's words.
var briefs = map[string]briefHelp{
	"doctor": {"doctor names each problem between a program and its GPU, with its cause (why) and a fix (do). It examines devices, manifests,\n" +
		"libraries and variables, and tries drivers and layers in child processes. It wakes no sleeping device without --probe.\n\n" +
		fixBrief + "\n\n" + exitCodesHelp,
		[]string{"app", "device", "pid", "fix", "dry-run", "undo", "full", "json", "markdown", "no-probe", "probe"}},
	"run": {runBrief + " --find-culprit runs the program repeatedly, and names the layer or driver that makes it fail.\n\n" +
		"Exit codes: the program's own; 126 it cannot be run, 127 it is not found, 2 wrong usage.",
		[]string{"device", "driver", "layer", "no-layers", "log", "time", "dry-run", "find-culprit", "apply"}},
}

// addAllHelp adds the option --all to a command with a brief help.
func addAllHelp(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if _, brief := briefs[cmd.Name()]; brief {
			cmd.Flags().Bool(allHelp, false, "with --help: every option")
		}
	}
}

// shortened returns the brief help of a command, and hides its other options until restore; ok is false for other commands, and with
// --all.
func shortened(cmd *cobra.Command) (brief briefHelp, restore func(), ok bool) {
	brief, ok = briefs[words(cmd)]
	if all, _ := cmd.Flags().GetBool(allHelp); !ok || all {
		return brief, nil, false
	}
	var hidden []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.Contains(brief.flags, f.Name) && f.Name != allHelp {
			f.Hidden = true
			hidden = append(hidden, f)
		}
	})
	return brief, func() {
		for _, f := range hidden {
			f.Hidden = false
		}
	}, true
}
