package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// variableList is the output of list variables.
type variableList struct {
	Schema    int                    `json:"schema"`
	Kind      string                 `json:"kind"`
	Variables []environment.Variable `json:"variables"`
}

// variablesOf returns all variables of a machine.
func variablesOf(source *machine.Source) (*variableList, error) {
	answer, err := decide.Plan(source)
	if err != nil {
		return nil, err
	}
	return &variableList{variableSchema, "variables", environment.All(answer, source, source.Environ, source.Elevated)}, nil
}

func newListVariables(s *invocation) *cobra.Command {
	var out output
	var elevated bool
	cmd := &cobra.Command{
		Use: "variables", Short: "List the loader's environment variables, and the effect of each",
		Long: "variables lists the environment variables that the loader reads.\n" +
			"It shows which are set and in force, and the effect of each. \"vkloader help variables\" describes them in full.\n\n" + exitCodesHelp,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			source, err := s.source("", elevated)
			if err != nil {
				return err
			}
			loader := loaders.Decide(source, "")
			answer, err := variablesOf(source)
			if err != nil {
				return err
			}
			bad := func(f environment.Problem) bool { return f.Code.Entry().Severity == diag.Problem }
			return out.judge(s, answer, slices.ContainsFunc(environment.Check(source, nil), bad), func() {
				printLoader(s, loader, "")
				printVariables(s, answer.Variables)
			})
		},
	}
	out.option(cmd, variableSchema)
	cmd.Flags().BoolVar(&elevated, "elevated", false, elevatedHelp)
	joined(cmd, newEnv(s), "set", "show only variables that are set: the effect of each or the reason why it is ignored, and mistakes in them")
	return cmd
}

func printVariables(s *invocation, rows []environment.Variable) {
	style := term.StyleFor(s.out, s.getenv)
	for start := 0; start < len(rows); {
		group := rows[start].Group
		table := term.NewTable("", "variable", "value", "effect")
		end := start
		for ; end < len(rows) && rows[end].Group == group; end++ {
			r := &rows[end]
			value := r.Value
			if !r.Set {
				value = "-"
			} else if value == "" {
				value = "(empty)"
			}
			table.Row(r.State, r.Name, value, r.Brief)
		}
		if start > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, style.Heading(group))
		table.Print(s.out, "  ", style)
		start = end
	}
	for _, r := range rows {
		if r.Why != "" {
			fmt.Fprintf(s.out, "%s %s: %s\n", style.Bad(r.State), r.Name, term.OneLine(r.Why))
		}
	}
}

const topicOfVariables = "variables"

// variablesHelp returns the topic's text from the table of variables.
func variablesHelp() string {
	var b strings.Builder
	b.WriteString("Environment variables that the loader reads. Elevated processes ignore variables with\n" +
		"\"elevated: ignored\". \"yields to\" lists the settings that take precedence over the variable.\n")
	tell := func(name, takes, does, elevated, yields string, statements []string) {
		fmt.Fprintf(&b, "\n  %s\n", name)
		for _, part := range [][2]string{{"", does}, {"takes: ", takes}, {"yields to: ", yields}, {"elevated: ", elevated},
			{"statements: ", strings.Join(statements, ", ")}} {
			if part[1] != "" {
				fmt.Fprintf(&b, "      %s%s\n", part[0], environment.Plain(part[1]))
			}
		}
	}
	for _, group := range environment.Groups {
		if onWindows && group == environment.Directories { // Windows uses the registry instead
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", group)
		for _, e := range environment.Guide() {
			if e.Group == group {
				tell(e.ID.Name(), e.Takes, e.Told(), e.Elevated(), e.Order(), e.Statements)
			}
		}
	}
	b.WriteString("\nVariables that the manifests of implicit layers name\n")
	for _, k := range environment.OfLayers {
		tell(k.Field, k.Takes, k.Does, "kept", k.YieldsTo, k.Statements)
	}
	if onWindows {
		return b.String()
	}
	b.WriteString("\nMesa's layer that chooses a device, " + drivers.MesaLayer + ", reads these; the loader does not\n")
	for _, v := range drivers.MesaVariables {
		tell(v.Name, v.Takes, v.Does, "kept", v.YieldsTo, nil)
	}
	return b.String()
}
