package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/system"
	"vkloader/internal/tool/term"
)

func newSystem(s *invocation) *cobra.Command {
	status := newSystemStatus(s)
	cmd := newGroup("system status|use", status, newSystemUse(s))
	showing(cmd, status)
	return cmd
}

func newSystemStatus(s *invocation) *cobra.Command {
	var out output
	return newCommand("status", &out, system.StatusSchema, func([]string) error {
		m, err := s.machine()
		if err != nil {
			return err
		}
		status := system.StatusOf(&m)
		err = out.print(s, status, func() { printSystemStatus(s, status) })
		if err != nil || slices.ContainsFunc(status.Architectures,
			func(a system.Architecture) bool { return a.InForce != system.InForceNone }) {
			return err
		}
		return exit.Problem("programs find no %s", loaders.Name)
	})
}

func newSystemUse(s *invocation) *cobra.Command {
	var out output
	cmd := newCommand("use distribution|vkloader", &out, system.StatusSchema, func(args []string) error {
		m, err := s.machine()
		if err != nil {
			return err
		}
		status, err := system.Use(&m, args[0])
		if err != nil {
			return err
		}
		return out.print(s, status, func() { printSystemStatus(s, status) })
	})
	cmd.ValidArgs = []string{system.Distribution, system.Vkloader}
	cmd.Args = cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)
	return cmd
}

func printSystemStatus(s *invocation, status *system.Status) {
	for i, a := range status.Architectures {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		s.style.Lines(s.out, "", s.style.Heading, a.Title()+": "+loaderWord(&a))
		table := term.NewTable("state", "origin", "release", "Vulkan", "file", "package")
		row := func(state string, l *system.Installed) {
			table.Row(state, l.Whose, l.Release, l.Version, l.File, term.Or(l.Package, "none"))
		}
		shown := map[string]bool{}
		for j := range a.Found {
			row([]string{"in force", "hidden"}[min(j, 1)], &a.Found[j])
			shown[a.Found[j].File] = true
		}
		for _, l := range []*system.Installed{a.Vkloader, a.Distribution} {
			if l != nil && !shown[l.File] {
				row("can be used", l)
			}
		}
		table.Print(s.out, "  ", s.style)
		s.style.Lines(s.out, "  ", nil, a.Change)
	}
}

func loaderWord(a *system.Architecture) string {
	switch a.InForce {
	case system.InForceNone:
		return "programs find no loader"
	case system.Vkloader:
		return strings.TrimSpace("vkloader " + a.Found[0].Release)
	case system.Distribution:
		return strings.TrimSpace("the distribution's " + a.Found[0].Version)
	}
	return "another loader, " + a.Found[0].Path
}
