package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// envFinding is a fault of a variable.
type envFinding struct {
	Code      doctor.Kind   `json:"code"`
	Severity  diag.Severity `json:"severity"`
	Statement string        `json:"statement"`
	Variable  string        `json:"variable"`
	What      string        `json:"what"`
	Do        string        `json:"do"` // "": no tried fix helps

	Commands []string `json:"commands,omitempty"` // the shell lines in do
}

func newEnv(s *invocation) *cobra.Command {
	var out output
	var elevated bool
	var app, kind, device string
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Show the variables that are set, and the effect of each",
		Long: "env shows the variables of the loader and of implicit layers that\n" +
			"are set, and the effect of each or the reason why it is ignored. It reports mistakes: names of files or layers that do not exist, patterns without\n" +
			"a match, variables that contradict each other, and the choice of a device that is not present.\n\n" +
			"On Linux, the list includes the variables of Mesa's device selection layer (MESA_VK_DEVICE_SELECT,\n" +
			"DRI_PRIME).\n" +
			"\"vkloader list variables\" also shows variables that are not set.\n\n" + exitCodesHelp,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if kind != "" {
				if !slices.Contains(survey.VariableKinds(onWindows), kind) {
					return fmt.Errorf("--for needs one of %s, got %q", strings.Join(survey.VariableKinds(onWindows), ", "), kind)
				}
				return chooseDevice(s, kind, device, &out, limit)
			}
			if device != "" {
				return errors.New("--device needs --for")
			}
			source, err := s.source(app, elevated)
			if err != nil {
				return err
			}
			loader := loaders.Decide(source, "")
			answer, err := decide.Plan(source)
			if err != nil {
				return err
			}
			rows := slices.DeleteFunc(environment.All(answer, source, source.Environ, source.Elevated), func(v environment.Variable) bool { return !v.Set })
			findings := []envFinding{}
			for _, f := range environment.Check(source, answer) {
				entry := f.Code.Entry()
				found := envFinding{Code: f.Code, Severity: entry.Severity, Statement: entry.Statement, Variable: f.Variable,
					What: f.What()}
				if c, ok := environment.Fix(source, &f); ok {
					found.Do, found.Commands = c.Line(), c.Lines()
				}
				findings = append(findings, found)
			}
			for _, f := range doctor.Selections(source) {
				findings = append(findings, envFinding{Code: f.Code, Severity: f.Severity, Statement: f.Statement, Variable: f.Subject,
					What: f.Subject + "=" + source.Var(f.Subject, false).Value + ": " + f.What, Do: f.Do, Commands: f.Commands})
			}
			problems := slices.ContainsFunc(findings, func(f envFinding) bool { return f.Severity == diag.Problem })
			return out.judge(s, struct {
				Schema    int                    `json:"schema"`
				Variables []environment.Variable `json:"variables"`
				Findings  []envFinding           `json:"findings"`
			}{envSchema, rows, findings}, problems, func() {
				printLoader(s, loader, app)
				printEnv(s, rows, findings)
			})
		},
	}
	out.option(cmd, envSchema)
	cmd.Flags().StringVar(&kind, "for", "", "print the variables that restrict programs of this `KIND` to --device: "+strings.Join(survey.VariableKinds(onWindows), ", "))
	cmd.Flags().StringVar(&device, "device", "", "with --for: this `DEVICE`: "+drivers.DeviceForms)
	cmd.Flags().DurationVar(&limit, "timeout", 30*time.Second, "with --for: time limit for the child process that lists devices")
	completes(cmd, map[string]completion{"device": completeDevices(s)})
	cmd.Flags().StringVar(&app, "app", "", "examine for the program with the executable `EXE`, a path or a name in PATH")
	cmd.Flags().BoolVar(&elevated, "elevated", false, elevatedHelp)
	return cmd
}

// severityIn returns a severity as text, with problems in a colour.
func severityIn(style term.Style, severity diag.Severity) string {
	if severity == diag.Problem {
		return style.Bad(severity.String())
	}
	return severity.String()
}

func printEnv(s *invocation, rows []environment.Variable, findings []envFinding) {
	style := term.StyleFor(s.out, s.getenv)
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
		fmt.Fprintln(s.out, style.Heading("In force"))
		in.Print(s.out, "  ", style)
	}
	if outs > 0 {
		if count > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, style.Heading("Not in force"))
		out.Print(s.out, "  ", style)
	}
	if len(findings) > 0 {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading("Problems"))
	}
	for _, f := range findings {
		fmt.Fprintf(s.out, "  %s: %s [%s, %s]\n", severityIn(style, f.Severity), term.OneLine(f.What), f.Code, f.Statement)
		if f.Do != "" {
			fmt.Fprintf(s.out, "      %s\n", term.OneLine(f.Do))
		}
	}
}
