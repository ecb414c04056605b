package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

// listSchema is raised when a field of list changes its meaning or goes.
const listSchema = 1

func newList(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list drivers|layers|devices|paths|variables",
		Short: "List drivers and layers, and why each is used or not",
		Long: "list shows what the loader decides for a program that enables nothing itself, from the files and\n" +
			"variables of this machine. Without a subcommand it lists drivers and layers. Nothing is loaded,\n" +
			"except by \"list devices\": a child process asks the drivers.\n\n" + exitCodesHelp,
		Args: knownSubcommand,
		RunE: func(*cobra.Command, []string) error { return listBoth(s) },
	}
	for _, list := range []struct {
		explain.Kind
		short string
	}{
		{explain.Drivers, "Driver manifests: which are used, and why"},
		{explain.Layers, "Layers: which are active, and why"},
	} {
		asJSON, name := false, list.One+"s"
		other := otherSystem{}
		sub := &cobra.Command{
			Use: name, Short: list.short, Args: noArguments,
			RunE: func(*cobra.Command, []string) error {
				if err := other.check(); err != nil {
					return err
				}
				var loader *loaders.Loader
				find := func() ([]explain.Row, []explain.Place, error) {
					f, err := decideList(s)
					if err != nil {
						return nil, nil, err
					}
					loader = f.loader
					rows, places := f.of(list.Kind)
					return rows, places, nil
				}
				if other.platform != "" {
					find = func() ([]explain.Row, []explain.Place, error) { return listOther(s, &other, list.Kind) }
				}
				rows, places, err := find()
				if err != nil {
					return err
				}
				if asJSON {
					err = writeJSON(s, struct {
						Schema int             `json:"schema"`
						Kind   string          `json:"kind"`
						Loader *loaders.Loader `json:"loader,omitempty"` // that programs get, for which it is decided; absent: none
						Found  []explain.Row   `json:"found"`
						Places []explain.Place `json:"places"`
					}{listSchema, name, loader, rows, places})
				} else {
					if other.platform == "" {
						printLoader(s, loader, "")
					}
					printFound(s, name, rows, places)
				}
				bad := slices.ContainsFunc(rows, func(r explain.Row) bool { return r.Severity == diag.Problem })
				if err == nil && bad {
					err = exit.With(exit.Problems)
				}
				return err
			},
		}
		sub.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", listSchema))
		addPlatform(sub, &other)
		cmd.AddCommand(sub)
	}
	cmd.AddCommand(newListDevices(s), newListPaths(s), newListVariables(s))
	return cmd
}

// listBoth lists drivers and layers.
func listBoth(s *invocation) error {
	f, err := decideList(s)
	if err != nil {
		return err
	}
	for i, kind := range []explain.Kind{explain.Drivers, explain.Layers} {
		if i == 0 {
			printLoader(s, f.loader, "")
		} else {
			fmt.Fprintln(s.out)
		}
		name := kind.One + "s"
		fmt.Fprintln(s.out, term.StyleFor(s.out, s.getenv).Heading(strings.ToUpper(name[:1])+name[1:]))
		rows, places := f.of(kind)
		printFound(s, name, rows, places)
		if slices.ContainsFunc(rows, func(r explain.Row) bool { return r.Severity == diag.Problem }) {
			err = exit.With(exit.Problems)
		}
	}
	return err
}

// found is what is decided for this machine, and for which loader.
type found struct {
	source *machine.Source
	loader *loaders.Loader
	answer *plan.Answer
}

func decideList(s *invocation) (*found, error) {
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	loader := loaders.Decide(source, "")
	answer, err := decision.Ask(source)
	return &found{source, loader, answer}, err
}

// of gives what there is of a kind, and where it was looked for.
func (f *found) of(kind explain.Kind) ([]explain.Row, []explain.Place) {
	rows := kind.Rows(f.answer)
	kind.TryRows(f.source, f.answer, rows)
	return rows, kind.Places(f.answer)
}

func printFound(s *invocation, name string, rows []explain.Row, places []explain.Place) {
	style := term.StyleFor(s.out, s.getenv)
	if len(rows) == 0 {
		fmt.Fprintf(s.out, "No %s found in:\n", name)
		for _, p := range places {
			fmt.Fprintf(s.out, "  %s (%s)\n", p.Path, p.From)
		}
		return
	}
	headings := []string{"", "name", "where", "why"}
	if s.rules {
		headings = append(headings, "statement")
	}
	table := term.NewTable(headings...)
	for _, r := range rows {
		mark := "out"
		switch {
		case r.In:
			mark = "in"
		case r.Path == "": // about a variable or a name, not about something found
			mark = "--"
		}
		where := r.Path
		if r.Line > 0 {
			where = fmt.Sprintf("%s:%d:%d", r.Path, r.Line, r.Column)
		}
		subject := r.Subject
		if subject == r.Path {
			subject = machine.Style.Base(subject)
		}
		table.Row(mark, subject, where, r.Why, r.Statement)
	}
	table.Print(s.out, "", style)
	said := map[string]bool{}
	for _, r := range rows {
		do := r.Do
		switch {
		case r.Severity == diag.Note:
			continue
		case do == "" && r.Severity != diag.Problem:
			continue
		case do == "":
			do = "no variable ends it"
		}
		line := fmt.Sprintf("%s %s: %s", style.Bad(r.Severity.String()), term.OneLine(r.Subject), do)
		if !said[line] {
			fmt.Fprintln(s.out, line)
		}
		said[line] = true
	}
}
