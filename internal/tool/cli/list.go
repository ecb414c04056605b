package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// listSchema is raised when a field of list changes its meaning or goes.
const listSchema = 1

// listed is one thing found, and why it is in or out.
type listed struct {
	Subject   string `json:"subject"`
	Path      string `json:"path,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	In        bool   `json:"in"`
	Code      string `json:"code"`
	Severity  string `json:"severity"`
	Statement string `json:"statement"`
	Why       string `json:"why"`
	Do        string `json:"do,omitempty"`
}

// listKind says which findings of a plan belong to one of the lists.
type listKind struct {
	name     string
	short    string
	in       diag.Code
	prefixes []string // of codes
	searches []search.Kind
}

var listKinds = []listKind{
	{"drivers", "Driver manifests found, which are used, and why the others are not", diag.DriverUsed,
		[]string{"driver-"}, []search.Kind{search.Drivers}},
	{"layers", "Layers found, which are active, and why the others are not", diag.LayerActive,
		[]string{"layer-", "meta-", "override-"}, []search.Kind{search.ImplicitLayers, search.ExplicitLayers}},
}

func newList(s *surroundings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list drivers|layers|devices|paths|variables",
		Short: "What is found, and why each of it is used or not",
		Long: "list shows what the library decides for a program that asks for nothing of its own. It runs the library's\n" +
			"own decision on what this machine and these variables say, and loads nothing; only for devices it asks the\n" +
			"drivers, in a child process.\n\n" + exitCodesHelp,
		Args: subcommandOnly("what to list", "drivers, layers, devices, paths or variables"),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	for _, kind := range listKinds {
		asJSON := false
		sub := &cobra.Command{
			Use: kind.name, Short: kind.short, Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				source, err := s.source("", false)
				if err != nil {
					return err
				}
				answer, err := decide(source)
				if err != nil {
					return err
				}
				rows := kind.of(answer)
				if asJSON {
					err = writeJSON(s, struct {
						Schema int      `json:"schema"`
						Kind   string   `json:"kind"`
						Found  []listed `json:"found"`
						Places []place  `json:"places"`
					}{listSchema, kind.name, rows, kind.places(answer)})
				} else {
					kind.print(s, rows, kind.places(answer))
				}
				bad := slices.ContainsFunc(rows, func(r listed) bool { return r.Severity == diag.Problem.String() })
				if err == nil && bad {
					err = exit.With(exit.Problems)
				}
				return err
			},
		}
		sub.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", listSchema))
		cmd.AddCommand(sub)
	}
	cmd.AddCommand(newListDevices(s), newListPaths(s), newListVariables(s))
	return cmd
}

// instanceQuestion is what the commands ask: what a program that creates an instance gets, and why.
func instanceQuestion() plan.Question {
	return plan.Question{Kind: plan.Instance, Platform: search.Linux(), Explain: true}
}

// decide asks the library's own decision, with facts from a source.
func decide(from facts.Source) (*plan.Answer, error) {
	question := instanceQuestion()
	answer := plan.Resolve(&question, from)
	if answer == nil {
		return nil, exit.As(exit.NotLooked, errors.New("the decision never has enough facts"))
	}
	return answer, nil
}

// of picks the findings of the kind.
func (k listKind) of(answer *plan.Answer) []listed {
	rows := []listed{}
	for _, f := range answer.Findings {
		entry := f.Code.Entry()
		mine := slices.ContainsFunc(k.prefixes, func(p string) bool { return strings.HasPrefix(entry.Name, p) })
		general := strings.HasPrefix(entry.Name, "file-") || strings.HasPrefix(entry.Name, "manifest-")
		if !mine && !(general && k.searched(answer, f.Path)) {
			continue
		}
		rows = append(rows, listed{
			Subject: f.Subject, Path: f.Path, Line: f.Line, Column: f.Column, In: f.Code == k.in, Code: entry.Name,
			Severity: entry.Severity.String(), Statement: entry.Statement, Why: f.What, Do: entry.Do,
		})
	}
	return rows
}

// searched tells whether a file is in a place where this kind is looked for.
func (k listKind) searched(answer *plan.Answer, path string) bool {
	for _, kind := range k.searches {
		for _, where := range answer.Searched[kind].List {
			if path == where.Path || search.Folder(path) == strings.TrimRight(where.Path, "/")+"/" {
				return true
			}
		}
	}
	return false
}

// place is a location that was searched, and by whose word.
type place struct {
	Path string `json:"path"`
	From string `json:"from"`
}

func (k listKind) places(answer *plan.Answer) []place {
	places := []place{}
	for _, kind := range k.searches {
		for _, where := range answer.Searched[kind].List {
			places = append(places, place{where.Path, where.From})
		}
	}
	return places
}

func (k listKind) print(s *surroundings, rows []listed, places []place) {
	style := term.StyleFor(s.out, s.getenv)
	if len(rows) == 0 {
		fmt.Fprintf(s.out, "No %s found in:\n", k.name)
		for _, p := range places {
			fmt.Fprintf(s.out, "  %s (%s)\n", p.Path, p.From)
		}
		return
	}
	table := term.NewTable("", "name", "where", "why", "statement")
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
		name := r.Subject
		if name == r.Path {
			name = search.BaseName(name)
		}
		table.Row(mark, name, where, r.Why, r.Statement)
	}
	table.Print(s.out, "", style)
	for _, r := range rows {
		if r.Severity != diag.Note.String() && r.Do != "" {
			fmt.Fprintf(s.out, "%s %s: %s\n", style.Bad(r.Severity), r.Subject, r.Do)
		}
	}
}
