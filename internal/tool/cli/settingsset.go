package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/discover"
	"vkloader/internal/core/manifest"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

func newSettingsSet(s *invocation) *cobra.Command {
	var o struct {
		output
		settings.Options
	}
	cmd := newCommand("set", &o, settings.Schema,
		func([]string) error { return setSettings(s, &o.Options, &o.output) })
	addRights(cmd)
	_ = cmd.RegisterFlagCompletionFunc("log", completeWords) // --log of run names a file
	return cmd
}

func changeSettings(s *invocation, c *settings.Options) (*settings.Written, error) {
	place, err := s.settings()
	if err != nil {
		return nil, err
	}
	program := ""
	if apps, err := settings.RealApps(&place.Machine, c.Apps); err == nil && len(apps) > 0 {
		program = apps[0]
	}
	before, err := outcomeFor(&place.Machine, program, nil)
	if err != nil {
		return nil, examineError(err)
	}
	var edits []edit.Edit
	if c.Dry {
		place.Plan = func(e edit.Edit) { edits = append(edits, e) }
	}
	asked := &askedDevices{s: s, place: place}
	written, err := place.Set(c, asked)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		s.plan(e)
	}
	if s.planned == nil {
		if err := tellOutcome(s, &place.Machine, program, before, edits); err != nil {
			return nil, examineError(err)
		}
	}
	for _, w := range asked.warnings {
		s.say("warning: %s", w)
	}
	if onWindows && !s.asUser && elevatedHere() {
		s.say("warning: programs that run as administrator do not read these settings, which are a user's, in HKEY_CURRENT_USER")
	}
	for _, note := range written.Notes {
		s.say("%s", note)
	}
	return written, nil
}

// setSettings carries out "settings set".
func setSettings(s *invocation, c *settings.Options, out *output) error {
	switch {
	case !c.HasSettings() && c.Expires == "":
		return errors.New("nothing to set; see vkloader settings set --help")
	case c.UntilChanged && !excludesOnly(c):
		return errors.New("--until-changed needs --layer NAME=off or --driver NAME=off, and no other layers or drivers")
	}
	written, err := changeSettings(s, c)
	if err != nil && len(c.Devices) > 0 && !explain.TriesSettings {
		if place, wrong := s.settings(); wrong != nil {
			return err
		} else if f := place.InForce(); f != nil && strings.Contains(f.Content, "device_configurations") {
			err = fmt.Errorf(
				"%w\nThe settings in force hide the other devices, and no child process can list them here: run vkloader settings clear, and then set", err)
		}
	}
	if err != nil {
		return err
	}
	if c.Dry || written.Gone {
		printWritten(s, c, written)
		return nil
	}
	done := settings.Done{Schema: settings.Schema, Wrote: written.Path, Expires: settings.Time(written.Expires)}
	return out.print(s, done, func() {
		fmt.Fprintf(s.out, "Wrote %s\n", written.Path)
		if len(c.Devices) > 0 {
			fmt.Fprintln(s.out, settings.Lasting)
		}
		if !written.Expires.IsZero() {
			fmt.Fprintf(s.out,
				"It expires at %s: the next \"vkloader settings\" after that removes it; until then programs get it.\n",
				done.Expires)
		}
	})
}

func excludesOnly(c *settings.Options) bool {
	isOn := func(l settings.LayerChoice) bool { return l.Control != "off" }
	isUsed := func(driver string) bool { return !strings.HasSuffix(driver, settings.OffSuffix) }
	return len(c.Layers)+len(c.Drivers) > 0 && !c.OnlyThese && !c.NoLayers && len(c.Added) == 0 &&
		!slices.ContainsFunc(c.Layers, isOn) && !slices.ContainsFunc(c.Drivers, isUsed)
}

// newExclusion returns the change that excludes a driver or layer from a program until its library changes; "": from
// all.
func newExclusion(kind, name, program string) settings.Options {
	c := settings.Options{UntilChanged: true}
	if kind == "driver" {
		c.Drivers = []string{name + settings.OffSuffix}
	} else {
		c.Layers = []settings.LayerChoice{{Name: name, Control: "off"}}
	}
	if program != "" {
		c.Apps = []string{program}
	}
	return c
}

// obeysExclusion reports whether a program's loader reads the settings that exclude a driver or layer; nil: unknown.
func obeysExclusion(l *loaders.Loader, kind string) bool {
	return l == nil || l.Obeys(term.Either(kind == "driver", "additional_drivers", "layers"))
}

func exclusionLine(c *settings.Options) shell.Line {
	return shell.Words(append([]string{"vkloader"}, c.Words("set")...)...)
}

// exclude makes the change of an exclusion, with a message.
func exclude(s *invocation, c settings.Options) error {
	written, err := changeSettings(s, &c)
	if err == nil {
		s.say("wrote %s, as with: %s", written.Path, exclusionLine(&c))
	}
	return err
}

// printWritten prints the settings file that a change has written or removed.
func printWritten(s *invocation, c *settings.Options, written *settings.Written) {
	switch {
	case c.Dry:
	case written.Gone:
		fmt.Fprintf(s.out, "Removed %s: no settings remain\n", written.Path)
	default:
		fmt.Fprintf(s.out, "Wrote %s\n", written.Path)
	}
}

// settingsLook is the time limit of a child process that lists devices for settings.
const settingsLook = 30 * time.Second

// askedDevices are the devices of this machine for settings.
type askedDevices struct {
	s        *invocation
	place    *settings.FileSet
	found    probe.Companions
	devices  *survey.Devices
	warnings []string // warnings about the settings
}

func (a *askedDevices) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

func (a *askedDevices) source() *machine.Source {
	return &machine.Source{Machine: a.place.Machine, Program: a.found.Child}
}

// List lists all devices with the probe, including hidden ones.
func (a *askedDevices) List() ([]discover.Device, error) {
	if a.place.Machine.Foreign() {
		return nil, errors.New(
			"with --root, --device needs DEVICEUUID/DRIVERUUID/VERSION: drivers of another machine cannot list its devices")
	}
	var err error
	if a.found, err = probe.Find(a.s.executable, ""); err == nil {
		a.devices, err = survey.LookAtDevices(a.found, a.source(), settingsLook)
	}
	if err != nil {
		return nil, examineError(err)
	}
	all := a.devices.Selectable()
	if len(all) == 0 && a.devices.Problem != "" {
		return nil, exit.Problem("no devices: %s", a.devices.Problem)
	}
	return all, nil
}

// Try checks that programs get these devices, and adds warnings about interfering variables. Where no child can have
// other settings than those in force, it adds the warnings only.
func (a *askedDevices) Try(object map[string]any, chosen []discover.Device) error {
	if explain.TriesSettings {
		if err := a.run(object, chosen); err != nil {
			return err
		}
	}
	return a.interfering(chosen)
}

// run returns an error if a program with the settings does not get the chosen devices.
func (a *askedDevices) run(object map[string]any, chosen []discover.Device) error {
	text, err := settings.TextForAll(object)
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	got, err := survey.Try(a.found, a.source(), text, settingsLook)
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	if entries, _ := object["device_configurations"].([]any); len(entries) == len(chosen) &&
		!survey.Same(got.Devices, chosen) {
		names := term.Words(got.Devices, func(d discover.Device) string { return d.Name })
		wrong := chosen[0].Name
		wrong += term.Enclosed(": ", got.Problem, "")
		if set, err := survey.InForce(a.source()); err == nil && len(set) > 0 {
			wrong += ". With devices in the settings, programs ignore " + strings.Join(set, " and ") +
				": add a driver that only a variable names, with --add-driver FILE"
		}
		return exit.Problem("not written: a program with these settings would get %s instead of %s",
			term.Or(strings.Join(names, ", "), "no device"), wrong)
	}
	return nil
}

// interfering adds warnings about variables and layers that hide the chosen devices, or that the settings put out of
// force.
func (a *askedDevices) interfering(chosen []discover.Device) error {
	names, err := survey.InForce(a.source())
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	said := false
	for _, d := range chosen {
		switch listed := a.devices.List[d.Index]; listed.HiddenBy {
		case survey.MesaLayer, survey.Filters:
			a.warn("%s stays hidden: it is %s, and settings do not change that", d.Name, listed.Why)
		case survey.Variables:
			said = true
			a.warn(
				"%s: %s. With these settings programs on this loader still get the device; on another loader they may not: %s",
				d.Name, listed.Why, a.unset(names))
		}
	}
	if !said && len(names) > 0 {
		a.warn("while the settings choose devices, programs ignore %s", strings.Join(names, " and "))
	}
	return nil
}

// unset describes the way to unset variables, with the lines that set them.
func (a *askedDevices) unset(names []string) string {
	text := string("unset " + shell.Words(names...))
	for _, name := range names {
		if at := doctor.SetIn(&a.place.Machine, name); len(at) > 0 {
			text += "; " + name + " is set in " + at[0].String()
		}
	}
	return text
}

// outcome has a program's drivers and layers with some settings, by the machine's files.
type outcome struct {
	drivers, layers []string
	device          bool // a driver is for a device of this machine, or may be
}

// outcomeFor decides for a program, or for all programs without settings of their own, as after the edits of a dry run.
func outcomeFor(m *machine.Machine, program string, edits []edit.Edit) (*outcome, error) {
	source := &machine.Source{Machine: *m, Program: program}
	loaders.Decide(source)
	source.Added, source.Without = edit.Overlay(edits)
	answer, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	return &outcome{
		drivers: term.Words(answer.Drivers, func(d *manifest.Driver) string { return machine.Style.Base(d.Path) }),
		layers:  term.Words(explain.Active(answer), func(l *manifest.Layer) string { return l.Name }),
		device:  decide.StandingsOf(source, nil, answer).AnyDevice(),
	}, nil
}

// tellOutcome prints the drivers and layers that a change of the settings gives to programs, as far as they differ from
// the earlier ones, and a warning if the change takes the last device.
func tellOutcome(s *invocation, m *machine.Machine, program string, before *outcome, edits []edit.Edit) error {
	after, err := outcomeFor(m, program, edits)
	if err != nil {
		return err
	}
	gets := term.Either(program == "", "programs get", term.OneLine(program)+" gets")
	tell := func(kind string, before, after []string) {
		what := "no " + kind
		if len(after) > 0 {
			what = "the " + term.Either(len(after) == 1, kind, kind+"s") + " " + term.OneLine(strings.Join(after, ", "))
		}
		if !slices.Equal(before, after) {
			s.say("with these settings, %s %s", gets, what)
		}
	}
	tell("driver", before.drivers, after.drivers)
	tell("layer", before.layers, after.layers)
	if before.device && !after.device {
		s.say("warning: with these settings, %s no device: none of the drivers is for a device of this machine", gets)
	}
	return nil
}
