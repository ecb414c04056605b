package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

func newValidate(s *invocation) *cobra.Command {
	var o struct {
		output
		FileOnly bool `option:"file-only"`
	}
	var kind string
	kinds := term.Words(validation.Kinds, func(k validation.Kind) string { return string(k) })
	cmd := newCommand("validate FILE...", &o, validateSchema, func(paths []string) error {
		as := validation.Kind(term.Or(kind, string(validation.Unknown)))
		source, err := s.source("", false)
		if err != nil {
			return err
		}
		results, code := []validation.Result{}, exit.Fine
		examine := libraryOf(source)
		for _, path := range paths {
			result, problems, err := judgeFile(source, path, as)
			if err != nil {
				return examineError(err)
			}
			if !o.FileOnly {
				problems = openLibraries(examine, &result) || problems
			}
			if result.Problem != "" {
				result.Problem = unread(source, path, result.Problem)
			}
			results = append(results, result)
			if result.Problem != "" {
				code = exit.NotLooked
			} else if problems && code == exit.Fine {
				code = exit.Problems
			}
		}
		err = o.print(s, struct {
			Schema int                 `json:"schema"`
			Files  []validation.Result `json:"files"`
		}{validateSchema, results}, func() { printValidated(s, results) })
		if err == nil && code != exit.Fine {
			err = exit.With(code)
		}
		return err
	})
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.Flags().Var(option.Choice{Value: &kind, Words: kinds}, "kind", "")
	cmd.ValidArgsFunction = completeManifests
	return cmd
}

// judgeFile checks a file: a layer settings file by the installed layers' manifests, another one by its content.
func judgeFile(source *machine.Source, path string, as validation.Kind) (result validation.Result, problems bool,
	err error) {
	file := source.File(path)
	if file.Status != facts.FileRead || as != validation.Unknown || !settings.IsLayerFile(path, string(file.Content)) {
		result, problems = validation.Judge(file, path, as)
		return result, problems, nil
	}
	faults, err := settings.CheckLayerFile(source, string(file.Content), doctor.LayerSettings.String())
	result = validation.Result{Path: path, Kind: layerSettingsKind, Accepted: true,
		Findings: append([]validation.Remark{}, faults...)}
	isProblem := func(f validation.Remark) bool { return f.Severity == diag.Problem }
	return result, slices.ContainsFunc(faults, isProblem), err
}

// layerSettingsKind is the kind of vk_layer_settings.txt, which layers read, and no loader.
const layerSettingsKind = "layer-settings"

// unread returns the reason why a file cannot be checked: no such file, a directory, or the given reason of the reader.
func unread(source *machine.Source, path, reader string) string {
	info, err := source.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case err == nil && info.IsDir():
		return "is a directory; name the files in it"
	}
	return reader
}

func openLibraries(examine func(doctor.Entry) (doctor.Entry, []doctor.Finding),
	result *validation.Result) (problems bool) {
	for i := range result.Libraries {
		l := &result.Libraries[i]
		one := doctor.Entry{Name: l.Name, Manifest: result.Path, Library: l.Path, Used: true}
		if l.Layer {
			one.Layer = &manifest.Layer{Negotiate: l.Negotiate, GetInstance: l.GetInstance}
		}
		entry, findings := examine(one)
		l.File, l.Class, l.Standing = entry.File, entry.Class, entry.Standing
		for _, f := range findings {
			result.Findings = append(result.Findings,
				validation.Remark{Line: l.Line, Column: l.Column, Code: f.Code.String(),
					Severity: f.Severity, Statement: f.Statement, What: f.What, Do: f.Do})
			problems = problems || f.Severity == diag.Problem
		}
	}
	return problems
}

func printValidated(s *invocation, results []validation.Result) {
	for _, r := range results {
		if r.Problem != "" {
			fmt.Fprintf(s.out, "%s: %s\n", term.OneLine(r.Path), s.style.Bad(r.Problem))
			continue
		}
		counts, advised := map[diag.Severity]int{}, map[string]bool{}
		for _, f := range r.Findings {
			counts[f.Severity]++
			code := f.Code + term.Enclosed(", ", f.Statement, "")
			fmt.Fprintf(s.out, "%s: %s: %s [%s]\n", term.OneLine(placeIn(r.Path, f.Line, f.Column)),
				s.severity(f.Severity), term.OneLine(f.What), code)
			if f.Do != "" && !advised[f.Code+f.Do] {
				advised[f.Code+f.Do] = true
				fmt.Fprintf(s.out, "    %s\n", f.Do)
			}
		}
		verdict := term.Either(!r.Accepted, "the loader ignores it", "the loader accepts it")
		verdict = term.Either(r.Kind == layerSettingsKind, "layers read it", verdict)
		total := ""
		for _, severity := range []diag.Severity{diag.Problem, diag.Warning, diag.Note} {
			if n := counts[severity]; n > 0 {
				total += ", " + term.Count(n, severity.String())
			}
		}
		for _, l := range r.Libraries {
			if l.File != "" && l.Class != 0 {
				total += fmt.Sprintf(", %d-bit library %s", l.Class, term.OneLine(l.File))
			}
		}
		fmt.Fprintf(s.out, "%s: %s, %s%s\n", term.OneLine(r.Path), kindWords[r.Kind], verdict, total)
	}
}

var kindWords = map[validation.Kind]string{
	validation.Unknown: "unknown kind", validation.Driver: "driver manifest",
	validation.Implicit: "manifest of implicit layers", validation.Explicit: "manifest of explicit layers",
	validation.Settings: "settings", layerSettingsKind: "settings of layers",
}
