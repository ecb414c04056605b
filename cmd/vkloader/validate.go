package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/tool/report"
	"vkloader/internal/tool/validation"
)

// validateSchema is raised when a field of validate changes its meaning or goes.
const validateSchema = 1

// validated is one file, and what is to be said about it.
type validated struct {
	Path     string       `json:"path"`
	Kind     string       `json:"kind"`
	Accepted bool         `json:"accepted"` // the loader takes something of it
	Findings []fileRemark `json:"findings"`
	Problem  string       `json:"problem,omitempty"` // why it could not be looked at
}

type fileRemark struct {
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Code      string `json:"code"`
	Severity  string `json:"severity"`
	Statement string `json:"statement"`
	What      string `json:"what"`
	Do        string `json:"do,omitempty"`
}

func newValidate(s *surroundings) *cobra.Command {
	var asJSON bool
	var kind string
	var kinds []string
	for _, k := range validation.Kinds {
		kinds = append(kinds, string(k))
	}
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "What is wrong with a driver manifest, a layer manifest or a settings file, line by line",
		Long: "validate judges files as JSON, by the published JSON Schemas, and by the loader's own rules, which are laxer in\n" +
			"some things and stricter in others. What kind a file is it sees by the content; layers in a folder\n" +
			"implicit_layer.d, or with a disable_environment, are judged as implicit. It opens nothing that a file names.\n\n" +
			exitCodesHelp + "\nA warning is a problem found here, a note is not.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("which files: name one or more")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, paths []string) error {
			as := validation.Unknown
			if kind != "" {
				if as = validation.Kind(kind); !slices.Contains(validation.Kinds, as) {
					return fmt.Errorf("--kind wants one of %s, got %q", strings.Join(kinds, ", "), kind)
				}
			}
			source, err := s.source("", false)
			if err != nil {
				return err
			}
			results, code := []validated{}, exitFine
			for _, path := range paths {
				result, problems := validateFile(source.File(path), path, as)
				results = append(results, result)
				if result.Problem != "" {
					code = exitBlind
				} else if problems && code == exitFine {
					code = exitProblems
				}
			}
			if asJSON {
				err = writeJSON(s, struct {
					Schema int         `json:"schema"`
					Files  []validated `json:"files"`
				}{validateSchema, results})
			} else {
				printValidated(s, results)
			}
			if err == nil && code != exitFine {
				err = &exitError{code: code}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", validateSchema))
	cmd.Flags().StringVar(&kind, "kind", "", "what the files are meant to be, a `KIND` of: "+strings.Join(kinds, ", "))
	cmd.ValidArgsFunction = completeManifests
	completes(cmd, map[string]completion{"kind": completeKinds})
	return cmd
}

// validateFile judges a file as it was read; problems tells whether more than notes was found.
func validateFile(file facts.File, path string, kind validation.Kind) (result validated, problems bool) {
	result = validated{Path: path, Kind: string(kind), Findings: []fileRemark{}}
	if file.Status != facts.FileRead {
		result.Problem = "cannot be read"
		switch file.Status {
		case facts.FileNotOpened:
			result.Problem = "cannot be opened"
		case facts.FileNotRegular:
			result.Problem = "is not a regular file"
		}
		return result, true
	}
	whole := path // an implicit layer is told by its folder
	if absolute, err := filepath.Abs(path); err == nil {
		whole = absolute
	}
	judged := validation.File(file.Content, whole, kind)
	result.Kind, result.Accepted = string(judged.Kind), judged.Accepted
	for _, f := range judged.Findings {
		entry := f.Code.Entry()
		result.Findings = append(result.Findings, fileRemark{f.Line, f.Column, entry.Name, entry.Severity.String(),
			entry.Statement, strings.ReplaceAll(f.What, whole, path), entry.Do})
	}
	bad, doubtful := judged.Problems()
	return result, bad+doubtful > 0
}

func printValidated(s *surroundings, results []validated) {
	style := report.StyleFor(s.out, s.getenv)
	for _, r := range results {
		if r.Problem != "" {
			fmt.Fprintf(s.out, "%s: %s\n", report.OneLine(r.Path), style.Bad(r.Problem))
			continue
		}
		counts, advised := map[string]int{}, map[string]bool{}
		for _, f := range r.Findings {
			counts[f.Severity]++
			severity := f.Severity
			if severity == diag.Problem.String() {
				severity = style.Bad(severity)
			}
			where := r.Path
			if f.Line > 0 {
				where = fmt.Sprintf("%s:%d:%d", r.Path, f.Line, f.Column)
			}
			fmt.Fprintf(s.out, "%s: %s: %s [%s, %s]\n", report.OneLine(where), severity, report.OneLine(f.What), f.Code, f.Statement)
			if f.Do != "" && !advised[f.Code] {
				advised[f.Code] = true
				fmt.Fprintf(s.out, "    %s\n", f.Do)
			}
		}
		verdict := "the loader takes it"
		if !r.Accepted {
			verdict = "the loader takes nothing of it"
		}
		total := ""
		for _, severity := range []diag.Severity{diag.Problem, diag.Warning, diag.Note} {
			if n := counts[severity.String()]; n > 0 {
				total += ", " + count(n, severity.String())
			}
		}
		fmt.Fprintf(s.out, "%s: %s, %s%s\n", report.OneLine(r.Path), kindWords[r.Kind], verdict, total)
	}
}

var kindWords = map[string]string{
	string(validation.Unknown): "unknown kind", string(validation.Driver): "driver manifest",
	string(validation.Implicit): "manifest of implicit layers", string(validation.Explicit): "manifest of explicit layers",
	string(validation.Settings): "settings",
}

// count is a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
