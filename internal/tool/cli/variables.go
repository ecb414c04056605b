package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/drivers"
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
	return &variableList{variableSchema, "variables", environment.All(answer, source, source.Environ, source.Elevated), variableFindings(source, answer)}, nil
}

// listingVariables holds the options of list variables.
type listingVariables struct {
	output
	set, elevated bool
	app           string
}

func newListVariables(s *invocation) *cobra.Command {
	l := &listingVariables{}
	cmd := &cobra.Command{
		Use: "variables", Short: "List the loader's environment variables, and the effect of each",
		Long: "variables lists the environment variables that the loader reads.\n" +
			"It shows which are set and in force, and the effect of each. \"vkloader help variables\" describes them in full.\n\n" +
			"With --set, the list also has the set variables of implicit layers and, on Linux, of Mesa's device\n" +
			"selection layer, and reports mistakes: names of files or layers that do not exist, patterns without\n" +
			"a match, variables that contradict each other, and the choice of a device that is not present.\n\n" + exitCodesHelp,
		Args: rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			if l.set || l.app != "" {
				return l.listSet(s)
			}
			return l.listAll(s)
		},
	}
	l.option(cmd, variableSchema)
	flags := cmd.Flags()
	flags.BoolVar(&l.set, "set", false, "show only variables that are set: the effect of each or the reason why it is ignored, and mistakes in them")
	flags.StringVar(&l.app, "app", "", "with --set: examine for the program with the executable `EXE`, a path or a name in PATH")
	completesApp(s, cmd)
	flags.BoolVar(&l.elevated, "elevated", false, elevatedHelp)
	return cmd
}

func (l *listingVariables) listAll(s *invocation) error {
	source, err := s.source("", l.elevated)
	if err != nil {
		return err
	}
	loader := loaders.Decide(source)
	answer, err := variablesOf(source)
	if err != nil {
		return err
	}
	return l.judge(s, answer, anyProblem(answer.Findings), func() {
		printLoader(s, loader, "")
		printVariables(s, answer.Variables)
		printVariableFindings(s, answer.Variables, answer.Findings)
	})
}

func (l *listingVariables) listSet(s *invocation) error {
	of, err := s.subject(l.app, l.elevated, 0)
	if err != nil {
		return err
	}
	source := of.source
	loader := loaders.Decide(source)
	answer, err := explain.Decide(source)
	if err != nil {
		return err
	}
	isUnset := func(v environment.Variable) bool { return !v.Set }
	rows := slices.DeleteFunc(environment.All(answer, source, source.Environ, source.Elevated), isUnset)
	findings := variableFindings(source, answer)
	return l.judge(s, struct {
		Schema    int                    `json:"schema"`
		Variables []environment.Variable `json:"variables"`
		Findings  []envFinding           `json:"findings"`
	}{envSchema, rows, findings}, anyProblem(findings), func() {
		printLoader(s, loader, l.app)
		printEnv(s, rows, findings)
	})
}

func printVariables(s *invocation, rows []environment.Variable) {
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

const topicOfVariables = "variables"

// variableHelp returns the help about one variable, from that about all; "": the loader reads none of this name.
func variableHelp(name string) string {
	_, rest, found := strings.Cut(variablesHelp(), "\n\n  "+name+"\n")
	if !found {
		return ""
	}
	entry, _, _ := strings.Cut(rest, "\n\n")
	return "  " + name + "\n" + strings.TrimSuffix(entry, "\n") + "\n"
}

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

// variableFindings returns the findings about the variables that are set, each with a change that removes it.
func variableFindings(source *machine.Source, answer *plan.Answer) []envFinding {
	findings := []envFinding{}
	for _, f := range environment.Check(source, answer) {
		if f.BareWord() { // the value's fault has the same cause
			continue
		}
		found := envFinding{Code: f.Code, Severity: f.Severity, Statement: f.Code.Entry().Statement, Variable: f.Variable,
			What: f.What()}
		if c, ok := environment.Fix(source, &f); ok {
			found.Do, found.Commands = string(c.Line()), c.Lines()
		}
		findings = append(findings, found)
	}
	for _, f := range doctor.Values(source, answer) {
		findings = append(findings, envFinding{Code: f.Code, Severity: f.Severity, Statement: f.Statement, Variable: f.Subject,
			What: f.What, Do: f.Do, Commands: f.Commands})
	}
	return findings
}

func anyProblem(findings []envFinding) bool {
	return slices.ContainsFunc(findings, func(f envFinding) bool { return f.Severity == diag.Problem })
}

// severity returns a severity as text, with problems in a colour.
func (s *invocation) severity(severity diag.Severity) string {
	return term.Either(severity == diag.Problem, s.style.Bad(severity.String()), severity.String())
}

func printEnv(s *invocation, rows []environment.Variable, findings []envFinding) {
	if len(rows) == 0 {
		fmt.Fprintln(s.out, "No variable of the loader is set.")
	}
	in, out := term.NewTable("variable", "value", "effect"), term.NewTable("variable", "value", "", "why")
	count, outs := 0, 0
	for _, r := range rows {
		value := term.Or(r.Value, "(empty)")
		if r.State == environment.InForce {
			in.Row(r.Name, value, r.Brief)
			count++
		} else {
			out.Row(r.Name, value, r.State, r.Why)
			outs++
		}
	}
	if count > 0 {
		fmt.Fprintln(s.out, s.style.Heading("In force"))
		in.Print(s.out, "  ", s.style)
	}
	if outs > 0 {
		if count > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, s.style.Heading("Not in force"))
		out.Print(s.out, "  ", s.style)
	}
	printVariableFindings(s, rows, findings)
}

func printVariableFindings(s *invocation, rows []environment.Variable, findings []envFinding) {
	if len(findings) > 0 {
		s.section("Problems")
	}
	for _, f := range findings {
		what := f.What
		if at := slices.IndexFunc(rows, func(r environment.Variable) bool { return r.Name == f.Variable }); at >= 0 && !strings.Contains(what, f.Variable) {
			what = f.Variable + "=" + rows[at].Value + ": " + what
		}
		fmt.Fprintf(s.out, "  %s: %s [%s, %s]\n", s.severity(f.Severity), term.OneLine(what), f.Code, f.Statement)
		s.text("      ", f.Do)
	}
}
