package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/diag"
	"vkloader/internal/doctor"
	"vkloader/internal/report"
	"vkloader/internal/search"
)

func newDoctor(s *surroundings) *cobra.Command {
	var (
		asJSON, elevated, full bool
		app                    string
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "What is wrong on the way from a program to its GPU, why, and what to do about it",
		Long: "doctor examines devices, manifests, libraries with everything that they need, leftovers and variables, and\n" +
			"gives each finding a code, a reason and a line that says what to do. It reads files and loads nothing.\n\n" +
			exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			source, err := s.source(app, elevated)
			if err != nil {
				return err
			}
			result, err := doctor.Examine(source, doctor.Options{Platform: search.Linux()})
			if err != nil {
				return &exitError{exitBlind, err}
			}
			if asJSON {
				err = writeJSON(s, result)
			} else {
				printDoctor(s, result, full)
			}
			if err == nil && result.Has(diag.Problem) {
				err = &exitError{code: exitProblems}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", doctor.Schema))
	cmd.Flags().BoolVar(&full, "full", false, "show notes as well: what is no problem, and why")
	cmd.Flags().StringVar(&app, "app", "", "the program to examine for: path of its executable")
	cmd.Flags().BoolVar(&elevated, "elevated", false, "as for a program with more rights than its user (setuid)")
	return cmd
}

// printDoctor writes the report for people: what there is, then what is wrong with it.
func printDoctor(s *surroundings, r *doctor.Report, full bool) {
	style := report.StyleFor(s.out, s.getenv)
	for _, section := range []struct {
		title   string
		modules []doctor.Module
	}{{"Drivers", r.Drivers}, {"Layers", r.Layers}} {
		fmt.Fprintf(s.out, "%s\n", style.Heading(section.title))
		if len(section.modules) == 0 {
			fmt.Fprint(s.out, "  none\n\n")
			continue
		}
		table := report.NewTable("", "name", "library", ">brings")
		for _, m := range section.modules {
			mark := "bad"
			switch {
			case m.Good:
				mark = "ok"
			case m.Class != 0 && m.Class != doctor.ProcessClass:
				mark = fmt.Sprintf("%d-bit", m.Class)
			}
			if !m.Used {
				mark += ", not used"
			}
			table.Row(mark, m.Name, or(m.File, m.Library), plural(m.Needs, "library"))
		}
		table.Print(s.out, "  ", style)
		fmt.Fprintln(s.out)
	}
	count := map[string]int{}
	for _, f := range r.Findings {
		count[f.Severity]++
		if f.Severity != diag.Note.String() || full {
			printFinding(s, style, &f)
		}
	}
	notes := plural(count["note"], "note")
	if !full && count["note"] > 0 {
		notes += " (--full shows them)"
	}
	fmt.Fprintf(s.out, "%s, %s, %s\n", plural(count["problem"], "problem"), plural(count["warning"], "warning"), notes)
}

func printFinding(s *surroundings, style report.Style, f *doctor.Finding) {
	subject := f.Subject
	if subject == f.Path {
		subject = search.BaseName(subject)
	}
	title := report.OneLine(f.Severity + " " + f.Code + ": " + subject)
	if f.Severity == diag.Problem.String() {
		title = style.Bad(title)
	} else {
		title = style.Heading(title)
	}
	fmt.Fprintln(s.out, title)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(s.out, "    %-4s  %s\n", name, report.OneLine(text))
		}
	}
	where := f.Path
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", f.Path, f.Line, f.Column)
	}
	line("file", where)
	line("what", f.What)
	why := f.Why
	if f.Statement != "" {
		why = strings.TrimSpace(why + " (" + f.Statement + ")")
	}
	line("why", why)
	line("do", f.Do)
	fmt.Fprintln(s.out)
}

// plural counts things in words.
func plural(n int, thing string) string {
	many := thing + "s"
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		many = stem + "ies"
	}
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %s", n, many)
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
