package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	core "vkloader/internal/core/settings"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

func newSettings(s *invocation) *cobra.Command {
	show := newSettingsShow(s)
	cmd := newGroup("settings show|set|clear|use|save|forget"+term.Either(onWindows, "", "|layer"), show,
		newSettingsSet(s), newSettingsClear(s), newSettingsUse(s), newSettingsSave(s), newSettingsForget(s),
		newSettingsLayer(s))
	showing(cmd, show)
	return cmd
}

// settings finds the settings files and removes the tool's expired ones.
func (s *invocation) settings() (*settings.FileSet, error) {
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	if !s.still {
		expireSettings(s, &source.Machine)
	}
	source.Elevated, source.AsUser = false, true // the settings affect programs that the user starts
	return settings.Look(source)
}

// settingsToChange finds the settings files for a change; dry: it plans the edits, which s.plan prints.
func (s *invocation) settingsToChange(dry bool) (*settings.FileSet, error) {
	place, err := s.settings()
	if err == nil && dry {
		place.Plan = s.plan
	}
	return place, err
}

// expireSettings removes the tool's expired settings files with a message. A failed removal is no error, because
// programs keep using the file.
func expireSettings(s *invocation, m *machine.Machine) {
	over, err := settings.Expire(m)
	if err != nil {
		return // no program uses a file that cannot be read; "settings show" reports it
	}
	for _, e := range over {
		when := e.File.Expires.Format(time.RFC3339)
		if e.Err != nil {
			s.say("the settings in %s expired at %s, and programs still get them: %v", e.File.Path, when, e.Err)
			continue
		}
		s.say("the settings in %s expired at %s: removed%s", e.File.Path, when, putBack(e.Restored))
	}
	ended, err := settings.EndChanged(m)
	for _, e := range ended {
		s.say("%s: the settings no longer exclude %s from %s", e.Change,
			term.Or(e.Name, "its driver"), term.Or(strings.Join(e.Apps, ", "), allPrograms))
	}
	if err != nil {
		s.say("settings that have ended stay in the file: %v", err)
	}
}

// allPrograms stands for an empty list of programs.
const allPrograms = "all programs"

func putBack(restored bool) string {
	return term.Either(restored, "; the other program's file is restored", "")
}

func newSettingsShow(s *invocation) *cobra.Command {
	var o struct {
		output
		App string `option:"app"`
	}
	return newCommand("show", &o, settings.Schema, func([]string) error {
		place, err := s.settings()
		if err != nil {
			return err
		}
		if o.App, err = settings.RealApp(&place.Machine, o.App); err != nil {
			return err
		}
		shown := place.Show(o.App)
		if onWindows {
			if shown.Elevated, err = place.ShowElevated(); err != nil {
				return err
			}
		} else {
			if shown.LayerSettings, err = settings.ShowLayers(&place.Machine); err != nil {
				return exit.As(exit.NotLooked, err)
			}
		}
		if f := place.InForce(); f != nil {
			shown.Ignored = place.Ignored([]string{o.App}, loaders.FieldsIn(f.Content))
		}
		problems := slices.ContainsFunc(shown.Findings,
			func(f validation.Remark) bool { return f.Severity == diag.Problem })
		return o.judge(s, shown, problems, func() {
			printShown(s, shown)
			printForElevated(s, shown)
			printLayerFile(s, shown.LayerSettings)
		})
	})
}

func printShown(s *invocation, shown *settings.Shown) {
	if shown.File == "" {
		if len(shown.Places) == 0 { // on Windows
			fmt.Fprintln(s.out,
				`No settings file: SOFTWARE\Khronos\Vulkan\LoaderSettings names none, of HKEY_CURRENT_USER and HKEY_LOCAL_MACHINE.`)
			return
		}
		fmt.Fprintln(s.out, "No settings file. Looked for:")
		for _, place := range shown.Places {
			fmt.Fprintf(s.out, "  %s\n", term.OneLine(place))
		}
		return
	}
	fmt.Fprintf(s.out, "%s %s\n", s.style.Heading("File"), term.OneLine(shown.File))
	switch {
	case !shown.Ours:
		fmt.Fprintln(s.out, "  written by another program; vkloader changes it only with --force")
	case shown.Expires == "":
		fmt.Fprintln(s.out, "  written by this tool, without expiry")
	default:
		fmt.Fprintf(s.out, "  written by this tool, expires at %s\n", shown.Expires)
	}
	for _, said := range shown.Ignored {
		s.style.Lines(s.out, "  ", nil, said)
	}
	for _, other := range shown.Shadowed {
		fmt.Fprintf(s.out, "  %s is ignored while this file exists\n", term.OneLine(other))
	}
	if shown.For != "" {
		s.section("For " + term.OneLine(shown.For))
		printPrograms(s, shown.InForce)
	} else if len(shown.Programs) == 0 {
		fmt.Fprintln(s.out, "\nNo program gets settings from it.")
	} else {
		others := term.Either(len(shown.Programs) > 1, "all other programs", allPrograms)
		for _, p := range shown.Programs {
			s.section("For " + term.Or(p.App, others))
			printPrograms(s, &p)
		}
		if shown.More > 0 {
			fmt.Fprintf(s.out, "\n%s more, not shown: name one with --app\n", term.Count(shown.More, "program"))
		}
	}
	if len(shown.Findings) > 0 {
		s.section("Problems in the file")
	}
	for _, f := range shown.Findings {
		fmt.Fprintf(s.out, "  %d:%d: %s: %s [%s, %s]\n", f.Line, f.Column, f.Severity, term.OneLine(f.What), f.Code,
			f.Statement)
	}
}

// printForElevated prints the settings of programs that run as administrator.
func printForElevated(s *invocation, shown *settings.Shown) {
	e := shown.Elevated
	if e == nil {
		return
	}
	s.section("For programs that run as administrator")
	switch e.File {
	case "":
		fmt.Fprintln(s.out,
			`  no settings: HKEY_LOCAL_MACHINE names no settings file, and these programs do not read HKEY_CURRENT_USER`)
	case shown.File:
		fmt.Fprintln(s.out, "  the same file")
	default:
		fmt.Fprintf(s.out, "  %s\n", term.OneLine(e.File))
		for i := range e.Programs {
			fmt.Fprintf(s.out, "  %s\n", term.OneLine("for "+term.Or(e.Programs[i].App, allPrograms)))
			printPrograms(s, &e.Programs[i])
		}
	}
}

func printPrograms(s *invocation, p *settings.ForPrograms) {
	if p == nil {
		fmt.Fprintln(s.out, "  no settings: as without the file")
		return
	}
	line := func(format string, args ...any) {
		fmt.Fprintf(s.out, "  %s\n", term.OneLine(fmt.Sprintf(format, args...)))
	}
	log := strings.Join(p.Log, ", ")
	if log != "" {
		line("log: %s", log)
	}
	if p.LogFile != "" {
		line("log file: %s (%s)", p.LogFile, term.Or(log, "error, warn"))
	}
	switch {
	case p.Layers == nil:
		line("layers: as without the file")
	case len(p.Layers) == 0:
		line("layers: none")
	default:
		line("layers, from the program down:")
		others := false
		for _, l := range p.Layers {
			if l.Control == core.Unordered.String() {
				line("  all others")
				others = true
				continue
			}
			kind := term.Either(l.Implicit, "implicit", "explicit")
			until := term.Enclosed(" until ", l.UntilChanged, " changes")
			line("  %s %s%s, %s, %s", l.Name, l.Control, until, kind, term.Or(l.Path, "no manifest"))
		}
		if !others {
			line("  and no others")
		}
	}
	if policy := map[string]string{core.PresentHardware.String(): "absent",
		core.AwakeHardware.String(): "absent or sleeping"}[p.Hardware]; policy != "" {
		line("drivers of %s hardware: not opened", policy)
	}
	switch {
	case p.Exclusive && len(p.Drivers) == 0:
		line("drivers: none")
	case len(p.UntilChanged) > 0:
		line("drivers (no others until %s changes):", strings.Join(p.UntilChanged, " or "))
	case p.Exclusive:
		line("drivers (no others):")
	case len(p.Drivers) > 0:
		line("drivers, in addition to those that the search finds:")
	default:
		line("drivers: those that the search finds")
	}
	for i := len(p.Drivers) - 1; i >= 0; i-- { // the last element is loaded first (SET-83)
		line("  %s", p.Drivers[i])
	}
	if p.Devices != nil {
		line("devices, in this order (no others):")
		for _, d := range p.Devices {
			line("  %s, device %s, driver %s, version %s (%d)", term.Or(d.Name, "unnamed"), d.DeviceUUID, d.DriverUUID,
				d.DriverText, d.DriverVersion)
		}
	}
}

func newSettingsClear(s *invocation) *cobra.Command {
	var o struct {
		output
		settings.Clearing
		Everything bool `option:"everything" excludes:"app force"`
		Dry        bool `option:"dry-run"`
	}
	return newCommand("clear", &o, settings.Schema, func([]string) error {
		place, err := s.settingsToChange(o.Dry)
		if err != nil {
			return err
		}
		if o.Everything {
			return clearEverything(s, place, &o.output)
		}
		done, err := place.Clear(&o.Clearing)
		if err != nil || o.Dry && done.Removed+done.Wrote != "" {
			return err
		}
		done.Schema = settings.Schema
		return o.print(s, done, func() {
			switch {
			case done.Removed != "":
				fmt.Fprintf(s.out, "Removed %s%s\n", done.Removed, putBack(done.Restored))
			case done.Wrote != "":
				fmt.Fprintf(s.out, "Removed the settings for %s from %s\n", strings.Join(o.Apps, ", "), done.Wrote)
			default:
				fmt.Fprintln(s.out, "There is no settings file.")
			}
		})
	})
}

// clearEverything undoes all that the tool has written for the user.
func clearEverything(s *invocation, place *settings.FileSet, out *output) error {
	done := settings.Done{Schema: settings.Schema}
	if m := &place.Machine; place.Plan != nil {
		edits, err := fix.Undone(m)
		if err != nil {
			return err
		}
		for _, e := range edits {
			place.Plan(e)
		}
		_, m.Without = edit.Overlay(edits)
	} else if m.Exists(fix.UndoFile(m)) {
		files, err := fix.Undo(m, registryOf(), false)
		if done.Undone = files; err != nil {
			return err
		}
	}
	if err := place.Again(); err != nil {
		return err
	}
	files, err := place.ClearAll()
	if done.Undone = append(done.Undone, files...); err != nil || place.Plan != nil && len(files) > 0 {
		return err
	}
	return out.print(s, done, func() {
		for _, file := range done.Undone {
			fmt.Fprintf(s.out, "%s undone\n", term.OneLine(file))
		}
		if len(done.Undone) == 0 {
			fmt.Fprintln(s.out, "There is nothing to undo.")
		}
	})
}

// printUnspecifiedOrder prints the layers whose order is unspecified, and the way to order them if the program's loader
// reads the settings file.
func printUnspecifiedOrder(s *invocation, list []explain.UnspecifiedOrder, loader *loaders.Loader) {
	for _, c := range list {
		printLines(s, "Layers in unspecified order", c.Layers)
		fmt.Fprintf(s.out, "    Their manifests are in one directory, and directories have no order:\n    %s\n",
			term.OneLine(c.Directory))
		if loader == nil || loader.Obeys(loaders.SettingsFile) {
			choices := term.Words(c.Layers,
				func(name string) shell.Line { return "--layer " + shell.Quoted(name) + "=auto" })
			fmt.Fprintf(s.out, "    To set the order: vkloader settings set %s\n", shell.Join(choices, " \\\n        "))
		}
	}
}

func printLayerFile(s *invocation, shown *settings.ShownLayers) {
	if shown == nil {
		return
	}
	s.section("Settings of layers")
	fmt.Fprintf(s.out, "    %s\n    found by %s\n", term.OneLine(shown.File), shown.From)
	for _, v := range shown.Values {
		fmt.Fprintf(s.out, "    %d: %s = %s\n", v.Line, term.OneLine(v.Name), term.OneLine(v.Value))
	}
}
