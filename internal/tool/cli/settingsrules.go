package cli

import (
	"fmt"
	"strings"

	"vkloader/discover"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/layersettings"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/term"
)

// printOrder shows the rules about the order of layers, and what becomes of each.
func printOrder(s *invocation, rules []settingsfile.RuleNow) {
	style := term.StyleFor(s.out, s.getenv)
	fmt.Fprintf(s.out, "%s\n", style.Heading("Rules about the order of layers"))
	stale := false
	for _, r := range rules {
		fmt.Fprintf(s.out, "  %s\n    before %s, for %s\n", term.OneLine(r.Upper), term.OneLine(r.Lower), term.OneLine(forWhom(r.Program)))
		switch r.State {
		case settingsfile.RuleIdle:
			fmt.Fprintf(s.out, "    no effect: there is no layer %s\n", term.OneLine(strings.Join(r.Missing, " and ")))
		case settingsfile.RuleStale:
			stale = true
			fmt.Fprintln(s.out, "    stale: layers or settings have changed since it was written")
		}
	}
	if stale {
		fmt.Fprintln(s.out, "  To write them again: vkloader settings order apply")
	}
}

// printChance says which layers are in an order that nothing gives, and how to choose one where the program's loader reads the
// settings file.
func printChance(s *invocation, list []discover.Chance, loader *loaders.Loader) {
	style := term.StyleFor(s.out, s.getenv)
	for _, c := range list {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading("In an order that is left to chance"))
		for _, name := range c.Layers {
			fmt.Fprintf(s.out, "    %s\n", term.OneLine(name))
		}
		fmt.Fprintf(s.out, "    They are files of one directory, and a directory has no order:\n    %s\n", term.OneLine(c.Directory))
		if !onWindows && (loader == nil || loader.Obeys(loaders.SettingsFile)) {
			fmt.Fprintf(s.out, "    To choose: vkloader settings order %s \\\n        before %s\n", term.Quoted(c.Layers[1]), term.Quoted(c.Layers[0]))
		}
	}
}

// printComputing says which layers programs do not get that show nothing.
func printComputing(s *invocation, list []explain.Item) {
	if len(list) == 0 {
		return
	}
	style := term.StyleFor(s.out, s.getenv)
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("Left out of programs that enable no surface extension"))
	for _, e := range list {
		fmt.Fprintf(s.out, "    %s\n", term.OneLine(e.Name))
	}
	fmt.Fprintln(s.out, "    These programs only compute. To give them every layer:\n    vkloader policy compute off")
}

// printLayerFile says which settings of layers are in force, and from where.
func printLayerFile(s *invocation, shown *layersettings.Shown) {
	if shown == nil {
		return
	}
	style := term.StyleFor(s.out, s.getenv)
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("Settings of layers"))
	fmt.Fprintf(s.out, "    %s\n    found by %s\n", term.OneLine(shown.File), shown.From)
	for _, v := range shown.Values {
		fmt.Fprintf(s.out, "    %d: %s = %s\n", v.Line, term.OneLine(v.Name), term.OneLine(v.Value))
	}
}
