package cli

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/systems"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// otherSystem holds the options for a machine with another system.
type otherSystem struct {
	Platform   string
	Registry   []string `option:"registry" needs:"platform"`
	Properties []string `option:"properties" needs:"platform"`
	Bits       string   `option:"bits" words:"32 64" default:"64"`
	Package    string   `option:"package" needs:"platform"`
	Debuggable bool     `option:"debuggable" needs:"platform"`
}

// androidName is the system whose loader reads no manifests.
const androidName = "android"

// addPlatforms adds --platform, whose words are in a table.
func addPlatforms(cmd *cobra.Command, e *otherSystem) {
	names := term.Words(systems.Systems, func(s systems.System) string { return s.Name })
	cmd.Flags().Var(option.Choice{Value: &e.Platform, Words: append(names, androidName)}, "platform", "")
}

// maxRegistry is the size of the largest registry file that is read, in bytes: a file of a whole hive has some 100 MB.
const maxRegistry = 256 << 20

// otherSource returns the machine with another system that the options describe.
func otherSource(s *invocation, e *otherSystem, app string, elevated bool) (*systems.Foreign, error) {
	switch {
	case e.Platform == androidName:
		return nil, errors.New(
			"--platform android: its loader reads no manifests; vkloader explain shows its decisions")
	case len(e.Registry) > 0 && e.Platform != "windows":
		return nil, errors.New("--registry needs --platform windows")
	case len(e.Properties) > 0 || e.Package != "" || e.Debuggable:
		return nil, errors.New("--properties, --package and --debuggable need --platform android")
	}
	system, _ := systems.Find(e.Platform)
	source := &systems.Foreign{System: system, Bits: e.Bits, Elevated: elevated, Program: app}
	if s.Root != "" {
		m, err := s.machine()
		if err != nil {
			return nil, err
		}
		source.Machine = m
		// Windows' loader and those that do not know the program's path do not resolve its links.
		if app != "" && system.Program != "" && system.Name != "windows" {
			if source.Program, err = realProgram(&m, app); err != nil {
				return nil, err
			}
		}
	} else {
		s.say("without --root, the files of that machine are unknown")
		if err := s.change(&source.Machine); err != nil {
			return nil, err
		}
	}
	for _, file := range e.Registry {
		content, err := machine.ReadNamed(file, maxRegistry)
		if err != nil {
			return nil, exit.Unable("--registry: %w", err)
		}
		if source.Keys == nil {
			source.Keys = &systems.Registry{}
		}
		for _, p := range source.Keys.Read(file, content) {
			s.say("%s", p.String())
		}
	}
	source.Own.Resources = resourcesOf(s, source, source.Program)
	source.Decide()
	return source, nil
}

// directoryError returns the error for a directory in place of a program. For a bundle of macOS it names the programs
// in it.
func directoryError(m *machine.Machine, app string) error {
	directory := path.Join(app, "Contents/MacOS")
	programs := term.Words(m.Names(directory), func(name string) string { return path.Join(directory, name) })
	if len(programs) == 0 {
		return exit.Unable("--app %s: a directory, not a program", app)
	}
	return exit.Unable("--app %s: a bundle, not a program: give the path of a program in it: %s", app,
		string(shell.Join(term.Words(programs, shell.Quoted), ", ")))
}

func propertiesOf(s *invocation, e *otherSystem) (systems.Properties, error) {
	properties := systems.Properties{}
	for _, file := range e.Properties {
		content, err := machine.ReadNamed(file, facts.MaxFile)
		if err != nil {
			return nil, exit.Unable("--properties: %w", err)
		}
		for _, p := range properties.Read(file, string(content)) {
			s.say("%s", p)
		}
	}
	return properties, nil
}

func (e *explaining) android(s *invocation, names []string) (*survey.Explanation, func(), error) {
	if len(e.Registry) > 0 {
		return nil, nil, errors.New("--registry needs --platform windows")
	}
	if s.Root == "" {
		return nil, nil, errors.New("--platform android needs --root: on Android, drivers and layers are only files")
	}
	m, err := s.machine()
	if err != nil {
		return nil, nil, err
	}
	other := &e.otherSystem
	properties, err := propertiesOf(s, other)
	if err != nil {
		return nil, nil, err
	}
	a := &systems.Android{Machine: m, Properties: properties, Package: other.Package, Debuggable: other.Debuggable,
		Bits: other.Bits}
	in, out, notes := a.Explain()
	if in, out, err = only(nil, names, in, out); err != nil {
		return nil, nil, err
	}
	answer := &survey.Explanation{Schema: explainSchema, App: other.Package, In: in, Out: out, Part: len(names) > 0}
	return answer, func() {
		printLines(s, "On Android", notes)
	}, nil
}

// resourcesOf returns the resource directory of the program's bundle: --root itself, or the bundle with the program in
// it; "" if there is none.
func resourcesOf(s *invocation, source *systems.Foreign, app string) string {
	resources := "/Contents/Resources"
	if app != "" {
		resources = machine.BundleResources(app)
	}
	if source.System.Name != "macos" || s.Root == "" || resources == "" {
		return ""
	}
	info, err := source.Machine.Stat(resources)
	return term.Either(err == nil && info.IsDir(), resources, "")
}

// decideOther returns the decision on the machine that the options describe.
func decideOther(s *invocation, e *otherSystem, app string, elevated bool) (*systems.Foreign, *plan.Answer, error) {
	source, err := otherSource(s, e, app, elevated)
	if err != nil {
		return nil, nil, err
	}
	answer, err := explain.Decide(source, explain.WithPlatform(source.System.Platform(e.Bits)))
	return source, answer, err
}

func (e *explaining) elsewhere(s *invocation, names []string) (*survey.Explanation, func(), error) {
	source, answer, err := decideOther(s, &e.otherSystem, e.App, e.Elevated)
	if err != nil {
		return nil, nil, err
	}
	in, out := explain.Of(answer)
	in, out, err = only(nil, names, in, out)
	if err != nil {
		return nil, nil, err
	}
	explained := &survey.Explanation{Schema: explainSchema, App: e.App, Loader: source.Loader, In: in, Out: out,
		Part: len(names) > 0}
	return explained, func() { printSystem(s, source) }, nil
}

func printSystem(s *invocation, source *systems.Foreign) {
	s.section("On " + source.System.Title)
	loader := source.System.Loader
	if found := source.Loader; found != nil {
		loader = found.Path
	}
	fmt.Fprintf(s.out, "    loader   %s\n", term.OneLine(loader))
	fmt.Fprintf(s.out, "    drivers  opened by %s\n", ways(source.System.Opening.Drivers))
	fmt.Fprintf(s.out, "    layers   opened by %s\n", ways(source.System.Opening.Layers))
	fmt.Fprintf(s.out, "    devices  %s\n", source.System.Order)
	s.text("             called first, before they negotiate: ", source.System.Opening.First)
	if source.System.Program == "" {
		fmt.Fprintf(s.out,
			"    program  no path of its own: settings and override layers for programs by path do not know it\n")
	}
}

func ways(list []systems.OpenMethod) string {
	return strings.Join(term.Words(list, func(way systems.OpenMethod) string { return string(way) }), ", then ")
}
