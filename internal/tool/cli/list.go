package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/selector"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

func newList(s *invocation) *cobra.Command {
	var o struct {
		Bits string `option:"bits" words:"32 64" default:"64"`
	}
	cmd := newCommand("list drivers|layers|devices|paths|variables", &o, 0,
		func([]string) error { return listBoth(s) })
	addRights(cmd)
	for _, kind := range []explain.Kind{explain.Drivers, explain.Layers} {
		var o listing
		cmd.AddCommand(o.command(kind.One+"s", func([]string) error {
			f, err := decideList(s, &o.otherSystem, kind.One)
			if err != nil {
				return err
			}
			l := f.of(kind)
			return o.judge(s, l, l.bad(), func() {
				f.printLoader(s)
				printFound(s, l)
			})
		}))
	}
	cmd.AddCommand(newListDevices(s), newListPaths(s), newListVariables(s))
	return cmd
}

// listing holds the options of a list for this system or another.
type listing struct {
	output
	otherSystem
}

func (l *listing) command(name string, run func([]string) error) *cobra.Command {
	cmd := newCommand(name, l, listSchema, run)
	addPlatforms(cmd, &l.otherSystem)
	addRights(cmd)
	return cmd
}

// found is a decision and its loader.
type found struct {
	source *machine.Source // nil: another system
	loader *loaders.Loader
	answer *decide.Made
	lists  *discover.Answer // the same decision
}

// componentList is the output of list for a kind.
type componentList struct {
	Schema int                  `json:"schema"`
	Kind   string               `json:"kind"`
	Loader *loaders.Loader      `json:"loader,omitempty"` // of programs; the decision imitates it; absent: none
	Found  []discover.ListEntry `json:"found"`
	Places []discover.Place     `json:"places"`
}

func (l *componentList) bad() bool {
	bad := func(f discover.ListEntry) bool { return f.Severity == diag.Problem.String() || f.Lost() }
	return slices.ContainsFunc(l.Found, bad) || l.nothing()
}

// nothing reports whether programs get none of the drivers that were found. A machine without drivers may not need any.
func (l *componentList) nothing() bool {
	gets := func(f discover.ListEntry) bool { return f.In && f.But == "" }
	return l.Kind == "drivers" && len(l.Found) > 0 && !slices.ContainsFunc(l.Found, gets)
}

func listBoth(s *invocation) error {
	f, err := decideList(s, &otherSystem{}, "")
	if err != nil {
		return err
	}
	f.printLoader(s)
	for _, kind := range []explain.Kind{explain.Drivers, explain.Layers} {
		fmt.Fprintf(s.out, "\n%s\n", s.style.Heading(strings.ToUpper(kind.One[:1])+kind.One[1:]+"s"))
		l := f.of(kind)
		printFound(s, l)
		if l.bad() {
			err = exit.With(exit.Problems)
		}
	}
	return err
}

// printLoader prints the loader that programs of this system get.
func (f *found) printLoader(s *invocation) {
	if f.source != nil {
		printLoader(s, f.loader, "")
	}
}

// decideList decides for a list of a kind; "": of both.
func decideList(s *invocation, other *otherSystem, kind string) (*found, error) {
	f := &found{}
	host, err := f.host(s, other)
	if err != nil {
		return nil, err
	}
	return f, f.decide(host, kind)
}

// host returns the host of this system, with its loader, or of another one.
func (f *found) host(s *invocation, other *otherSystem) (host *decide.Host, err error) {
	if other.Platform != "" {
		source, err := otherSource(s, other, "", false)
		if err != nil {
			return nil, err
		}
		return decide.ForeignHost(source.System.Platform(other.Bits), source, &source.Machine), nil
	}
	if f.source, err = s.source("", false); err != nil {
		return nil, err
	}
	f.loader = loaders.Decide(f.source)
	return decide.HostOf(f.source), nil
}

func (f *found) decide(host *decide.Host, kind string) (err error) {
	if f.answer, err = host.Decide(context.Background(), &decide.Program{Judged: kind}); err != nil {
		return err
	}
	f.lists, err = discover.Decide(context.Background(), (*discover.Host)(host), discover.Program{})
	return term.Either(errors.Is(err, discover.ErrNoDriver), nil, err)
}

func (f *found) of(kind explain.Kind) *componentList {
	list := f.lists.DriverList()
	if kind.One == explain.Layers.One {
		list = f.lists.LayerList()
	}
	l := &componentList{list.Schema, list.Kind, f.loader, list.Found, list.Places}
	if f.source == nil {
		return l
	}
	in, _ := explain.Of(f.answer.Plan)
	for _, e := range in {
		for i := range l.Found {
			if one := &l.Found[i]; one.In && one.Path == e.Manifest && (one.Subject == e.Name || e.Kind == "driver") {
				one.Why = cmp.Or(obstacle(f.source, e.Library), one.Why)
			}
		}
	}
	return l
}

// printLines prints a heading and lines, if there are any.
func printLines(s *invocation, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	s.section(title)
	for _, line := range lines {
		fmt.Fprintf(s.out, "    %s\n", term.OneLine(line))
	}
}

// placeIn returns a place in a file, or the file without a known line.
func placeIn(file string, line, column int) string {
	return term.Either(line == 0, file, fmt.Sprintf("%s:%d:%d", file, line, column))
}

// subjectIn returns the subject of a finding; for a file, the file's name.
func subjectIn(subject, file string) string {
	if subject == file {
		return machine.Style.Base(file)
	}
	return subject
}

func printFound(s *invocation, l *componentList) {
	if len(l.Found) == 0 {
		fmt.Fprintf(s.out, "No %s found in:\n", l.Kind)
		for _, p := range l.Places {
			fmt.Fprintf(s.out, "  %s (%s)\n", p.Path, p.From)
		}
		return
	}
	headings := []string{"state", "name", "manifest", "reason"}
	if s.Rules {
		headings = append(headings, "statement")
	}
	table := term.NewTable(headings...)
	for _, r := range l.Found {
		state := r.State(r.In)
		if !r.In && r.Path == "" { // about a variable or a name
			state = "--"
		}
		why := term.Enclosed("", r.But, "; ") + r.Why
		table.Row(state, subjectIn(r.Subject, r.Path), placeIn(r.Path, r.Line, r.Column), why, r.Statement)
	}
	table.Print(s.out, "", s.style)
	if slices.ContainsFunc(l.Found, func(f discover.ListEntry) bool { return f.Severity == diag.Problem.String() }) {
		fmt.Fprintln(s.out, s.style.Bad("There are problems.")+" To fix them: vkloader doctor")
	}
}

func searchPaths(host *decide.Host) (*discover.PathList, error) {
	return discover.Paths(context.Background(), (*discover.Host)(host), discover.Program{})
}

func newListPaths(s *invocation) *cobra.Command {
	var o listing
	return o.command("paths", func([]string) error {
		host, err := (&found{}).host(s, &o.otherSystem)
		if err != nil {
			return err
		}
		answer, err := searchPaths(host)
		if err != nil {
			return err
		}
		return o.print(s, answer, func() { printPaths(s, answer.Places) })
	})
}

func printPaths(s *invocation, places []discover.Searched) {
	for start := 0; start < len(places); {
		name := places[start].For
		if start > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, s.style.Heading(strings.ToUpper(name[:1])+name[1:]))
		table := term.NewTable(">", "path", "source", "contents")
		for ; start < len(places) && places[start].For == name; start++ {
			p := &places[start]
			there := strings.Join(p.Manifests, ", ")
			switch {
			case p.Note != "":
				there = p.Note
			case !p.Exists:
				there = "does not exist"
			case there == "":
				there = "no manifest"
			}
			there += term.Enclosed(" (in ", p.Real, ")")
			number := term.Either(p.Order > 0, fmt.Sprint(p.Order), "")
			table.Row(number, p.Path, p.From, there)
		}
		table.Print(s.out, "  ", s.style)
	}
}

func newListDevices(s *invocation) *cobra.Command {
	var o struct {
		output
		Only    []string      `option:"device"`
		Limit   time.Duration `option:"timeout" default:"30s"`
		Details bool          `option:"details"`
	}
	return newCommand("devices", &o, devicesSchema, func([]string) error {
		if _, err := s.thisMachine("list devices"); err != nil {
			return err
		}
		source, err := s.source("", false)
		if err != nil {
			return err
		}
		answer, err := listTheDevices(s, source, o.Only, o.Details, o.Limit)
		if err != nil {
			return err
		}
		return o.judge(s, answer, answer.Problem != "", func() {
			if loaders.For(source, loaders.Linker(source), nil) == nil {
				printLoader(s, nil, "")
			}
			printDevices(s, answer)
			s.text("", answer.Differs)
			printDetails(s, answer.Details)
		})
	})
}

// listTheDevices lists the devices of a machine; only: those that the selectors name, or all.
func listTheDevices(s *invocation, source *machine.Source, only []string, details bool,
	limit time.Duration) (*deviceList, error) {
	devices, err := devicesOf(s, source, limit)
	if err != nil {
		return nil, err
	}
	other, err := differs(s, source, devices, limit)
	if err != nil {
		return nil, err
	}
	if len(only) > 0 {
		places, err := selector.FindEach(only, devices.Selectable())
		if err != nil {
			return nil, exit.Problem("--device: %w", err)
		}
		devices.List = term.Words(places, func(at int) survey.Device { return devices.List[at] })
	}
	answer := &deviceList{Schema: devicesSchema, Kind: "devices", Devices: *devices, Differs: other}
	if details && devices.Problem == "" {
		found, err := probe.Find(s.executable, "")
		if err == nil {
			answer.Details, err = survey.LookAtRun(found, source.Environ, limit)
		}
		if err != nil {
			return nil, exit.As(exit.NotLooked, err)
		}
		answer.Problem, answer.Died = answer.Details.Problem, answer.Details.Died
	}
	return answer, nil
}

// deviceList is the output of list devices.
type deviceList struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
	survey.Devices
	// the result with the loader of programs, if it differs from that of the tool's own library
	Differs string `json:"differs,omitempty"`

	Details *survey.ShortRun `json:"details,omitempty"` // a short program with the tool's own library
}

// printDetails prints the chain, the times and the messages of a short program; nil: nothing.
func printDetails(s *invocation, r *survey.ShortRun) {
	if r == nil {
		return
	}
	s.section("Library")
	fmt.Fprintf(s.out, "  %s\n", term.OneLine(r.Library))
	s.section("Chain")
	fmt.Fprintf(s.out, "  %s\n", term.OneLine(strings.Join(r.Chain, " -> ")))
	s.section("Times")
	table := term.NewTable("phase", ">first", ">again")
	for _, t := range r.Times {
		table.Row(t.Phase, term.Microseconds(t.First), term.Either(t.Again > 0, term.Microseconds(t.Again), ""))
	}
	table.Print(s.out, "  ", s.style)
	if len(r.Messages) > 0 {
		s.section("Messages of the loader")
	}
	for _, m := range r.Messages {
		fmt.Fprintf(s.out, "  %s: %s\n", m.Severity, term.OneLine(m.Text))
	}
}

// devicesOf lists the devices of a machine with the programs' drivers, in child processes.
func devicesOf(s *invocation, source *machine.Source, limit time.Duration) (*survey.Devices, error) {
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return nil, examineError(err)
	}
	devices, err := survey.LookAtDevices(found, source, limit)
	return devices, examineError(err)
}

// differs returns in a sentence what programs list with their own loader; "": the same devices in the same order.
func differs(s *invocation, source *machine.Source, devices *survey.Devices, limit time.Duration) (string, error) {
	own, err := probe.Find(s.executable, "")
	if err != nil {
		return "", examineError(err)
	}
	linker := loaders.Linker(source)
	l := loaders.For(source, linker, nil)
	at := l.Place(&source.Machine, own, linker.OwnInterpreter())
	if at == own || onWindows {
		return "", nil
	}
	seen, err := survey.ProbeDevices(at, source.Environ, limit)
	if err != nil {
		return "", examineError(err)
	}
	listed := slices.DeleteFunc(slices.Clone(devices.List), func(d survey.Device) bool { return !d.In })
	if survey.Same(seen.Devices, term.Words(listed, func(d survey.Device) discover.Device { return d.Device })) {
		return "", nil
	}
	names := term.Words(seen.Devices, func(d discover.Device) string { return fmt.Sprint(d.Index, " ", d.Name) })
	return "The list is of vkloader's library. With " + l.Title() + ", which programs get: " +
		cmp.Or(strings.Join(names, ", "), seen.Problem, "no device"), nil
}

func printDevices(s *invocation, devices *deviceList) {
	if devices.Problem != "" {
		fmt.Fprintf(s.out, "%s %s\n", s.style.Bad("Problem:"), term.OneLine(devices.Problem))
		if devices.Died {
			fmt.Fprintln(s.out, "To find the layer or driver: vkloader doctor, or for one program: "+
				"vkloader run --find-culprit PROGRAM")
		}
	}
	if len(devices.List) == 0 {
		fmt.Fprintln(s.out, "No device.")
		return
	}
	table := term.NewTable("state", ">#", "name", "type", "PCI address", ">memory", "API", "driver", "version",
		"vendor:device", "device UUID")
	for _, d := range devices.List {
		table.Row(string(term.Either(d.In, standing.Used, standing.NotUsed)), fmt.Sprint(d.Index), d.Name, d.TypeText,
			term.Or(d.PCI, "-"), term.Size(d.VRAM), d.APIText, d.DriverName, d.DriverText,
			fmt.Sprintf("%04x:%04x", d.VendorID, d.DeviceID), d.DeviceUUID)
	}
	table.Print(s.out, "", s.style)
	for _, d := range devices.List {
		if !d.In {
			fmt.Fprintf(s.out, "%d %s: %s\n", d.Index, term.OneLine(d.Name), term.OneLine(d.Why))
		}
	}
	if len(devices.Order) == 0 {
		return
	}
	s.section("Reasons for this order")
	for _, step := range devices.Order {
		rule := term.Either(s.Rules && step.Statement != "", " ["+step.Statement+"]", "")
		s.style.Lines(s.out, fmt.Sprintf("  %-9s ", step.By), nil, step.What+rule)
	}
}
