package survey

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/term"
)

// Schema is raised when a field of info changes its meaning or goes.
const Schema = 2

// Info is what a program on this machine gets from the library.
type Info struct {
	Schema   int                    `json:"schema"`
	Library  string                 `json:"library"`
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

	Died    bool `json:"-"` // a driver or layer ended the child
	Decided bool `json:"-"` // the library is the one that the tool decides as: drivers, layers and chain are known
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
	Active *Active `json:"active,omitempty"`
}

// Active is a layer's place in the chain, and who put it there.
type Active struct {
	Name      string `json:"name"`
	Implicit  bool   `json:"implicit"`
	EnabledBy string `json:"enabled_by"`
	Disable   string `json:"disable_variable,omitempty"`
	Manifest  string `json:"manifest"`
	Library   string `json:"library"`
}

// Time is how long a phase took.
type Time struct {
	Phase string  `json:"phase"`
	First float64 `json:"first_us"`
	Again float64 `json:"again_us,omitempty"`
}

// Options say how it is looked.
type Options struct {
	Library  string         // a library that is looked through instead of the tool's own; "": that
	Loader   machine.Loader // what that library reads; nil: it is not known, and nothing is decided for it
	Fallback string         // manifest of a driver to use where there is none
	Limit    time.Duration  // of each child
}

// Look gathers everything; the error is for what kept it from looking.
func Look(executable string, m machine.Machine, o Options) (*Info, error) {
	at, err := probe.Find(executable, o.Library)
	if err != nil {
		return nil, err
	}
	quiet := machine.WithoutVariable(m.Environ, variables.Debug.Name())
	timed, err := probe.Twice(at, quiet, o.Limit)
	if err != nil {
		return nil, err
	}
	used := ""
	if timed.NoDriver() && o.Fallback != "" {
		if used, err = filepath.Abs(o.Fallback); err != nil {
			return nil, err
		}
		m.Environ = machine.WithVariable(m.Environ, variables.DriverFiles.Name(), used)
		quiet = machine.WithoutVariable(m.Environ, variables.Debug.Name())
		if timed, err = probe.Twice(at, quiet, o.Limit); err != nil {
			return nil, err
		}
	}
	loud, remove := settingsfile.Audible(m.Environ)
	defer remove()
	told, err := probe.Run(at, machine.WithVariable(loud, variables.Debug.Name(), "all"), o.Limit)
	if err != nil {
		return nil, err
	}
	said := told.Log
	if o.Library != "" && !strings.Contains(said, loaderlog.Mark) { // an older loader
		said = loaderlog.Older(said)
	}
	result := observedInfo(timed, loaderlog.Read(said))
	result.Fallback = used
	if result.Library == "" {
		result.Library = at.Library
	}
	if o.Library == "" || o.Loader != nil {
		if err := result.decide(&machine.Source{Machine: m, Program: at.Child, Loader: o.Loader}, timed); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// observedInfo is what the children saw.
func observedInfo(timed *probe.Result, log *loaderlog.Log) *Info {
	result := &Info{
		Schema: Schema, Library: timed.Library, Version: term.Version(timed.Version), Problem: timed.Problem, Died: timed.Died(),
		Drivers: []Driver{}, Layers: []Layer{}, Chain: []string{}, Devices: someOf(timed.Devices), Times: someOf(timesOf(timed.Phases)),
		Usage: timed.Usage, Messages: someOf(log.Messages), Instance: someOf(timed.Extensions),
	}
	for i := range result.Devices {
		if i < len(log.Used) && log.Used[i].Device == result.Devices[i].Name {
			result.Devices[i].Library = log.Used[i].Library
		}
	}
	for _, found := range timed.Layers {
		result.Layers = append(result.Layers, Layer{Layer: found})
	}
	return result
}

// decide adds drivers, layers and the chain as the library's own decision has them, for the child as the program.
func (r *Info) decide(source *machine.Source, timed *probe.Result) error {
	answer, err := ask.PlanFor(source, ask.Probe)
	if err != nil {
		return err
	}
	r.Decided = true
	for _, row := range explain.Drivers.Rows(answer) {
		if row.Path == "" {
			continue
		}
		at := slices.IndexFunc(r.Drivers, func(d Driver) bool { return d.Manifest == row.Path })
		if at < 0 {
			at = len(r.Drivers)
			r.Drivers = append(r.Drivers, r.driver(source, row.Path))
		}
		if row.Severity == diag.Problem && r.Drivers[at].Devices == 0 {
			r.Drivers[at].Problem = row.Why
		}
	}
	r.Chain = []string{"program", "loader"}
	for _, a := range answer.Active {
		l := answer.Layers[a.Layer]
		if l.Meta || a.Unchained || timed.Mapped != nil &&
			!slices.ContainsFunc(timed.Mapped, func(library string) bool { return sameLibrary(l.Library, library) }) {
			continue
		}
		r.Chain = append(r.Chain, l.Name)
		if at := slices.IndexFunc(r.Layers, func(o Layer) bool { return o.Name == l.Name }); at >= 0 {
			r.Layers[at].Active = &Active{l.Name, l.Implicit, explain.EnabledBy(a, l), "", l.Manifest, l.Library}
			if l.Implicit {
				r.Layers[at].Active.Disable = l.DisableName
			}
		}
	}
	r.Chain = append(r.Chain, "drivers")
	return nil
}

// driver reads a driver's manifest as the library does, and finds its devices, or what the library complained of.
func (r *Info) driver(source *machine.Source, path string) Driver {
	d := Driver{Manifest: path}
	if file := source.File(path); file.Status == facts.FileRead {
		if doc, fault := document.Parse(file.Content); fault == nil {
			read := manifest.ReadDriver(doc, path, &manifest.System{Style: machine.Style})
			if d.Library = read.Library; read.API != 0 {
				d.APIVersion = term.Version(read.API)
			}
		}
	}
	for _, dev := range r.Devices {
		if d.Library != "" && sameLibrary(d.Library, dev.Library) {
			d.Devices++
		}
	}
	if at := slices.IndexFunc(r.Messages, func(m loaderlog.Message) bool {
		return m.Library != "" && (m.Severity == loaderlog.Error || m.Kind == loaderlog.DriverSkipped) && sameLibrary(d.Library, m.Library)
	}); at >= 0 && d.Devices == 0 {
		d.Problem = r.Messages[at].Text
	}
	return d
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

// sameLibrary compares what a manifest names with what was loaded: a name without a directory may be anywhere, and is
// usually a link to a file with a longer version (libx.so.0 and libx.so.5.8).
func sameLibrary(named, loaded string) bool {
	if machine.Style == pathname.Backslash {
		return strings.EqualFold(filepath.Clean(named), filepath.Clean(loaded)) ||
			filepath.Base(named) == named && strings.EqualFold(named, filepath.Base(loaded))
	}
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
