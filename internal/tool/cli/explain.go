package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// explainSchema is raised when a field of explain changes its meaning or goes.
const explainSchema = 1

// explained is one driver or layer: in its place in the order, or out, and the one line that changes that.
type explained struct {
	Kind      string `json:"kind"` // "driver" or "layer"
	Order     int    `json:"order,omitempty"`
	Name      string `json:"name"`
	Manifest  string `json:"manifest,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Library   string `json:"library,omitempty"`
	Package   string `json:"package,omitempty"`   // who installed the manifest
	Meta      bool   `json:"meta,omitempty"`      // a layer that has no library and stands for others
	NameOnly  bool   `json:"name_only,omitempty"` // a layer that is active, but a later one of its name is in the chain (SET-44)
	Code      string `json:"code"`
	Statement string `json:"statement"`
	Why       string `json:"why"`
	Change    string `json:"change,omitempty"` // a line for the environment that puts it out, or in
	Do        string `json:"do,omitempty"`
}

func newExplain(s *surroundings) *cobra.Command {
	var (
		asJSON, elevated bool
		app              string
	)
	cmd := &cobra.Command{
		Use:   "explain [name|file]...",
		Short: "What would be loaded for a program, in which order, by which rule, and how to change it",
		Long: "explain decides for a program as the library would, without running anything, and says for each driver and\n" +
			"layer why it is in or out, whose file it is, and the line for the environment that changes it. With names or\n" +
			"parts of names or paths it shows only those. --env, --app and --elevated ask what would be if.\n\n" + exitCodesHelp,
		RunE: func(_ *cobra.Command, names []string) error {
			source, err := s.source(app, elevated)
			if err != nil {
				return err
			}
			answer, err := decide(source)
			if err != nil {
				return err
			}
			in, out := explainAnswer(answer)
			in, out = matching(in, names), matching(out, names)
			if len(names) > 0 && len(in)+len(out) == 0 {
				return exit.Problem("nothing found has %s in its name or path", strings.Join(names, " or "))
			}
			var manifests []string
			for _, e := range append(slices.Clone(in), out...) {
				manifests = append(manifests, e.Manifest)
			}
			owners := source.Owners(manifests)
			for _, list := range [][]explained{in, out} {
				for i := range list {
					list[i].Package = owners[list[i].Manifest]
				}
			}
			if asJSON {
				return writeJSON(s, struct {
					Schema int         `json:"schema"`
					App    string      `json:"app,omitempty"`
					In     []explained `json:"in"`
					Out    []explained `json:"out"`
				}{explainSchema, app, in, out})
			}
			printExplained(s, app, in, out)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", explainSchema))
	cmd.Flags().StringVar(&app, "app", "", "the program to decide for: its executable `EXE`")
	cmd.Flags().BoolVar(&elevated, "elevated", false, "as for a program with more rights than its user (setuid)")
	cmd.ValidArgsFunction = completeFound(s)
	return cmd
}

// explainAnswer puts a plan's drivers and layers into the order in which they come to act, and beside them what is out.
func explainAnswer(answer *plan.Answer) (in, out []explained) {
	in, out = []explained{}, []explained{}
	reasons := map[string]diag.Finding{} // of what is in, by subject and path
	for _, f := range answer.Findings {
		if f.Code == diag.LayerActive || f.Code == diag.DriverUsed {
			reasons[f.Subject+"\x00"+f.Path] = f
		}
	}
	active := map[*manifest.Layer]bool{}
	for i, a := range answer.Active {
		layer := answer.Layers[a.Layer]
		active[layer] = true
		e := explained{Kind: "layer", Order: i + 1, Name: layer.Name, Manifest: layer.Manifest, Line: layer.Line,
			Column: layer.Column, Library: layer.Library, Meta: layer.Meta, NameOnly: a.Unchained, Change: variables.LayersDisable.Name() + "=" + layer.Name}
		if layer.Implicit && layer.DisableName != "" {
			e.Change = layer.DisableName + "=1"
		}
		e.because(reasons[layer.Name+"\x00"+layer.Manifest])
		in = append(in, e)
	}
	for i, driver := range answer.Drivers {
		name := search.BaseName(driver.Path)
		e := explained{Kind: "driver", Order: i + 1, Name: name, Manifest: driver.Path, Library: driver.Library,
			Change: variables.DriversDisable.Name() + "=" + name}
		e.because(reasons[name+"\x00"+driver.Path])
		in = append(in, e)
	}
	for _, layerKind := range []bool{false, true} {
		kind := listKinds[0]
		if layerKind {
			kind = listKinds[1]
		}
		for _, row := range kind.of(answer) {
			if row.In || row.Path == "" {
				continue
			}
			e := explained{Kind: strings.TrimSuffix(kind.name, "s"), Name: search.BaseName(row.Subject), Manifest: row.Path,
				Line: row.Line, Column: row.Column, Code: row.Code, Statement: row.Statement, Why: row.Why, Do: row.Do}
			if row.Code == diag.LayerInactive.String() {
				e.Change = turnOn(answer, row)
			}
			out = append(out, e)
		}
	}
	return in, out
}

func (e *explained) because(f diag.Finding) {
	entry := f.Code.Entry()
	e.Code, e.Statement, e.Why = entry.Name, entry.Statement, f.What
}

// turnOn is what would make an inactive layer active.
func turnOn(answer *plan.Answer, row listed) string {
	for _, layer := range answer.Layers {
		if layer.Name != row.Subject || layer.Manifest != row.Path {
			continue
		}
		if layer.Implicit && row.Why == "its disable variable "+layer.DisableName+" is set" {
			return "unset " + layer.DisableName // nothing else helps (ENV-58)
		}
		if layer.Implicit && layer.HasEnable {
			return layer.EnableName + "=" + layer.EnableValue
		}
		if !layer.Implicit {
			return variables.InstanceLayers.Name() + "=" + layer.Name
		}
	}
	return variables.LayersEnable.Name() + "=" + row.Subject
}

// matching keeps what has one of the names in its name, manifest or library.
func matching(list []explained, names []string) []explained {
	if len(names) == 0 {
		return list
	}
	kept := []explained{}
	for _, e := range list {
		if slices.ContainsFunc(names, func(n string) bool {
			return strings.Contains(e.Name, n) || strings.Contains(e.Manifest, n) || strings.Contains(e.Library, n)
		}) {
			kept = append(kept, e)
		}
	}
	return kept
}

func printExplained(s *surroundings, app string, in, out []explained) {
	style := term.StyleFor(s.out, s.getenv)
	who := "a program that asks for nothing of its own"
	if app != "" {
		who = app
	}
	print := func(e explained, verb string) {
		number := "   "
		if e.Order > 0 {
			number = fmt.Sprintf("%2d ", e.Order)
		}
		fmt.Fprintf(s.out, " %s%s: %s (%s)\n", number, style.Heading(term.OneLine(e.Name)), term.OneLine(e.Why), e.Statement)
		where := e.Manifest
		if e.Line > 0 {
			where = fmt.Sprintf("%s:%d:%d", e.Manifest, e.Line, e.Column)
		}
		if e.Package != "" {
			where += ", installed by " + e.Package
		}
		fmt.Fprintf(s.out, "      file %s\n", term.OneLine(where))
		if e.Library != "" {
			fmt.Fprintf(s.out, "      library %s\n", term.OneLine(e.Library))
		}
		if e.Meta {
			fmt.Fprintln(s.out, "      a meta-layer: its components are in the chain")
		}
		if e.NameOnly {
			fmt.Fprintln(s.out, "      by its name only: a later one of this name is in the chain (SET-44)")
		}
		if e.Change != "" {
			fmt.Fprintf(s.out, "      %s %s\n", verb, term.OneLine(e.Change))
		}
		if e.Do != "" && e.Change == "" {
			fmt.Fprintf(s.out, "      %s\n", e.Do)
		}
	}
	fmt.Fprintf(s.out, "For %s:\n", who)
	for _, section := range []struct{ title, kind string }{
		{"Layers, from the program down", "layer"}, {"Drivers, in the order they are found", "driver"},
	} {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading(section.title))
		none := true
		for _, e := range in {
			if e.Kind == section.kind {
				print(e, "off with")
				none = false
			}
		}
		if none {
			fmt.Fprintln(s.out, "    none")
		}
	}
	if len(out) > 0 {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading("Not used"))
		for _, e := range out {
			print(e, "on with")
		}
	}
}
