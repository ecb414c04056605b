package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/validation"
)

// settingsChange is what settings set was told.
type settingsChange struct {
	apps, layers, drivers, added, devices []string
	noLayers, exclusive                   bool // --no-layers, --only-these-layers
	log, expires                          string
	system, force, dry, json              bool
}

func newSettingsSet(s *surroundings) *cobra.Command {
	c := &settingsChange{}
	cmd := &cobra.Command{
		Use:   "set",
		Short: "Write settings: layers and their order, drivers, devices, the log; for all programs or for some",
		Long: "set writes what the options say into the settings file, for all programs, or with --app for some; what it does\n" +
			"not name stays as it is. Layers, drivers and devices are given in their order. A program gets one object of the\n" +
			"file: that for it, or that for all, never both.\n\n" +
			"The file that is written is the one in force; without one, the first place in the user's folders, or with --system\n" +
			"in the system's. It is replaced in one step. Another program's file is not touched without --force, which keeps it\n" +
			"beside the new one for \"settings clear\" to put back.\n\n" + exitCodesHelp,
		Example: "  vkloader settings set --layer VK_LAYER_KHRONOS_validation=on --expires 8h\n" +
			"  vkloader settings set --app /opt/game/game --layer VK_LAYER_MANGOHUD_overlay=off\n" +
			"  vkloader settings set --driver radeon_icd.x86_64.json --device 0 --log warn",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.set(cmd, c) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&c.apps, "app", nil, "for this program only, whose executable is `EXE`; may be repeated")
	flags.StringArrayVar(&c.layers, "layer", nil, "a layer, from the program down: `NAME[=on|off|auto]`, on when left out; \"others\": where all others go (last)")
	flags.BoolVar(&c.exclusive, "only-these-layers", false, "no layers but those that --layer names")
	flags.BoolVar(&c.noLayers, "no-layers", false, "no layers at all")
	flags.StringArrayVar(&c.drivers, "driver", nil, "only drivers whose manifest has this name, this path, or a name like this `PATTERN`; may be repeated")
	flags.StringArrayVar(&c.added, "add-driver", nil, "this driver manifest too, before those that are found: a `FILE`; may be repeated")
	flags.StringArrayVar(&c.devices, "device", nil,
		"only this `DEVICE`: its number in \"vkloader list devices\", a part of its name, or DEVICEUUID/DRIVERUUID/VERSION; may be repeated")
	flags.StringVar(&c.log, "log", "", "what is logged on standard error, as `WORDS`: all, error, warn, info, debug, perf, layer, driver, validation; with commas")
	flags.StringVar(&c.expires, "expires", "", "when the tool removes the file: after a `TIME` such as 90m, 8h or 7d, or \"never\"")
	flags.BoolVar(&c.system, "system", false, "write the file for all users")
	flags.BoolVar(&c.force, "force", false, "also in place of another program's file")
	flags.BoolVar(&c.json, "json", false, fmt.Sprintf("print JSON (schema %d)", settingsSchema))
	flags.BoolVar(&c.dry, "dry-run", false, "print the file instead of writing it")
	completes(cmd, map[string]completion{"layer": completeLayers(s), "driver": completeDrivers(s), "add-driver": completeManifests,
		"log": completeWords})
	return cmd
}

func (s *surroundings) set(cmd *cobra.Command, c *settingsChange) error {
	changes := false
	for _, name := range []string{"layer", "only-these-layers", "no-layers", "driver", "add-driver", "device", "log", "expires"} {
		changes = changes || cmd.Flags().Changed(name)
	}
	switch {
	case !changes:
		return errors.New("nothing to set: see vkloader settings set --help")
	case c.noLayers && (len(c.layers) > 0 || c.exclusive):
		return errors.New("--no-layers and the other options for layers exclude each other")
	case c.exclusive && len(c.layers) == 0:
		return errors.New("--only-these-layers wants --layer; --no-layers is for none at all")
	case len(c.drivers) > 0 && len(c.added) > 0:
		return errors.New("--driver and --add-driver exclude each other")
	}
	place, err := s.settingsPlace()
	if err != nil {
		return err
	}
	where, err := c.place(place)
	if err != nil {
		return err
	}
	if !c.dry {
		unlock, err := settingsfile.Lock(&place.machine, where)
		if err != nil {
			return exit.As(exit.NotLooked, err)
		}
		defer unlock()
		// Another run of the tool may have changed it meanwhile.
		if place.files, err = settingsfile.Existing(&place.machine, place.places); err != nil {
			return exit.As(exit.NotLooked, err)
		}
	}
	f := place.inForce()
	if f != nil && f.Path != where {
		f = nil
	}
	if f != nil && !f.Ours && !c.force {
		return notOurs(f)
	}
	content, err := f.Decode()
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	apps, err := absoluteApps(&place.machine, c.apps)
	if err != nil {
		return err
	}
	if len(content["settings_array"].([]any)) > 0 || c.hasSettings() {
		alone := len(apps) > 0 && settingsfile.For(content, nil, false) != nil && settingsfile.For(content, apps, false) == nil
		object := settingsfile.For(content, apps, c.hasSettings())
		if alone && object != nil {
			fmt.Fprintln(s.errOut, "vkloader: these programs get these settings only, and no longer those for all programs")
		}
		if object != nil {
			if err := c.apply(s, place, object); err != nil {
				return err
			}
		}
	}
	expires, err := c.expiry(f, time.Now())
	if err != nil {
		return err
	}
	if err := judge(content, where); err != nil {
		return err
	}
	if c.dry {
		return writeJSON(s, content)
	}
	if err := settingsfile.Write(&place.machine, where, content, expires, f != nil && !f.Ours); err != nil {
		return exit.Unable("settings file: %w", err)
	}
	if c.json {
		return writeJSON(s, settingsDone{Schema: settingsSchema, Wrote: where, Expires: rfc3339(expires)})
	}
	fmt.Fprintf(s.out, "Wrote %s\n", where)
	if !expires.IsZero() {
		fmt.Fprintf(s.out, "It expires at %s: the next \"vkloader settings\" after that removes it; until then programs get it.\n",
			expires.UTC().Format(time.RFC3339))
	}
	return nil
}

func (c *settingsChange) hasSettings() bool {
	return len(c.layers)+len(c.drivers)+len(c.added)+len(c.devices) > 0 || c.noLayers || c.log != ""
}

// place chooses the file to write: the one in force, or else the first place.
func (c *settingsChange) place(p *settingsPlace) (string, error) {
	homes, places := []string{}, p.places
	for _, v := range []variables.ID{variables.Home, variables.ConfigHome, variables.DataHome} {
		value, _ := p.machine.Lookup(v.Name())
		if value, _, _ = strings.Cut(value, ":"); value != "" { // of a list the first counts (SET-4)
			homes = append(homes, value)
		}
	}
	ofUser := func(place string) bool {
		return slices.ContainsFunc(homes, func(h string) bool { return strings.HasPrefix(place, filepath.Clean(h)+"/") })
	}
	f := p.inForce()
	if c.system {
		at := slices.IndexFunc(places, func(place string) bool { return strings.HasPrefix(place, search.Linux().SysConfDir+"/") })
		if at < 0 {
			return "", exit.Unable("no place for the settings of all users")
		}
		if f != nil && slices.Index(places, f.Path) < at {
			return "", exit.Problem("%s would not count: %s is there, which comes before it", places[at], f.Path)
		}
		return places[at], nil
	}
	if f != nil && ofUser(f.Path) {
		return f.Path, nil
	}
	at := slices.IndexFunc(places, ofUser)
	if at < 0 {
		return "", exit.Unable("no place for settings of a user: HOME is not set; --system writes those of all users")
	}
	if f != nil && slices.Index(places, f.Path) < at {
		return "", exit.Problem("%s would not count: %s is there, which comes before it", places[at], f.Path)
	}
	if f != nil && !c.force {
		return "", exit.Problem("%s holds settings for all users, which would no longer count for you: --force writes yours, --system changes those", f.Path)
	}
	return places[at], nil
}

// apply changes an object of the file.
func (c *settingsChange) apply(s *surroundings, p *settingsPlace, object map[string]any) error {
	if c.noLayers {
		object["layers"] = []any{}
	}
	if len(c.layers) > 0 {
		list, err := c.layerEntries(p)
		if err != nil {
			return err
		}
		object["layers"] = list
	}
	if len(c.drivers)+len(c.added) > 0 {
		list, err := c.driverEntries(p)
		if err != nil {
			return err
		}
		object["additional_drivers"] = list
		object["additional_drivers_use_exclusively"] = len(c.drivers) > 0
	}
	if len(c.devices) > 0 {
		list, err := c.deviceEntries(s, p)
		if err != nil {
			return err
		}
		object["device_configurations"] = list
	}
	if c.log != "" {
		words := []any{}
		for _, word := range strings.Split(c.log, ",") {
			if !slices.Contains(logWords, word) {
				return fmt.Errorf("--log: %q is none of %s", word, strings.Join(logWords, ", "))
			}
			words = append(words, word)
		}
		object["stderr_log"] = words
	}
	return nil
}

var logWords = []string{"all", "error", "warn", "info", "debug", "perf", "layer", "driver", "validation"}

// levelWords are the words of stderr_log for a level.
func levelWords(level uint32) []string {
	bits := []uint32{0, diag.Error, diag.Warn, diag.Info, diag.Debug, diag.Perf, diag.Layer, diag.Driver, diag.Validation}
	var words []string
	for i, word := range logWords {
		if bits[i] != 0 && level&bits[i] != 0 {
			words = append(words, word)
		}
	}
	if len(words) == len(logWords)-1 {
		return logWords[:1]
	}
	return words
}

// ordinary is a source without settings files, and without the filters that take layers and drivers out of lists.
type ordinary struct {
	facts.Source
	places []string
}

func (o ordinary) Exists(path string) bool {
	return !slices.Contains(o.places, filepath.Clean(path)) && o.Source.Exists(path)
}

func (o ordinary) Var(name string, secure bool) facts.Var {
	for _, v := range []variables.ID{variables.LayersEnable, variables.LayersDisable, variables.LayersAllow,
		variables.DriversSelect, variables.DriversDisable} {
		if v.Name() == name {
			return facts.Var{}
		}
	}
	return o.Source.Var(name, secure)
}

// found is what there is without settings and filters.
func (p *settingsPlace) found() (*plan.Answer, error) {
	answer, err := decision.Ask(ordinary{p.source, p.places})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (c *settingsChange) layerEntries(p *settingsPlace) ([]any, error) {
	answer, err := p.found()
	if err != nil {
		return nil, err
	}
	list, placed := []any{}, c.exclusive
	for _, word := range c.layers {
		if word == "others" {
			if placed {
				return nil, errors.New("--layer others: once, and not with --only-these-layers")
			}
			placed = true
			list = append(list, map[string]any{"control": "unordered_layer_location"})
			continue
		}
		name, control, given := strings.Cut(word, "=")
		if !given {
			control = "on"
		}
		if control != "on" && control != "off" && control != "auto" {
			return nil, fmt.Errorf("--layer wants NAME=on, NAME=off or NAME=auto, got %q", word)
		}
		layer := findLayer(answer.Layers, name)
		if layer == nil && control != "off" {
			return nil, exit.Problem("no layer %s is installed; there is %s", name, layerNames(answer.Layers))
		}
		entry := map[string]any{"name": name, "control": control, "path": ""}
		if layer != nil {
			entry["path"] = layer.Manifest
			if layer.Implicit {
				entry["treat_as_implicit_manifest"] = true
			}
		}
		list = append(list, entry)
	}
	if !placed {
		list = append(list, map[string]any{"control": "unordered_layer_location"})
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

func layerNames(layers []*manifest.Layer) string {
	var names []string
	for _, l := range layers {
		names = append(names, l.Name)
	}
	return orWord(strings.Join(names, ", "), "none")
}

// driverEntries are the manifests in the order in which they are meant; the file has the last one first (SET-83).
func (c *settingsChange) driverEntries(p *settingsPlace) ([]any, error) {
	var paths []string
	for _, path := range c.added {
		if !strings.HasPrefix(path, "/") && !p.machine.Foreign() {
			absolute, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			path = absolute
		}
		if !search.IsManifestName(path) || !p.machine.Exists(path) {
			return nil, exit.Problem("--add-driver: %s is no manifest: the name has to end in .json, and the file has to be there", path)
		}
		paths = append(paths, path)
	}
	if len(c.drivers) > 0 {
		answer, err := p.found()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, word := range c.drivers {
			any := false
			for _, d := range answer.Drivers {
				if names = append(names, d.Path); (d.Path == word || plan.Filtered(word, search.BaseName(d.Path))) && !slices.Contains(paths, d.Path) {
					paths = append(paths, d.Path)
				}
				any = any || d.Path == word || plan.Filtered(word, search.BaseName(d.Path))
			}
			if !any {
				return nil, exit.Problem("--driver: %q matches no driver manifest; there is %s", word,
					orWord(strings.Join(slices.Compact(names), ", "), "none"))
			}
		}
	}
	list := []any{}
	for _, path := range slices.Backward(paths) {
		list = append(list, map[string]any{"path": path})
	}
	return list, nil
}

// deviceEntries are the devices as a configuration names them.
func (c *settingsChange) deviceEntries(s *surroundings, p *settingsPlace) ([]any, error) {
	list := []any{}
	var devices []probe.Device
	for _, word := range c.devices {
		if entry, ok := explicitDevice(word); ok {
			list = append(list, entry)
			continue
		}
		if devices == nil {
			var err error
			if devices, err = s.allDevices(p); err != nil {
				return nil, err
			}
		}
		var hits []probe.Device
		var names []string
		number, err := strconv.ParseUint(word, 10, 32)
		for _, d := range devices {
			if err == nil && uint64(d.Index) == number || err != nil && strings.Contains(strings.ToLower(d.Name), strings.ToLower(word)) {
				hits = append(hits, d)
			}
			names = append(names, fmt.Sprintf("%d %s", d.Index, d.Name))
		}
		if len(hits) != 1 {
			return nil, exit.Problem("--device: %q is %s; there is %s", word, count(len(hits), "device"),
				orWord(strings.Join(names, ", "), "none"))
		}
		entry, ok := explicitDevice(fmt.Sprintf("%s/%s/%d", hits[0].DeviceUUID, hits[0].DriverUUID, int32(hits[0].DriverVersion)))
		if !ok {
			return nil, exit.Problem("--device: %s is a device of Vulkan 1.0, which no configuration can name", hits[0].Name)
		}
		entry["deviceName"], entry["driverName"] = hits[0].Name, hits[0].DriverName
		list = append(list, entry)
	}
	return list, nil
}

// explicitDevice reads DEVICEUUID/DRIVERUUID/VERSION.
func explicitDevice(text string) (map[string]any, bool) {
	part := strings.Split(text, "/")
	if len(part) != 3 {
		return nil, false
	}
	entry := map[string]any{}
	for i, name := range []string{"deviceUUID", "driverUUID"} {
		bytes, err := hex.DecodeString(strings.ReplaceAll(part[i], "-", ""))
		if err != nil || len(bytes) != 16 {
			return nil, false
		}
		numbers := []any{}
		for _, b := range bytes {
			numbers = append(numbers, int(b))
		}
		entry[name] = numbers
	}
	version, err := strconv.ParseInt(part[2], 10, 32)
	entry["driverVersion"] = version
	return entry, err == nil
}

// allDevices asks the probe for all devices, hidden ones included.
func (s *surroundings) allDevices(p *settingsPlace) ([]probe.Device, error) {
	if p.machine.Foreign() {
		return nil, errors.New("--device below --root wants DEVICEUUID/DRIVERUUID/VERSION: no driver of another machine can be asked")
	}
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	devices, problem, err := everyDevice(found, &p.machine, 30*time.Second)
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	if len(devices) == 0 && problem != "" {
		return nil, exit.Problem("no devices: %s", problem)
	}
	return devices, nil
}

// expiry is when the file's time is over: as told, or as it was.
func (c *settingsChange) expiry(f *settingsfile.File, now time.Time) (time.Time, error) {
	switch {
	case c.expires == "" && f != nil && f.Ours:
		return f.Expires, nil
	case c.expires == "" || c.expires == "never":
		return time.Time{}, nil
	}
	text, unit := c.expires, time.Duration(1)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		text, unit = days+"h", 24
	}
	length, err := time.ParseDuration(text)
	if err != nil || length <= 0 || length > 100*365*24*time.Hour {
		return time.Time{}, fmt.Errorf("--expires wants a time such as 90m, 8h or 7d, or never, got %q", c.expires)
	}
	return now.Add(length * unit).Truncate(time.Second), nil
}

// judge refuses to write what the loader would not take.
func judge(content map[string]any, where string) error {
	text, err := encodeJSON(maps.Clone(content))
	if err != nil {
		return err
	}
	report := validation.File(text, where, validation.Settings)
	if problems, _ := report.Problems(); problems > 0 {
		for _, f := range report.Findings {
			if f.Code.Entry().Severity == diag.Problem {
				return exit.Problem("not written: the file would have a problem: %s", f.What)
			}
		}
	}
	return nil
}
