package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/report"
	"vkloader/internal/tool/system"
)

// infoSchema is raised when a field of info changes its meaning or goes.
const infoSchema = 2

// info is what a program on this machine gets from the library.
type info struct {
	Schema   int              `json:"schema"`
	Library  string           `json:"library"`
	Version  string           `json:"version"`
	Fallback string           `json:"fallback_driver,omitempty"`
	Problem  string           `json:"problem,omitempty"`
	Drivers  []driverInfo     `json:"drivers"`
	Layers   []layerInfo      `json:"layers"`
	Chain    []string         `json:"chain"`
	Devices  []device         `json:"devices"`
	Times    []timeInfo       `json:"times"`
	Usage    map[string]usage `json:"usage"`
	Messages []message        `json:"messages"`
	Instance []extension      `json:"instance_extensions"`

	understood bool // the library's log was one that this tool reads
}

type driverInfo struct {
	Manifest   string `json:"manifest"`
	Library    string `json:"library"`
	APIVersion string `json:"api_version"`
	Devices    int    `json:"devices"`
	Problem    string `json:"problem,omitempty"`
}

type layerInfo struct {
	layerFound
	Active *layerInChain `json:"active,omitempty"`
}

type timeInfo struct {
	Phase string  `json:"phase"`
	First float64 `json:"first_us"`
	Again float64 `json:"again_us,omitempty"`
}

func newInfo(s *surroundings) *cobra.Command {
	var (
		asJSON, full      bool
		library, fallback string
		limit             time.Duration
	)
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Drivers, layers, chain, devices and times as programs on this machine get them",
		Long: "info runs a short program life on the library, in a child process: load, enumerate, create an instance,\n" +
			"list the devices, create and destroy a device on each, destroy the instance. The child runs twice: once for\n" +
			"the times, once with VK_LOADER_DEBUG=all for what the loader says.\n\n" + exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			machine, err := s.thisMachine("info")
			if err != nil {
				return err
			}
			found, err := findLayout(s.executable, library)
			if err != nil {
				return &exitError{exitBlind, err}
			}
			result, err := look(found, machine.Environ, fallback, limit)
			if err != nil {
				return &exitError{exitBlind, err}
			}
			if asJSON {
				err = writeJSON(s, result)
			} else {
				result.print(s)
				if full {
					result.printMore(s)
				}
			}
			if err == nil && result.Problem != "" {
				err = &exitError{code: exitProblems}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", infoSchema))
	cmd.Flags().BoolVar(&full, "full", false, "more: of devices, layers, instance extensions, memory and threads")
	cmd.Flags().StringVar(&library, "library", "", "look through this libvulkan instead of the one with the tool")
	cmd.Flags().StringVar(&fallback, "fallback-driver", "", "manifest of a driver to show when the machine has none")
	cmd.Flags().DurationVar(&limit, "timeout", 30*time.Second, "how long each child may take")
	return cmd
}

// look gathers everything; the error is for what kept it from looking.
func look(l layout, environ []string, fallback string, limit time.Duration) (*info, error) {
	quiet := withoutVariable(environ, variables.Debug.Name())
	timed, err := live(l, quiet, true, limit)
	if err != nil {
		return nil, err
	}
	used := ""
	if timed.noDriver() && fallback != "" {
		manifest, err := filepath.Abs(fallback)
		if err != nil {
			return nil, err
		}
		used = manifest
		environ = withVariable(environ, variables.DriverFiles.Name(), manifest)
		quiet = withoutVariable(environ, variables.Debug.Name())
		if timed, err = live(l, quiet, true, limit); err != nil {
			return nil, err
		}
	}
	loud, remove := audible(environ)
	defer remove()
	told, err := live(l, withVariable(loud, variables.Debug.Name(), "all"), false, limit)
	if err != nil {
		return nil, err
	}
	result := newInfoOf(timed, parseLog(told.Log))
	result.Fallback = used
	if result.Library == "" {
		result.Library = l.library
	}
	return result, nil
}

func newInfoOf(timed *life, log *loaderLog) *info {
	result := &info{
		Schema: infoSchema, Library: timed.Library, Version: report.Version(timed.Version), Problem: timed.Problem,
		Drivers: []driverInfo{}, Layers: []layerInfo{}, Devices: timed.Devices, Usage: timed.Usage,
		Messages: log.Messages, Instance: timed.Extensions,
		understood: len(log.Locations) > 0,
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
		layer := layerInfo{layerFound: found}
		if i := slices.IndexFunc(log.Chain, func(c layerInChain) bool { return c.Name == found.Name }); i >= 0 {
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
func timesOf(phases []phase) []timeInfo {
	var times []timeInfo
	for _, p := range phases {
		i := slices.IndexFunc(times, func(t timeInfo) bool { return t.Phase == p.Name })
		switch {
		case i < 0:
			times = append(times, timeInfo{Phase: p.Name, First: p.Micros})
		case p.Round == 2:
			times[i].Again = p.Micros
		}
	}
	return times
}

// driverOf reads what a driver's manifest says, for orientation only: what counts is what the loader made of it.
func driverOf(manifest string, devices []device, messages []message) driverInfo {
	d := driverInfo{Manifest: manifest}
	var content struct {
		ICD struct {
			Library    string `json:"library_path"`
			APIVersion string `json:"api_version"`
		} `json:"ICD"`
	}
	if data, err := (&system.Machine{}).ReadFile(manifest); err == nil && json.Unmarshal(data, &content) == nil {
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
