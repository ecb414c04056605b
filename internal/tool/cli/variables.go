package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// variableList is the output of list variables.
type variableList struct {
	Schema    int                    `json:"schema"`
	Kind      string                 `json:"kind"`
	Variables []environment.Variable `json:"variables"`
	Findings  []envFinding           `json:"findings"`
}

// variablesOf returns all variables of a machine, and the findings about them.
func variablesOf(source *machine.Source) (*variableList, error) {
	answer, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	list := &variableList{Schema: variableSchema, Kind: "variables", Findings: []envFinding{},
		Variables: environment.All(answer, source, source.Environ, source.Elevated)}
	for _, f := range doctor.Variables(source, answer) {
		one := envFinding{f.Code, f.Severity, f.Statement, f.Subject, f.What, f.Do, f.Commands}
		list.Findings = append(list.Findings, one)
	}
	return list, nil
}

func newListVariables(s *invocation) *cobra.Command {
	var o struct {
		output
		App      string `option:"app"`
		Elevated bool   `option:"elevated"`
		Set      bool   `option:"set"`
	}
	return newCommand("variables", &o, variableSchema, func([]string) error {
		of, err := s.subject(o.App, o.Elevated, 0)
		if err != nil {
			return err
		}
		loader := loaders.Decide(of.source)
		answer, err := variablesOf(of.source)
		if err != nil {
			return err
		}
		if o.Set {
			isUnset := func(v environment.Variable) bool { return !v.Set }
			answer.Variables = slices.DeleteFunc(answer.Variables, isUnset)
		}
		isProblem := func(f envFinding) bool { return f.Severity == diag.Problem }
		return o.judge(s, answer, slices.ContainsFunc(answer.Findings, isProblem), func() {
			printLoader(s, loader, o.App)
			printVariables(s, answer.Variables)
			printVariableFindings(s, answer.Variables, answer.Findings)
		})
	})
}

func printVariables(s *invocation, rows []environment.Variable) {
	if len(rows) == 0 {
		fmt.Fprintln(s.out, "No variable of the loader is set.")
	}
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
		fmt.Fprintln(s.out, s.style.Heading(group))
		table.Print(s.out, "  ", s.style)
		start = end
	}
	for _, r := range rows {
		if r.Why != "" {
			fmt.Fprintf(s.out, "%s %s: %s\n", s.style.Bad(r.State), r.Name, term.OneLine(r.Why))
		}
	}
}

// envFinding is a fault of a variable.
type envFinding struct {
	Code      doctor.Kind   `json:"code"`
	Severity  diag.Severity `json:"severity"`
	Statement string        `json:"statement"`
	Variable  string        `json:"variable"`
	What      string        `json:"what"`
	Do        string        `json:"do"` // "": no tried fix helps

	Commands []shell.Line `json:"commands,omitempty"` // the shell lines in do
}

// severity returns a severity as text, with problems in a colour.
func (s *invocation) severity(severity diag.Severity) string {
	return term.Either(severity == diag.Problem, s.style.Bad(severity.String()), severity.String())
}

func printVariableFindings(s *invocation, rows []environment.Variable, findings []envFinding) {
	if len(findings) > 0 {
		s.section("Problems")
	}
	for _, f := range findings {
		what := f.What
		if at := slices.IndexFunc(rows, func(r environment.Variable) bool { return r.Name == f.Variable }); at >= 0 &&
			!strings.Contains(what, f.Variable) {
			what = f.Variable + "=" + rows[at].Value + ": " + what
		}
		fmt.Fprintf(s.out, "  %s: %s [%s, %s]\n", s.severity(f.Severity), term.OneLine(what), f.Code, f.Statement)
		s.text("      ", f.Do)
	}
}
