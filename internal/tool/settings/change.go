package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

// Options holds the options of "settings set".
type Options struct {
	Target
	Layers  []LayerChoice `option:"layer"` // from the program down
	Drivers []string      `option:"driver" excludes:"add-driver"`
	Added   []string      `option:"add-driver"`
	Devices []string      `option:"device"`
	// the driver_hardware policy, about devices of the Linux kernel; "any" removes it; "": unchanged
	Hardware  string `option:"hardware" words:"any present awake" systems:"linux"`
	Log       string `option:"log"`
	LogFile   string `option:"log-file"` // a file for the log; "none" removes it; "": unchanged
	OnlyThese bool   `option:"only-these-layers" needs:"layer"`
	NoLayers  bool   `option:"no-layers" excludes:"layer only-these-layers"`
	// the values exclude layers and drivers, until a library of these changes
	UntilChanged bool `option:"until-changed"`

	Configuration string         // replaces all settings of the programs; "": none
	configuration *Configuration // that of the name
}

// Target holds the options of every change of settings.
type Target struct {
	Apps    []string `option:"app"`
	Expires string   `option:"expires"`
	System  bool     `option:"system"`
	Force   bool     `option:"force"`
	Dry     bool     `option:"dry-run"`
}

// Words returns the words of the command line that makes the change: "settings", the given ones, and the options.
func (c *Options) Words(given ...string) []string {
	return slices.Concat([]string{"settings"}, given, option.Words(c))
}

// LayerChoice is a layer with its control: "on", "off" or "auto". The zero value is the place of all other layers.
type LayerChoice struct{ Name, Control string }

// othersWord is the word of --layer for the place of all other layers.
const othersWord = "others"

// UnmarshalText reads a value of --layer.
func (c *LayerChoice) UnmarshalText(text []byte) error {
	word := string(text)
	if word == othersWord {
		return nil
	}
	*c = LayerChoice{word, "on"}
	if at := strings.LastIndexByte(word, '='); at >= 0 { // a name may contain one, too
		*c = LayerChoice{word[:at], word[at+1:]}
	}
	if !slices.Contains([]string{"on", "off", "auto"}, c.Control) {
		return errors.New("it must be NAME=on, NAME=off or NAME=auto")
	}
	return nil
}

// String returns the choice as a value of --layer.
func (c LayerChoice) String() string {
	if c == (LayerChoice{}) {
		return othersWord
	}
	return c.Name + "=" + c.Control
}

// Devices gives a change access to devices.
type Devices interface {
	// List returns all devices of the machine, including hidden ones.
	List() ([]discover.Device, error)
	// Try checks that a program with this object as its settings gets the chosen devices.
	Try(object map[string]any, chosen []discover.Device) error
}

// Done is the result of "settings set" and "settings clear".
type Done struct {
	Schema   int    `json:"schema"`
	Wrote    string `json:"wrote,omitempty"`
	Removed  string `json:"removed,omitempty"`
	Restored bool   `json:"restored,omitempty"` // another program's file was restored
	Expires  string `json:"expires,omitempty"`

	Undone []string `json:"undone,omitempty"` // by clear --everything: the files that were removed or restored
}

// Time formats a time for the files and the tool's output; "" for the zero time.
func Time(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// Written is the result of Set, carried out or dry.
type Written struct {
	Path    string
	Expires time.Time
	Gone    bool     // no settings remain, so there is no file
	Notes   []string // messages about the effect of the change

	Layers *LayerFile // the layer settings file of a configuration; nil: none
}

// Set applies a change to the file that it selects: the tool's, a new one, or with Force another program's.
func (p *FileSet) Set(c *Options, devices Devices) (*Written, error) {
	where, err := c.place(p)
	if err != nil {
		return nil, err
	}
	unlock, err := p.Lock(where)
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	defer unlock()
	if err := p.Again(); err != nil {
		return nil, err
	}
	f := p.InForce()
	if f != nil && f.Path != where {
		f = nil
	}
	if f != nil && !f.Ours && !c.Force {
		return nil, NotOurs(f)
	}
	content, err := f.Decode()
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	written := &Written{Path: where}
	if err = written.set(p, f, c, devices, content); err == nil && written.Layers != nil {
		err = p.do(written.Layers.Edit())
	}
	return written, err
}

// set applies a change to the content of f, the tool's file or another program's; nil: no file.
func (w *Written) set(p *FileSet, f *File, c *Options, devices Devices, content map[string]any) error {
	apps, err := RealApps(&p.Machine, c.Apps)
	if err != nil {
		return err
	}
	for i, app := range apps {
		if !p.Machine.Exists(app) {
			return exit.Unable("--app: there is no program %s: give its path, or its name in PATH", c.Apps[i])
		}
	}
	if c.Configuration != "" {
		if c.configuration, err = p.Configuration(c.Configuration); err != nil {
			return err
		}
		if w.Layers, err = c.configuration.layerFile(p); err != nil {
			return exit.As(exit.NotLooked, err)
		}
	}
	alone := false
	if len(content["settings_array"].([]any)) > 0 || c.HasSettings() {
		alone = len(apps) > 0 && For(content, nil, false) != nil && For(content, apps, false) == nil && !c.UntilChanged
		if c.UntilChanged && len(apps) > 0 && For(content, apps, false) == nil {
			addCopy(content, apps)
		}
		if object := For(content, apps, c.HasSettings()); object != nil {
			if err := c.apply(p, devices, object); err != nil {
				return err
			}
			if says := len(object); says == 0 || says == 1 && object["app_keys"] != nil {
				Drop(content, apps)
			}
		}
	}
	if w.Expires, err = c.expiry(f, time.Now()); err != nil {
		return err
	}
	w.Gone = len(content["settings_array"].([]any)) == 0 && c.Hardware+c.Configuration != "" // no settings remain
	if w.Layers != nil && len(apps) > 0 {
		w.Notes = append(w.Notes, "the settings of layers in "+c.Configuration+
			" are for all programs: see vkloader settings layer --variables")
	}
	if alone {
		w.Notes = append(w.Notes, "these programs now get only these settings, and not those for all programs")
	}
	if !w.Gone {
		text, _ := Encode(content) // content that cannot be encoded is not written
		for _, said := range p.Ignored(apps, loaders.FieldsIn(string(text))) {
			w.Notes = append(w.Notes, "warning: this is "+said)
		}
	}
	if err := judge(content, w.Path); err != nil {
		return err
	}
	switch {
	case !w.Gone:
		err = p.Write(w.Path, content, w.Expires, f != nil && !f.Ours)
	case f != nil:
		_, err = p.Remove(w.Path)
	}
	if err != nil {
		return exit.Unable("settings file: %w", err)
	}
	return nil
}

// HasSettings reports whether the options contain settings.
func (c *Options) HasSettings() bool {
	return len(c.Layers)+len(c.Drivers)+len(c.Added)+len(c.Devices) > 0 || c.NoLayers || c.Log+c.LogFile != "" ||
		c.Hardware+c.Configuration != ""
}

func (c *Options) apply(p *FileSet, devices Devices, object map[string]any) error {
	if c.configuration != nil {
		return c.configuration.apply(object)
	}
	if c.NoLayers {
		object["layers"] = []any{}
	}
	if len(c.Layers) > 0 {
		list, err := c.layerEntries(p)
		switch {
		case err != nil:
			return err
		case c.UntilChanged:
			excludeLayers(object, list)
		case !c.OnlyThese && !slices.ContainsFunc(list, isOthers):
			list = append(list, entry{"control": settings.Unordered.String()})
			fallthrough
		default:
			object["layers"] = anyOf(list)
		}
	}
	if len(c.Drivers)+len(c.Added) > 0 {
		list, excluded, err := c.driverManifests(p)
		switch {
		case err != nil:
			return err
		case c.UntilChanged:
			if err := excludeDrivers(object, list, excluded); err != nil {
				return err
			}
		default:
			object["additional_drivers"] = pathsOf(list)
			object["additional_drivers_use_exclusively"] = len(c.Drivers) > 0
			delete(object, UntilChangedMember)
		}
	}
	if len(c.Devices) > 0 {
		if err := c.devices(devices, object); err != nil {
			return err
		}
	}
	switch c.Hardware {
	case "":
	case settings.AnyHardware.String():
		delete(object, settings.HardwareMember)
	default:
		object[settings.HardwareMember] = c.Hardware
	}
	if err := c.logFile(p, object); err != nil {
		return err
	}
	if c.Log != "" {
		words := []any{}
		for _, word := range strings.Split(c.Log, ",") {
			if !slices.Contains(validation.LogWords, word) {
				return fmt.Errorf("--log: %q is not one of %s", word, strings.Join(validation.LogWords, ", "))
			}
			words = append(words, word)
		}
		object["stderr_log"] = words
	}
	return nil
}

// logFile enters the log file with the path that the library accepts: absolute and without symbolic links.
func (c *Options) logFile(p *FileSet, object map[string]any) error {
	switch c.LogFile {
	case "":
		return nil
	case "none":
		delete(object, settings.LogFileMember)
		return nil
	}
	full, windows := c.LogFile, machine.Style == pathname.Backslash // on Windows the library checks the file only
	if !p.Machine.Foreign() {
		var err error
		if full, err = filepath.Abs(full); err != nil {
			return err
		}
	}
	real := p.Machine.Real
	if windows && !p.Machine.Foreign() {
		real = filepath.EvalSymlinks // Real follows no links on Windows
	}
	directory, err := real(filepath.Dir(full))
	if err != nil {
		return exit.Problem("--log-file: %w", err)
	}
	info, err := p.Machine.Stat(directory)
	if err != nil || !info.IsDir() {
		return exit.Problem("--log-file: %s is not a directory", directory)
	}
	if !windows && info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return exit.Problem("--log-file: other users can write to %s, so programs would not write the log there",
			directory)
	}
	full = filepath.Join(directory, filepath.Base(full))
	if !machine.Style.Full(full) {
		return exit.Problem("--log-file: %s does not begin with a drive", full)
	}
	if info, err := p.Machine.Stat(full); err == nil && !info.Mode().IsRegular() {
		return exit.Problem("--log-file: %s is not a regular file", full)
	}
	object[settings.LogFileMember] = full
	return nil
}

func levelWords(level uint32) []string {
	bits := []uint32{0, diag.Error, diag.Warn, diag.Info, diag.Debug, diag.Perf, diag.Layer, diag.Driver,
		diag.Validation}
	var words []string
	for i, word := range validation.LogWords {
		if bits[i] != 0 && level&bits[i] != 0 {
			words = append(words, word)
		}
	}
	if len(words) == len(validation.LogWords)-1 {
		return validation.LogWords[:1]
	}
	return words
}

// decide returns the decision without settings files and without the filter variables for layers and drivers.
func (p *FileSet) decide() (*plan.Answer, error) {
	return explain.Decide(explain.Without(explain.Lacking(p.Source, p.Places), variables.LayersEnable,
		variables.LayersDisable, variables.LayersAllow, variables.DriversSelect, variables.DriversDisable))
}

func (c *Options) layerEntries(p *FileSet) (list []entry, err error) {
	answer, err := p.decide()
	if err != nil {
		return nil, err
	}
	placed := c.OnlyThese
	for _, choice := range c.Layers {
		if choice == (LayerChoice{}) {
			if placed {
				return nil, errors.New("--layer others can be used once, and not with --only-these-layers")
			}
			placed = true
			list = append(list, entry{"control": settings.Unordered.String()})
			continue
		}
		name, control := explain.FullLayerName(answer.Layers, choice.Name), choice.Control
		layer := findLayer(answer.Layers, name)
		if layer == nil && (control != "off" || c.UntilChanged) {
			installed := explain.LayerNames(answer.Layers)
			return nil, exit.Problem("no layer %s is installed; available: %s%s", name,
				term.Or(strings.Join(installed, ", "), "none"), term.DidYouMean(name, installed))
		}
		e := entry{"name": name, "control": control, "path": ""}
		if layer != nil {
			e["path"] = layer.Manifest
			if layer.Implicit {
				e["treat_as_implicit_manifest"] = true
			}
		}
		if c.UntilChanged {
			e[UntilChangedMember] = p.stampLibrary(layer.Manifest, layer.Library)
		}
		list = append(list, e)
	}
	return list, nil
}

func findLayer(layers []*manifest.Layer, name string) *manifest.Layer {
	for _, l := range layers {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// OffSuffix ends a value of --driver that excludes drivers.
const OffSuffix = "=off"

// errNoDriver is the error for settings that exclude every driver.
var errNoDriver = exit.Problem("--driver: the settings would exclude every driver, and Vulkan needs one")

// driverManifests returns the manifests of the drivers to use, in order, and the stamps of the excluded drivers.
func (c *Options) driverManifests(p *FileSet) (paths []string, excluded []stamp, err error) {
	for _, path := range c.Added {
		if !strings.HasPrefix(path, "/") && !p.Machine.Foreign() {
			if path, err = filepath.Abs(path); err != nil {
				return nil, nil, err
			}
		}
		if !search.IsManifestName(path) || !p.Machine.Exists(path) {
			return nil, nil, exit.Problem(
				"--add-driver: %s is not a manifest: the file must exist, and its name must end in .json", path)
		}
		paths = append(paths, path)
	}
	if len(c.Drivers) == 0 {
		return paths, nil, nil
	}
	answer, err := p.decide()
	if err != nil {
		return nil, nil, err
	}
	off, everyOff := map[string]bool{}, true
	for _, word := range c.Drivers {
		pattern, isOff := strings.CutSuffix(word, OffSuffix)
		everyOff = everyOff && isOff
		matches := false
		for _, d := range answer.Drivers {
			if d.Path != pattern && !plan.Matches(pattern, machine.Style.Base(d.Path)) {
				continue
			}
			matches = true
			switch {
			case isOff && !off[d.Path]:
				off[d.Path] = true
				excluded = append(excluded, p.stampLibrary(d.Path, d.Library))
			case !isOff && !slices.Contains(paths, d.Path):
				paths = append(paths, d.Path)
			}
		}
		if !matches {
			names := term.Words(answer.Drivers, func(d *manifest.Driver) string { return d.Path })
			return nil, nil, exit.Problem("--driver: %q matches no driver manifest; available: %s%s", pattern,
				term.Or(strings.Join(names, ", "), "none"),
				term.DidYouMean(pattern, explain.DriverNames(answer.Drivers)))
		}
	}
	if everyOff {
		paths = term.Words(answer.Drivers, func(d *manifest.Driver) string { return d.Path })
	}
	if paths = slices.DeleteFunc(paths, func(path string) bool { return off[path] }); len(paths) == 0 {
		return nil, nil, errNoDriver
	}
	return paths, excluded, nil
}

// expiry returns the file's expiry: the requested one, or the existing one.
func (c *Options) expiry(f *File, now time.Time) (time.Time, error) {
	switch {
	case c.Expires == "" && f != nil && f.Ours:
		return f.Expires, nil
	case c.Expires == "":
		return time.Time{}, nil
	}
	length, err := Length(c.Expires)
	if err != nil || length == 0 {
		return time.Time{}, err
	}
	return now.Add(length).Truncate(time.Second), nil
}

// Length parses a duration such as 90m, 8h or 7d of at most a hundred years; "never" is 0.
func Length(text string) (time.Duration, error) {
	if text == "never" {
		return 0, nil
	}
	number, unit := text, time.Duration(1)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		number, unit = days+"h", 24
	}
	length, err := time.ParseDuration(number)
	if err != nil || length <= 0 || length > 100*365*24*time.Hour/unit {
		return 0, fmt.Errorf("--expires needs a time such as 90m, 8h or 7d, or never; got %q", text)
	}
	return length * unit, nil
}

func judge(content map[string]any, where string) error {
	text, err := Encode(content)
	if err != nil {
		return err
	}
	result, _ := validation.Judge(facts.File{Content: string(text)}, where, validation.Settings)
	for _, f := range result.Findings {
		if f.Severity == diag.Problem {
			return exit.Problem("not written: the file would have a problem: %s", f.What)
		}
	}
	return nil
}
