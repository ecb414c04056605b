package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/discover"
	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/term"
)

// paths tells where is searched, here or on another system.
func paths(s *invocation, other *otherSystem) (*discover.PathList, error) {
	if other.platform != "" {
		source, _, err := decidedOn(s, other, "", false)
		if err != nil {
			return nil, err
		}
		return ask.PathsOn(source.System.Platform(other.bits), source, &source.Machine)
	}
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	return ask.Paths(source)
}

func newListPaths(s *invocation) *cobra.Command {
	var out output
	var other otherSystem
	cmd := &cobra.Command{
		Use: "paths", Short: "Where manifests and settings are looked for, in order",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := other.check(); err != nil {
				return err
			}
			answer, err := paths(s, &other)
			if err != nil {
				return err
			}
			return out.print(s, answer, func() { printPaths(s, answer.Places) })
		},
	}
	out.option(cmd, listSchema)
	addPlatform(cmd, &other)
	return cmd
}

func printPaths(s *invocation, places []discover.Searched) {
	style := term.StyleFor(s.out, s.getenv)
	for start := 0; start < len(places); {
		name := places[start].For
		if start > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, style.Heading(strings.ToUpper(name[:1])+name[1:]))
		table := term.NewTable(">", "place", "from", "what is there")
		for ; start < len(places) && places[start].For == name; start++ {
			p := &places[start]
			there := strings.Join(p.Manifests, ", ")
			switch {
			case p.Note != "":
				there = p.Note
			case !p.Exists:
				there = "nothing"
			case there == "":
				there = "no manifest"
			}
			if p.Real != "" {
				there += " (in " + p.Real + ")"
			}
			number := ""
			if p.Order > 0 {
				number = fmt.Sprint(p.Order)
			}
			table.Row(number, p.Path, p.From, there)
		}
		table.Print(s.out, "  ", style)
	}
}
