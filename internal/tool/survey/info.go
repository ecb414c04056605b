package survey

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/term"
)

// Schema is raised when a field of info changes its meaning or goes.
const Schema = 1

// Info is what a program on this machine gets from the library.
type Info struct {
	Schema   int                    `json:"schema"`
	Library  string                 `json:"library"`
	Core     string                 `json:"core"`
	Version  string                 `json:"version"`
	Fallback string                 `json:"fallback_driver,omitempty"`
	Problem  string                 `json:"problem,omitempty"`
	Drivers  []Driver               `json:"drivers"`
	Layers   []Layer                `json:"layers"`
	Chain    []string               `json:"chain"`
	Devices  []probe.Device         `json:"devices"`
	Times    []Time                 `json:"times"`
	Usage    map[string]probe.Usage `json:"usage"`
	Messages []loaderlog.Message    `json:"messages"`
	Instance []probe.Extension      `json:"instance_extensions"`

	Understood bool `json:"-"` // the library's log was one that this tool reads
}

// Driver is a driver manifest, and what became of it.
type Driver struct {
	Manifest   string `json:"manifest"`
	Library    string `json:"library"`
	APIVersion string `json:"api_version"`
	Devices    int    `json:"devices"`
	Problem    string `json:"problem,omitempty"`
}

// Layer is a layer as the library lists it, and its place in the chain.
type Layer struct {
	probe.Layer
	Active *loaderlog.Layer `json:"active,omitempty"`
}

// Time is how long a phase took.
type Time struct {
	Phase string  `json:"phase"`
	First float64 `json:"first_us"`
	Again float64 `json:"again_us,omitempty"`
}

// Look gathers everything; the error is for what kept it from looking.
func Look(l probe.Place, environ []string, fallback string, limit time.Duration) (*Info, error) {
	quiet := machine.WithoutVariable(environ, variables.Debug.Name())
	timed, err := probe.Twice(l, quiet, limit)
	if err != nil {
		return nil, err
	}
	used := ""
	if timed.NoDriver() && fallback != "" {
		manifest, err := filepath.Abs(fallback)
		if err != nil {
			return nil, err
		}
		used = manifest
		environ = machine.WithVariable(environ, variables.DriverFiles.Name(), manifest)
		quiet = machine.WithoutVariable(environ, variables.Debug.Name())
		if timed, err = probe.Twice(l, quiet, limit); err != nil {
			return nil, err
		}
	}
	loud, remove := settingsfile.Audible(environ)
	defer remove()
	told, err := probe.Run(l, machine.WithVariable(loud, variables.Debug.Name(), "all"), limit)
	if err != nil {
		return nil, err
	}
	result := join(timed, loaderlog.Read(told.Log))
	result.Fallback = used
	if result.Library == "" {
		result.Library = l.Library
	}
	result.Core = probe.CoreBeside(result.Library)
	return result, nil
}

func join(timed *probe.Result, log *loaderlog.Log) *Info {
	result := &Info{
		Schema: Schema, Library: timed.Library, Version: term.Version(timed.Version), Problem: timed.Problem,
		Drivers: []Driver{}, Layers: []Layer{}, Devices: timed.Devices, Usage: timed.Usage,
		Messages: log.Messages, Instance: timed.Extensions,
		Understood: len(log.Locations) > 0,
	}
	for i := range result.Devices {
		if i < len(log.Used) && log.Used[i].Device == result.Devices[i].Name {
			result.Devices[i].Library = log.Used[i].Library
		}
	}
	for _, manifest := range log.Manifests["driver"] {
		result.Drivers = append(result.Drivers, driverOf(manifest, result.Devices, log.Messages))
	}
	for _, found := range timed.Layers {
		layer := Layer{Layer: found}
		if i := slices.IndexFunc(log.Chain, func(c loaderlog.Layer) bool { return c.Name == found.Name }); i >= 0 {
			layer.Active = &log.Chain[i]
		}
		result.Layers = append(result.Layers, layer)
	}
	result.Chain = []string{"program", "loader"}
	for _, layer := range log.Chain {
		result.Chain = append(result.Chain, layer.Name)
	}
	result.Chain = append(result.Chain, "drivers")
	result.Times = timesOf(timed.Phases)
	result.Devices, result.Times = someOf(result.Devices), someOf(result.Times)
	result.Messages, result.Instance = someOf(result.Messages), someOf(result.Instance)
	return result
}

// someOf is a list that JSON writes as one, also when there is nothing in it.
func someOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// timesOf joins the first and the second round of each phase.
func timesOf(phases []probe.Phase) []Time {
	var times []Time
	for _, p := range phases {
		i := slices.IndexFunc(times, func(t Time) bool { return t.Phase == p.Name })
		switch {
		case i < 0:
			times = append(times, Time{Phase: p.Name, First: p.Micros})
		case p.Round == 2:
			times[i].Again = p.Micros
		}
	}
	return times
}

// driverOf reads what a driver's manifest says, for orientation only: what counts is what the loader made of it.
func driverOf(manifest string, devices []probe.Device, messages []loaderlog.Message) Driver {
	d := Driver{Manifest: manifest}
	var content struct {
		ICD struct {
			Library    string `json:"library_path"`
			APIVersion string `json:"api_version"`
		} `json:"ICD"`
	}
	if data, err := os.ReadFile(manifest); err == nil && json.Unmarshal(data, &content) == nil {
		d.Library, d.APIVersion = content.ICD.Library, content.ICD.APIVersion
		if strings.Contains(d.Library, "/") && !filepath.IsAbs(d.Library) {
			d.Library = filepath.Join(filepath.Dir(manifest), d.Library)
		}
	}
	for _, dev := range devices {
		if d.Library != "" && sameLibrary(d.Library, dev.Library) {
			d.Devices++
		}
	}
	for _, m := range messages {
		if d.Devices == 0 && m.Severity == "error" &&
			(strings.Contains(m.Text, manifest) || d.Library != "" && strings.Contains(m.Text, d.Library)) {
			d.Problem = m.Text
			break
		}
	}
	return d
}

// sameLibrary compares what a manifest names with what was loaded: a name without a folder may be anywhere, and is
// usually a link to a file with a longer version (libx.so.0 and libx.so.5.8).
func sameLibrary(named, loaded string) bool {
	if !strings.Contains(named, "/") {
		stem, _, _ := strings.Cut(named, ".so")
		loadedStem, _, _ := strings.Cut(filepath.Base(loaded), ".so")
		return stem == loadedStem
	}
	if real, err := filepath.EvalSymlinks(named); err == nil {
		named = real
	}
	if real, err := filepath.EvalSymlinks(loaded); err == nil {
		loaded = real
	}
	return filepath.Clean(named) == filepath.Clean(loaded)
}

// Result is what became of a driver, in words.
func (d Driver) Result() string {
	switch {
	case d.Problem != "":
		return "failed"
	case d.Devices == 1:
		return "1 device"
	case d.Devices > 1:
		return fmt.Sprintf("%d devices", d.Devices)
	default:
		return "no device"
	}
}
