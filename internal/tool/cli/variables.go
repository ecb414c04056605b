package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/guide"
	"vkloader/internal/tool/term"
)

// variableSchema is raised when a field of list variables changes its meaning or goes.
const variableSchema = 1

// States of a variable.
const (
	stateUnset   = "unset"
	stateInForce = "in force"
	stateIgnored = "ignored"   // something else takes its place
	stateNothing = "no effect" // its value is that of a variable that is not set
	stateFaulty  = "faulty"    // its value, or a part of it, says nothing, or not what it seems to
	stateUnknown = "unknown"   // looks like one of the loader's and is none
)

// variable is one variable as it is here.
type variable struct {
	Name       string   `json:"name"`
	Group      string   `json:"group"`
	State      string   `json:"state"`
	Set        bool     `json:"set"`
	Value      string   `json:"value"`
	Why        string   `json:"why,omitempty"` // of a state that its value does not explain
	Layer      string   `json:"layer,omitempty"`
	Takes      string   `json:"takes,omitempty"`
	Does       string   `json:"does"`
	brief      string   // what it does, in one sentence
	Elevated   string   `json:"elevated,omitempty"` // what elevated processes do: "ignored" or "kept"
	YieldsTo   string   `json:"yields_to,omitempty"`
	Deprecated bool     `json:"deprecated,omitempty"`
	Statements []string `json:"statements,omitempty"`
}

func newListVariables(s *surroundings) *cobra.Command {
	var asJSON, elevated bool
	cmd := &cobra.Command{
		Use: "variables", Short: "Environment variables that the loader reads: which are set, in force, and what they do",
		Long: "Environment variables that the loader reads: which are set, in force, and what they do. \"vkloader help\n" +
			"variables\" tells all about each.\n\n" + exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			source, err := s.source("", elevated)
			if err != nil {
				return err
			}
			answer, err := decision.Ask(source)
			if err != nil {
				return err
			}
			rows := variablesOf(answer, source, source.Environ, elevated)
			if asJSON {
				err = writeJSON(s, struct {
					Schema    int        `json:"schema"`
					Kind      string     `json:"kind"`
					Variables []variable `json:"variables"`
				}{variableSchema, "variables", rows})
			} else {
				printVariables(s, rows)
			}
			bad := func(v variable) bool { return v.State == stateFaulty || v.State == stateUnknown }
			if err == nil && slices.ContainsFunc(rows, bad) {
				err = exit.With(exit.Problems)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", variableSchema))
	cmd.Flags().BoolVar(&elevated, "elevated", false, "as for a program with more rights than its user (setuid)")
	return cmd
}

// variablesOf tells what each variable is and does, given a decision that was made with them.
func variablesOf(answer *plan.Answer, from facts.Source, environ []string, elevated bool) []variable {
	rows := []variable{}
	for _, e := range guide.All() {
		v := from.Var(e.ID.Name(), false)
		row := variable{Name: e.ID.Name(), Group: string(e.Group), Set: v.Set, Value: v.Value, State: stateUnset,
			Takes: plainText(e.Takes), Does: plainText(e.Told()),
			brief: plainText(e.Does), Elevated: e.Elevated(), YieldsTo: plainText(e.Order()),
			Deprecated: e.Instead != nil, Statements: e.Statements}
		if v.Set {
			row.State, row.Why = stateOf(&e, v.Value, answer, from, elevated)
		}
		rows = append(rows, row)
	}
	rows = append(rows, layerVariables(answer, from)...)
	return append(rows, unknownVariables(rows, environ)...)
}

// stateOf judges a variable that is set.
func stateOf(e *guide.Entry, value string, answer *plan.Answer, from facts.Source, elevated bool) (state, why string) {
	if elevated && e.ID.Secure() {
		return stateIgnored, "the program has more rights than its user"
	}
	for _, f := range answer.Findings {
		if f.Code == diag.VariableIgnored && f.Subject == e.ID.Name() {
			return stateIgnored, f.What
		}
	}
	if value == "" && !e.EmptyCount {
		return stateNothing, "empty, which is the same as unset"
	}
	if e.Check != nil {
		if fault := e.Check(value); fault != "" {
			return stateFaulty, fault
		}
	}
	switch e.ID {
	case variables.Home:
		home := from.Var(variables.ConfigHome.Name(), true).Value == "" || from.Var(variables.DataHome.Name(), true).Value == ""
		if !home {
			return stateIgnored, variables.ConfigHome.Name() + " and " + variables.DataHome.Name() + " take its place"
		}
	case variables.DeviceSelect, variables.DisableSelect:
		if answer.Settings != nil && answer.Settings.HasDevices {
			return stateIgnored, "the device configurations of " + answer.Settings.File + " take its place"
		}
		off, _ := strconv.Atoi(from.Var(variables.DisableSelect.Name(), false).Value)
		if e.ID == variables.DeviceSelect && off != 0 {
			return stateIgnored, variables.DisableSelect.Name() + " takes its place"
		}
	case variables.Debug:
		if answer.Settings != nil && answer.Settings.HasLevel {
			return stateIgnored, "stderr_log of " + answer.Settings.File + " takes its place, once that has been read"
		}
	}
	return stateInForce, ""
}

// layerVariables are those that the manifests of implicit layers name.
func layerVariables(answer *plan.Answer, from facts.Source) []variable {
	active := map[*manifest.Layer]bool{}
	for _, a := range answer.Active {
		active[answer.Layers[a.Layer]] = true
	}
	var rows []variable
	add := func(l *manifest.Layer, kind *guide.ByLayer, name, brief string, judge func(value string) (state, why string)) {
		v := from.Var(name, false)
		row := variable{Name: name, Group: "Implicit layers", Set: v.Set, Value: v.Value, State: stateUnset, Layer: l.Name,
			Takes: plainText(kind.Takes), Does: plainText(kind.Does), brief: brief, Elevated: "kept", YieldsTo: plainText(kind.YieldsTo),
			Statements: kind.Statements}
		if v.Set {
			row.State, row.Why = judge(v.Value)
		}
		rows = append(rows, row)
	}
	for _, l := range answer.Layers {
		if !l.Implicit {
			continue
		}
		add(l, &guide.OfLayers[0], l.DisableName, "While it is set, "+l.Name+" is not used.", func(string) (string, string) {
			if active[l] {
				return stateIgnored, l.Name + " is used all the same: vkloader explain says why"
			}
			return stateInForce, ""
		})
		if !l.HasEnable {
			continue
		}
		add(l, &guide.OfLayers[1], l.EnableName, fmt.Sprintf("%s is used only while it is %q.", l.Name, l.EnableValue), func(value string) (string, string) {
			switch {
			case value != l.EnableValue:
				return stateNothing, fmt.Sprintf("%s wants %q", l.Name, l.EnableValue)
			case !active[l]:
				return stateIgnored, l.Name + " is not used all the same: vkloader explain says why"
			}
			return stateInForce, ""
		})
	}
	return rows
}

// unknownVariables are those whose names look like the loader's, and that nobody reads.
func unknownVariables(known []variable, environ []string) []variable {
	var rows []variable
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		looks := slices.ContainsFunc([]string{"VK_LOADER_", "VK_ADD_", "VK_DRIVER_", "VK_ICD_"},
			func(p string) bool { return strings.HasPrefix(name, p) })
		if looks && !slices.ContainsFunc(known, func(v variable) bool { return v.Name == name }) {
			rows = append(rows, variable{Name: name, Group: "Unknown", State: stateUnknown, Set: true, Value: value,
				Does: "Nothing.", brief: "nothing", Why: "the loader reads no variable of this name"})
		}
	}
	return rows
}

func printVariables(s *surroundings, rows []variable) {
	style := term.StyleFor(s.out, s.getenv)
	for start := 0; start < len(rows); {
		group := rows[start].Group
		table := term.NewTable("", "variable", "value", "what it does")
		end := start
		for ; end < len(rows) && rows[end].Group == group; end++ {
			r := &rows[end]
			value := r.Value
			if !r.Set {
				value = "-"
			} else if value == "" {
				value = "(empty)"
			}
			table.Row(r.State, r.Name, value, r.brief)
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

// newVariablesHelp is the topic "vkloader help variables", made of the table of variables.
func newVariablesHelp() *cobra.Command {
	var b strings.Builder
	b.WriteString("Environment variables that the loader reads. Elevated processes ignore those marked so; \"yields to\" is what\n" +
		"takes a variable's place.\n")
	tell := func(name, takes, does, elevated, yields string, statements []string) {
		fmt.Fprintf(&b, "\n  %s\n", name)
		for _, part := range [][2]string{{"", does}, {"takes: ", takes}, {"yields to: ", yields}, {"elevated: ", elevated},
			{"statements: ", strings.Join(statements, ", ")}} {
			if part[1] != "" {
				fmt.Fprintf(&b, "      %s%s\n", part[0], plainText(part[1]))
			}
		}
	}
	for _, group := range guide.Groups {
		fmt.Fprintf(&b, "\n%s\n", group)
		for _, e := range guide.All() {
			if e.Group == group {
				tell(e.ID.Name(), e.Takes, e.Told(), e.Elevated(), e.Order(), e.Statements)
			}
		}
	}
	b.WriteString("\nImplicit layers name two in their manifests\n")
	for _, k := range guide.OfLayers {
		tell(k.Field, k.Takes, k.Does, "kept", k.YieldsTo, k.Statements)
	}
	return &cobra.Command{Use: "variables", Short: "Environment variables that the loader reads", Long: b.String()}
}

// plainText takes the Markdown out of the guide's texts.
func plainText(text string) string { return strings.ReplaceAll(text, "`", "") }
