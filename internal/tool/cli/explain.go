package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// explaining holds the options of explain.
type explaining struct {
	output
	App      string `option:"app"`
	PID      int    `option:"pid" excludes:"platform"`
	Elevated bool   `option:"elevated"`
	Bare     bool   `option:"no-fixes"`
	otherSystem

	// a picture instead of text
	Picture bool          `option:"picture" excludes:"no-fixes platform"`
	Still   bool          `option:"no-probe" needs:"picture"`
	Limit   time.Duration `option:"timeout" default:"30s" needs:"picture"`
}

func newExplain(s *invocation) *cobra.Command {
	e := &explaining{}
	const use = "explain [PROGRAM | DRIVER | LAYER | FINDING | STATEMENT]..."
	cmd := newCommand(use, e, explainSchema, func(names []string) error {
		if e.Picture {
			return e.draw(s, names)
		}
		return e.run(s, names)
	})
	cmd.Args, cmd.ValidArgsFunction = cobra.ArbitraryArgs, completeInstalled(s, true, true)
	addPlatforms(cmd, &e.otherSystem)
	return cmd
}

func (e *explaining) run(s *invocation, names []string) error {
	if len(names) == 1 && e.App == "" && e.PID == 0 && e.Platform == "" && s.Root == "" {
		if explainWord(s, names[0]) {
			return nil
		}
		if program := programOf(names[0]); program != "" && !strings.HasSuffix(program, ".json") &&
			!s.isEntry(names[0]) {
			e.App, names = program, nil
		}
	}
	explain := e.here
	switch {
	case e.Platform == androidName:
		explain = e.android
	case e.Platform != "":
		explain = e.elsewhere
	}
	answer, rest, err := explain(s, names)
	if err != nil {
		return err
	}
	return e.print(s, answer, func() {
		if answer.Static != "" {
			s.text("", answer.Static+".")
			return
		}
		if len(answer.Writers) > 0 {
			printWriters(s, answer.Writers)
			return
		}
		if e.Platform == "" || answer.Loader != nil {
			printLoader(s, answer.Loader, answer.App)
		}
		s.text("", term.Enclosed(machine.Style.Base(answer.App)+" runs with more rights than its user (",
			string(answer.Elevated), "): it ignores most variables and the home directory."))
		s.text("", term.Enclosed("Set, but ignored: ", strings.Join(answer.Unseen, ", "), "."))
		printExplained(s, answer)
		rest()
	})
}

// here explains for a program or a process, of this machine or one below --root. rest prints the sections after drivers
// and layers.
func (e *explaining) here(s *invocation, names []string) (answer *survey.Explanation, rest func(), err error) {
	about, err := s.subject(e.App, e.Elevated, e.PID)
	if err != nil {
		return nil, nil, err
	}
	if answer, err = explainDecision(about, about.name(e.App), names, e.Bare); err == nil && len(names) == 0 {
		answer.Wants = wantsOf(about)
	}
	return answer, func() {
		printUnspecifiedOrder(s, answer.UnspecifiedOrder, answer.Loader)
		printLayerFile(s, answer.LayerSettings)
		printDifferences(s, answer.Differs)
		if w := answer.Wants; w != nil {
			printLines(s, "Requirements", append([]string{w.Program + " requires " + w.Text + "."}, w.Limits...))
		}
	}, err
}

// explainDecision explains a decision for a program. names selects drivers and layers; none: all. bare omits packages
// and fixes.
func explainDecision(about *subject, app string, names []string, bare bool) (*survey.Explanation, error) {
	result := &survey.Explanation{Schema: explainSchema, App: app, Loader: decideFor(about), In: []explain.Item{},
		Out: []explain.Item{}, Part: len(names) > 0}
	hasLoaded := about.process != nil && about.loadedLoader() != nil
	if static := loaders.StaticOf(loaders.Linker(about.source)); !hasLoaded && !static.Gets() {
		result.Loader, result.Static = nil, static.Line(app)
		return result, nil
	}
	answer, err := decide.Explain(about.source)
	if err != nil {
		return nil, err
	}
	in, out, err := only(about.source, names, answer.In, answer.Out)
	if err != nil {
		if result.Writers = writersOf(about, answer.In, strings.Join(names, " ")); len(result.Writers) > 0 {
			return result, nil
		}
		return nil, err
	}
	if !bare {
		addPackages(about, in, out)
		survey.Fixes(about.source, answer.Plan, in, out)
	}
	for i := range in {
		if e := &in[i]; !e.Meta {
			e.Why = cmp.Or(obstacle(about.source, e.Library), e.Why)
		}
	}
	result.In, result.Out = in, out
	if about.source.Elevated {
		if about.source.Program != "" && !onWindows {
			result.Elevated = process.RightsOf(&about.source.Machine, about.source.Program)
		}
		result.Unseen = doctor.Unseen(about.source)
	}
	if layers := result.ActiveLayers(); len(layers) > 0 && !onWindows {
		if result.LayerSettings, err = settings.ShowLayers(&about.source.Machine, layers...); err != nil {
			return nil, exit.As(exit.NotLooked, err)
		}
	}
	if len(names) == 0 {
		result.UnspecifiedOrder = explain.Unordered(answer.Plan)
	}
	if about.process != nil {
		result.PID, result.Differs = about.process.PID, about.process.Differences(answer.Plan)
	}
	return result, nil
}

// addPackages enters the package of each manifest.
func addPackages(about *subject, lists ...[]explain.Item) {
	manifestOf := func(e explain.Item) string { return e.Manifest }
	owners := about.source.Owners(term.Words(slices.Concat(lists...), manifestOf))
	for _, list := range lists {
		for i := range list {
			list[i].Package = owners[list[i].Manifest]
		}
	}
}

// only selects items whose name or path contains one of the names; without names, all. It returns an error if there is
// none, which says where a missing layer is; source is nil for other systems.
func only(source *machine.Source, names []string, in, out []explain.Item) (inOf, outOf []explain.Item, err error) {
	inOf, outOf = explain.Matching(in, names), explain.Matching(out, names)
	if len(names) == 0 || len(inOf)+len(outOf) > 0 {
		return inOf, outOf, nil
	}
	known := term.Words(append(slices.Clone(in), out...), func(e explain.Item) string { return e.Name })
	near := term.DidYouMean(names[0], known)
	for i := 0; source != nil && near == "" && i < len(names); i++ {
		layer := environment.SwitchedBy(names[i])
		if where := doctor.MissingLayer(source, layer); where != "" {
			return nil, nil, exit.Problem("%s is not installed. %s", layer, where)
		}
	}
	return nil, nil, exit.Problem("no driver or layer has %s in its name or path%s", strings.Join(names, " or "), near)
}

// printItem prints a driver or layer. verb introduces the changes that add or remove it.
func printItem(s *invocation, e *explain.Item, verb string) {
	number := term.Either(e.Order > 0, fmt.Sprintf("%2d ", e.Order), "   ")
	rule := term.Either(s.Rules, " ("+e.Statement+")", "")
	fmt.Fprintf(s.out, " %s%s: %s%s\n", number, s.style.Heading(term.OneLine(e.Name)), term.OneLine(e.Why), rule)
	if but := e.But; but != "" {
		if e.Order > 0 {
			but = string(e.State(true)) + ": " + but
		}
		s.style.Lines(s.out, "      ", term.Either(e.Lost(), s.style.Bad, nil), but)
	}
	s.text("      file ", placeIn(e.Manifest, e.Line, e.Column)+term.Enclosed(", installed by ", e.Package, ""))
	s.text("      library ", e.Library)
	s.text("      ", term.Either(e.Meta, "a meta-layer: its components are in the chain", ""))
	s.text("      ", term.Either(e.NameOnly, "listed by name only: the chain has a later layer with this name", ""))
	s.text("      ", cmp.Or(term.Enclosed(verb+" ", string(e.Change), ""), e.Do))
}

// printExplained prints the drivers and layers in use and out of use. For a selection, it omits empty kinds.
func printExplained(s *invocation, a *survey.Explanation) {
	fmt.Fprintf(s.out, "For %s:\n", term.Or(term.OneLine(a.App), "a program that enables no layer or extension"))
	for _, section := range []struct{ title, kind string }{
		{"Layers, from the program down", "layer"}, {"Drivers, in the order they are found", "driver"},
	} {
		none := !slices.ContainsFunc(a.In, func(e explain.Item) bool { return e.Kind == section.kind })
		if none && a.Part {
			continue
		}
		s.section(section.title)
		for i := range a.In {
			if a.In[i].Kind == section.kind {
				printItem(s, &a.In[i], "off with")
			}
		}
		if none {
			fmt.Fprintln(s.out, "    none")
		}
	}
	if len(a.Out) > 0 {
		s.section("Not used")
		for i := range a.Out {
			printItem(s, &a.Out[i], "on with")
		}
	}
}

// leastMessage is the least length of a text that is looked for in libraries. Shorter texts occur by chance.
const leastMessage = 8

// writersOf returns the drivers and layers in use whose libraries contain a message that a user saw on a terminal. A
// program may have written words before it, up to a colon.
func writersOf(about *subject, in []explain.Item, message string) (list []survey.Writer) {
	linker := loaders.Linker(about.source)
	present := drivers.GPUs(&about.source.Machine)
	for text := strings.TrimSpace(message); len(text) >= leastMessage && len(list) == 0; {
		for i := range in {
			e := &in[i]
			found := linker.Find(e.Library)
			if e.Library == "" || found.File == nil || found.File.Err() != nil {
				continue
			}
			if data, err := about.source.ReadLarge(found.File.Path); err == nil && bytes.Contains(data, []byte(text)) {
				list = append(list, survey.Writer{Message: text, Kind: e.Kind, Name: e.Name, Library: found.File.Path,
					Harmless: e.Kind == explain.Drivers.One && decide.DeviceAbsent(drivers.Of(e.Library), present)})
			}
		}
		_, rest, more := strings.Cut(text, ":")
		if !more {
			break
		}
		text = strings.TrimSpace(rest)
	}
	return list
}

// printWriters prints the drivers and layers that write a message.
func printWriters(s *invocation, list []survey.Writer) {
	for _, w := range list {
		text := fmt.Sprintf("The %s %s writes %q: its library %s contains this text.", w.Kind, w.Name, w.Message,
			w.Library)
		if w.Harmless {
			text += " The driver has no device here, so the line is harmless: programs use other drivers."
		}
		s.style.Lines(s.out, "", nil, text)
	}
}

// draw draws the chain of a program. It asks devices and layers in child processes, except with --no-probe and for
// other machines, elevated programs and running processes.
func (e *explaining) draw(s *invocation, names []string) error {
	if len(names) > 0 {
		return errors.New("--picture draws the chain of --app or --pid: not with names")
	}
	about, err := s.subject(e.App, e.Elevated, e.PID)
	if err != nil {
		return err
	}
	source, library := about.source, ""
	if about.process == nil {
		if l := loaders.Decide(source); l != nil && !l.Ours() {
			library = l.File
		}
	}
	still := e.Still || source.Foreign() || e.Elevated || e.PID != 0
	chain, err := survey.LookAtChain(s.executable, library, source, still, e.Limit)
	if err = cmp.Or(s.bound.Err(), err); err != nil {
		return exit.As(exit.NotLooked, err)
	}
	chain.Program = about.name(e.App)
	if about.process != nil {
		if mapped := about.process.Loaders(); len(mapped) > 0 {
			chain.Library = mapped[0].Path
		}
	}
	if e.JSON {
		chain.Schema = graphSchema
		err = writeJSON(s, chain)
	} else {
		err = survey.SVG(term.Raw(s.out), chain)
	}
	if err == nil && chain.Problem != "" {
		err = exit.With(exit.Problems)
	}
	return err
}
