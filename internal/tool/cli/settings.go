package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/settings"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

// settingsSchema is raised when a field of settings show changes its meaning or goes.
const settingsSchema = 1

func newSettings(s *surroundings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings show|set|clear",
		Short: "Show, write and remove the loader settings file, for all programs or for some",
		Long: "settings reads and writes vk_loader_settings.json, the file by which one can order and switch layers, add or\n" +
			"replace drivers, choose devices and set the log of all Vulkan programs, or of some. The tool marks what it\n" +
			"writes, changes only what bears its mark, and removes it when its time is over, whenever one of these commands\n" +
			"runs: loaders themselves know no expiry.\n\n" + exitCodesHelp,
		Args: subcommandOnly("what to do with the settings", "show, set or clear"),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newSettingsShow(s), newSettingsSet(s), newSettingsClear(s))
	return cmd
}

// subcommandOnly are the arguments of a command that does nothing by itself.
func subcommandOnly(question, names string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%s: %q is none of %s", question, args[0], names)
		}
		return fmt.Errorf("%s: %s", question, names)
	}
}

// settingsPlace is what the settings commands work on.
type settingsPlace struct {
	machine machine.Machine
	source  *machine.Source
	places  []string
	files   []*settingsfile.File // that exist, in the order of the places: the first counts
}

// inForce is the file that programs get, nil without one.
func (p *settingsPlace) inForce() *settingsfile.File {
	if len(p.files) == 0 {
		return nil
	}
	return p.files[0]
}

// settingsPlace looks for settings files, and removes ours whose time is over.
func (s *surroundings) settingsPlace() (*settingsPlace, error) {
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	p := &settingsPlace{machine: source.Machine, source: source}
	p.places = settingsfile.Places(source)
	if err := s.expireSettings(&p.machine, p.places); err != nil {
		return nil, err
	}
	if p.files, err = settingsfile.Existing(&p.machine, p.places); err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	return p, nil
}

// expireSettings removes settings files of ours whose time is over, and says so; one that cannot be removed is no
// error, because programs go on with it as before. places are those of the machine, looked for when nil.
func (s *surroundings) expireSettings(m *machine.Machine, places []string) error {
	if places == nil {
		places = settingsfile.Places(&machine.Source{Machine: *m})
	}
	files, err := settingsfile.Existing(m, places)
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	for _, f := range files {
		if !f.Expired(time.Now()) {
			continue
		}
		when := f.Expires.Format(time.RFC3339)
		restored, err := removeSettings(m, f.Path, func(now *settingsfile.File) bool { return now.Expired(time.Now()) })
		if err != nil {
			fmt.Fprintf(s.errOut, "vkloader: the settings in %s expired at %s, and programs still get them: %v\n", f.Path, when, err)
			continue
		}
		fmt.Fprintf(s.errOut, "vkloader: the settings in %s expired at %s: removed%s\n", f.Path, when, putBack(restored))
	}
	return nil
}

func putBack(restored bool) string {
	if restored {
		return "; the other program's file that had to make room is back"
	}
	return ""
}

// removeSettings takes a file away when it is still as it was judged.
func removeSettings(m *machine.Machine, place string, still func(*settingsfile.File) bool) (restored bool, err error) {
	unlock, err := settingsfile.Lock(m, place)
	if err != nil {
		return false, err
	}
	defer unlock()
	f, err := settingsfile.Read(m, place)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !still(f) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return settingsfile.Remove(m, place)
}

// shownSettings is what settings show says.
type shownSettings struct {
	Schema   int             `json:"schema"`
	File     string          `json:"file,omitempty"` // that programs get; "": none
	Ours     bool            `json:"ours"`
	Expires  string          `json:"expires,omitempty"`
	Shadowed []string        `json:"shadowed"`           // files that do not count, because that one is there
	Places   []string        `json:"places"`             // that are tried, in order
	Programs []shownPrograms `json:"programs"`           // what the file says for whom
	Findings []fileRemark    `json:"findings"`           // what is wrong with the file
	For      string          `json:"for,omitempty"`      // --app
	InForce  *shownPrograms  `json:"in_force,omitempty"` // what that program gets
}

// shownPrograms are the settings for one program, or for all that none is named for.
type shownPrograms struct {
	App       string        `json:"app,omitempty"` // "": all others
	Log       []string      `json:"log,omitempty"`
	Layers    []shownLayer  `json:"layers"` // null: layers are as without the file
	Drivers   []string      `json:"drivers,omitempty"`
	Exclusive bool          `json:"drivers_exclusive,omitempty"`
	Devices   []shownDevice `json:"devices"` // null: all
}

type shownLayer struct {
	Name     string `json:"name,omitempty"` // "": the place of all others
	Path     string `json:"path,omitempty"`
	Control  string `json:"control"`
	Implicit bool   `json:"implicit,omitempty"`
}

type shownDevice struct {
	Name          string `json:"name,omitempty"`
	DeviceUUID    string `json:"device_uuid"`
	DriverUUID    string `json:"driver_uuid"`
	DriverVersion int32  `json:"driver_version"`
}

func newSettingsShow(s *surroundings) *cobra.Command {
	var asJSON bool
	var app string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "The settings file in force: whose it is, what it says for whom, and what is wrong with it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			place, err := s.settingsPlace()
			if err != nil {
				return err
			}
			if app != "" {
				apps, err := absoluteApps(&place.machine, []string{app})
				if err != nil {
					return err
				}
				app = apps[0]
			}
			shown := place.show(app)
			if asJSON {
				err = writeJSON(s, shown)
			} else {
				shown.print(s)
			}
			for _, f := range shown.Findings {
				if err == nil && f.Severity != "note" {
					err = exit.With(exit.Problems)
				}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", settingsSchema))
	cmd.Flags().StringVar(&app, "app", "", "what this program gets: its executable `EXE`")
	return cmd
}

func (p *settingsPlace) show(app string) *shownSettings {
	shown := &shownSettings{Schema: settingsSchema, Places: p.places, Shadowed: []string{}, Programs: []shownPrograms{},
		Findings: []fileRemark{}, For: app}
	f := p.inForce()
	if f == nil {
		return shown
	}
	shown.File, shown.Ours = f.Path, f.Ours
	if !f.Expires.IsZero() {
		shown.Expires = f.Expires.Format(time.RFC3339)
	}
	for _, other := range p.files[1:] {
		shown.Shadowed = append(shown.Shadowed, other.Path)
	}
	result, _ := validateFile(facts.File{Content: f.Content}, f.Path, validation.Settings)
	shown.Findings = result.Findings
	doc, fault := document.Parse(f.Content)
	if fault != nil {
		return shown
	}
	for _, program := range append(namedPrograms(doc), "") {
		if settings := settingsFor(doc, f.Path, program); settings != nil {
			shown.Programs = append(shown.Programs, *settings)
		}
	}
	if app != "" {
		shown.InForce = settingsFor(doc, f.Path, app)
	}
	return shown
}

// namedPrograms are those that a file has settings of their own for.
func namedPrograms(doc *document.Document) []string {
	var programs []string
	seen := map[string]bool{}
	object := doc.Top().Member("settings")
	if array := doc.Top().Member("settings_array"); array.Exists() {
		object = array.First()
	}
	for ; object.IsObject(); object = object.Next() {
		for k := object.Member("app_keys").First(); k.Exists(); k = k.Next() {
			if path, ok := k.Text(); ok && !seen[path] {
				seen[path] = true
				programs = append(programs, path)
			}
		}
	}
	return programs
}

// settingsFor is what a program gets; nil when it gets no settings.
func settingsFor(doc *document.Document, path, program string) *shownPrograms {
	set, _, _ := settings.Read(doc, path, func() facts.Exe { return facts.Exe{Path: program, Known: true} })
	if set == nil {
		return nil
	}
	shown := &shownPrograms{App: program, Drivers: set.Drivers, Exclusive: set.Exclusively}
	if set.HasLevel {
		shown.Log = levelWords(set.Level)
	}
	if set.ControlsLayers {
		shown.Layers = []shownLayer{}
		for _, l := range set.Layers {
			shown.Layers = append(shown.Layers, shownLayer{l.Name, l.Path, l.Control.String(), l.Implicit})
		}
	}
	if set.HasDevices {
		shown.Devices = []shownDevice{}
		for _, d := range set.Devices {
			shown.Devices = append(shown.Devices, shownDevice{d.DeviceName, fmt.Sprintf("%x", d.DeviceUUID),
				fmt.Sprintf("%x", d.DriverUUID), int32(d.DriverVersion)})
		}
	}
	return shown
}

func (shown *shownSettings) print(s *surroundings) {
	style := term.StyleFor(s.out, s.getenv)
	if shown.File == "" {
		fmt.Fprintln(s.out, "No settings file. Looked for:")
		for _, place := range shown.Places {
			fmt.Fprintf(s.out, "  %s\n", term.OneLine(place))
		}
		return
	}
	fmt.Fprintf(s.out, "%s %s\n", style.Heading("File"), term.OneLine(shown.File))
	switch {
	case !shown.Ours:
		fmt.Fprintln(s.out, "  of another program: changed by --force only")
	case shown.Expires == "":
		fmt.Fprintln(s.out, "  written by this tool, without expiry")
	default:
		fmt.Fprintf(s.out, "  written by this tool, expires at %s\n", shown.Expires)
	}
	for _, other := range shown.Shadowed {
		fmt.Fprintf(s.out, "  %s does not count beside it\n", term.OneLine(other))
	}
	if shown.For != "" {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading("For "+term.OneLine(shown.For)))
		shown.InForce.print(s)
	} else if len(shown.Programs) == 0 {
		fmt.Fprintln(s.out, "\nNo program gets any settings of it.")
	} else {
		for _, p := range shown.Programs {
			who := "For all programs"
			if len(shown.Programs) > 1 {
				who = "For all other programs"
			}
			if p.App != "" {
				who = "For " + p.App
			}
			fmt.Fprintf(s.out, "\n%s\n", style.Heading(term.OneLine(who)))
			p.print(s)
		}
	}
	if len(shown.Findings) > 0 {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading("What is wrong with the file"))
	}
	for _, f := range shown.Findings {
		fmt.Fprintf(s.out, "  %d:%d: %s: %s [%s, %s]\n", f.Line, f.Column, f.Severity, term.OneLine(f.What), f.Code, f.Statement)
	}
}

func (p *shownPrograms) print(s *surroundings) {
	if p == nil {
		fmt.Fprintln(s.out, "  nothing: as without the file")
		return
	}
	line := func(format string, args ...any) {
		fmt.Fprintf(s.out, "  %s\n", term.OneLine(fmt.Sprintf(format, args...)))
	}
	if len(p.Log) > 0 {
		line("log: %s", strings.Join(p.Log, ", "))
	}
	switch {
	case p.Layers == nil:
		line("layers: as without the file")
	case len(p.Layers) == 0:
		line("layers: none at all")
	default:
		line("layers, from the program down:")
		others := false
		for _, l := range p.Layers {
			if l.Control == settings.Unordered.String() {
				line("  all others")
				others = true
				continue
			}
			kind := "explicit"
			if l.Implicit {
				kind = "implicit"
			}
			line("  %s %s, %s, %s", l.Name, l.Control, kind, orWord(l.Path, "no manifest"))
		}
		if !others {
			line("  and no others")
		}
	}
	switch {
	case p.Exclusive && len(p.Drivers) == 0:
		line("drivers: none at all")
	case p.Exclusive:
		line("drivers, and no others:")
	case len(p.Drivers) > 0:
		line("drivers, beside those that are found:")
	default:
		line("drivers: those that are found")
	}
	for i := len(p.Drivers) - 1; i >= 0; i-- { // the last is the first one loaded (SET-83)
		line("  %s", p.Drivers[i])
	}
	if p.Devices != nil {
		line("devices, in this order, and no others:")
		for _, d := range p.Devices {
			line("  %s, device %s, driver %s, version %d", orWord(d.Name, "unnamed"), d.DeviceUUID, d.DriverUUID, d.DriverVersion)
		}
	}
}

func orWord(text, word string) string {
	if text == "" {
		return word
	}
	return text
}

// settingsDone is what settings set and clear have done.
type settingsDone struct {
	Schema   int    `json:"schema"`
	Wrote    string `json:"wrote,omitempty"`
	Removed  string `json:"removed,omitempty"`
	Restored bool   `json:"restored,omitempty"` // another program's file is back
	Expires  string `json:"expires,omitempty"`
}

func rfc3339(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

func newSettingsClear(s *surroundings) *cobra.Command {
	var apps []string
	var force, asJSON bool
	tell := func(done settingsDone, format string, args ...any) error {
		if done.Schema = settingsSchema; asJSON {
			return writeJSON(s, done)
		}
		_, err := fmt.Fprintf(s.out, format+"\n", args...)
		return err
	}
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "Remove the settings file that this tool wrote, or the settings for some programs in it",
		Long: "clear removes the settings file in force when it bears the tool's mark, and puts back another program's file\n" +
			"that had to make room. With --app only the settings for exactly these programs are removed.\n\n" + exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			place, err := s.settingsPlace()
			if err != nil {
				return err
			}
			f := place.inForce()
			switch {
			case f == nil:
				return tell(settingsDone{}, "There is no settings file.")
			case !f.Ours && !force:
				return notOurs(f)
			case len(apps) > 0 && !f.Ours:
				return fmt.Errorf("--app works on a file of this tool only")
			case len(apps) > 0:
				if apps, err = absoluteApps(&place.machine, apps); err != nil {
					return err
				}
				done, err := dropPrograms(place, f, apps)
				if err != nil {
					return err
				}
				if done.Removed != "" {
					return tell(done, "Removed %s%s", f.Path, putBack(done.Restored))
				}
				return tell(done, "Removed the settings for %s from %s", strings.Join(apps, ", "), f.Path)
			}
			restored, err := removeSettings(&place.machine, f.Path, func(now *settingsfile.File) bool { return now.Ours == f.Ours })
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			return tell(settingsDone{Removed: f.Path, Restored: restored}, "Removed %s%s", f.Path, putBack(restored))
		},
	}
	cmd.Flags().StringArrayVar(&apps, "app", nil, "only the settings for this program, whose executable is `EXE`; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", settingsSchema))
	cmd.Flags().BoolVar(&force, "force", false, "also when the file is another program's")
	return cmd
}

func notOurs(f *settingsfile.File) error {
	return exit.Problem("%s is another program's: look at it with \"vkloader settings show\", and use --force to go on", f.Path)
}

// dropPrograms takes the settings for some programs out, and the file when nothing is left in it.
func dropPrograms(place *settingsPlace, f *settingsfile.File, apps []string) (done settingsDone, err error) {
	unlock, err := settingsfile.Lock(&place.machine, f.Path)
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	defer unlock()
	if f, err = settingsfile.Read(&place.machine, f.Path); err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	content, err := f.Decode()
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	if !settingsfile.Drop(content, apps) {
		return done, exit.Problem("%s has no settings for exactly %s", f.Path, strings.Join(apps, ", "))
	}
	if len(content["settings_array"].([]any)) == 0 {
		done.Removed = f.Path
		done.Restored, err = settingsfile.Remove(&place.machine, f.Path)
	} else {
		done.Wrote = f.Path
		done.Expires = rfc3339(f.Expires)
		err = settingsfile.Write(&place.machine, f.Path, content, f.Expires, false)
	}
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	return done, nil
}

// absoluteApps are paths as app_keys need them: full, and with links resolved, as the loader sees its own program.
func absoluteApps(m *machine.Machine, apps []string) ([]string, error) {
	var out []string
	for _, app := range apps {
		real, err := m.Real(app)
		if err != nil {
			return nil, exit.As(exit.NotLooked, err)
		}
		out = append(out, real)
	}
	return out, nil
}
