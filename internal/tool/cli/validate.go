package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

// validateSchema is raised when a field of validate changes its meaning or goes.
const validateSchema = 1

func newValidate(s *invocation) *cobra.Command {
	var asJSON bool
	var kind string
	var kinds []string
	for _, k := range validation.Kinds {
		kinds = append(kinds, string(k))
	}
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check driver manifests, layer manifests and settings files",
		Long: "validate judges files as JSON, by the published JSON Schemas, and by the loader's own rules, which are laxer in\n" +
			"some things and stricter in others. What kind a file is it sees by the content; layers in a directory\n" +
			"implicit_layer.d, or with a disable_environment, are judged as implicit. It opens nothing that a file names.\n\n" +
			exitCodesHelp + "\nA warning is a problem found here, a note is not.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the files to judge: see vkloader validate --help")
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
			results, code := []validation.Result{}, exit.Fine
			for _, path := range paths {
				result, problems := validation.Judge(source.File(path), path, as)
				results = append(results, result)
				if result.Problem != "" {
					code = exit.NotLooked
				} else if problems && code == exit.Fine {
					code = exit.Problems
				}
			}
			if asJSON {
				err = writeJSON(s, struct {
					Schema int                 `json:"schema"`
					Files  []validation.Result `json:"files"`
				}{validateSchema, results})
			} else {
				printValidated(s, results)
			}
			if err == nil && code != exit.Fine {
				err = exit.With(code)
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

func printValidated(s *invocation, results []validation.Result) {
	style := term.StyleFor(s.out, s.getenv)
	for _, r := range results {
		if r.Problem != "" {
			fmt.Fprintf(s.out, "%s: %s\n", term.OneLine(r.Path), style.Bad(r.Problem))
			continue
		}
		counts, advised := map[diag.Severity]int{}, map[string]bool{}
		for _, f := range r.Findings {
			counts[f.Severity]++
			severity := f.Severity.String()
			if f.Severity == diag.Problem {
				severity = style.Bad(severity)
			}
			where := r.Path
			if f.Line > 0 {
				where = fmt.Sprintf("%s:%d:%d", r.Path, f.Line, f.Column)
			}
			fmt.Fprintf(s.out, "%s: %s: %s [%s, %s]\n", term.OneLine(where), severity, term.OneLine(f.What), f.Code, f.Statement)
			if f.Do != "" && !advised[f.Code] {
				advised[f.Code] = true
				fmt.Fprintf(s.out, "    %s\n", f.Do)
			}
		}
		verdict := "the loader takes it"
		if !r.Accepted {
			verdict = "the loader ignores it"
		}
		total := ""
		for _, severity := range []diag.Severity{diag.Problem, diag.Warning, diag.Note} {
			if n := counts[severity]; n > 0 {
				total += ", " + term.Number(n, severity.String())
			}
		}
		fmt.Fprintf(s.out, "%s: %s, %s%s\n", term.OneLine(r.Path), kindWords[r.Kind], verdict, total)
	}
}

var kindWords = map[string]string{
	string(validation.Unknown): "unknown kind", string(validation.Driver): "driver manifest",
	string(validation.Implicit): "manifest of implicit layers", string(validation.Explicit): "manifest of explicit layers",
	string(validation.Settings): "settings",
}
