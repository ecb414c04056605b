package discover

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// InspectionSchema is the number in an [Inspection]'s JSON.
const InspectionSchema = 2

// Inspection describes a short program on this machine, as details in "vkloader list devices --details --json".
type Inspection struct {
	Schema     int               `json:"schema"`                    // number of the schema
	Library    string            `json:"library"`                   // the loader's file
	Version    string            `json:"version"`                   // the result of vkEnumerateInstanceVersion
	Fallback   string            `json:"fallback_driver,omitempty"` // the manifest that was used because the machine has no driver
	Problem    string            `json:"problem,omitempty"`         // one sentence, where a child did not end well
	Drivers    []InspectedDriver `json:"drivers"`                   // manifests in the order of the search
	Layers     []InspectedLayer  `json:"layers"`                    // as vkEnumerateInstanceLayerProperties lists them
	Chain      []string          `json:"chain"`                     // "program", "loader", the layers that are used, "drivers"
	Devices    []Device          `json:"devices"`                   // in the order in which programs get them
	Times      []PhaseTime       `json:"times"`                     // of the phases, in their order
	Usage      map[string]Usage  `json:"usage"`                     // at "start", after "load", at the "end"
	Messages   []Message         `json:"messages"`                  // of the loader: warnings and errors
	Extensions []Extension       `json:"instance_extensions"`       // as vkEnumerateInstanceExtensionProperties lists them

	Died    bool `json:"-"` // a driver or layer ended the child, or kept it from ending
	Decided bool `json:"-"` // drivers, chain and the places of layers are known
}

// InspectedDriver is a driver manifest, with the devices that its driver lists or the reason why it lists none.
type InspectedDriver struct {
	Manifest   string `json:"manifest"`          // its file
	Library    string `json:"library"`           // the driver, as the manifest names it
	APIVersion string `json:"api_version"`       // of the manifest
	Devices    int    `json:"devices"`           // the number of listed devices
	Problem    string `json:"problem,omitempty"` // one sentence
}

// InspectedLayer is a layer as the loader lists it, and its place in the chain.
type InspectedLayer struct {
	Name                  string  `json:"name"`                   // as VK_LAYER_MESA_overlay
	Description           string  `json:"description"`            // one sentence of its maker
	APIVersion            Version `json:"api_version"`            // of Vulkan, for which it was made
	APIText               string  `json:"api_version_text"`       // as 1.3.0
	ImplementationVersion uint32  `json:"implementation_version"` // its own version

	Active *LayerActivity `json:"active,omitempty"` // only of a layer in the chain
}

// LayerActivity is a layer's place in the chain, and the rule that put it there.
type LayerActivity struct {
	Name      string `json:"name"`                       // as VK_LAYER_MESA_overlay
	Implicit  bool   `json:"implicit"`                   // an implicit layer: no program asks for it
	EnabledBy string `json:"enabled_by"`                 // in the words of the loader's log
	Disable   string `json:"disable_variable,omitempty"` // that switches an implicit layer off
	Manifest  string `json:"manifest"`                   // its file
	Library   string `json:"library"`                    // the layer, as the manifest names it
}

// PhaseTime is the duration of a phase of the child, in microseconds: of the first round, and of a second round in the same
// process.
type PhaseTime struct {
	Phase string  `json:"phase"`              // as "create instance"
	First float64 `json:"first_us"`           // of the first round
	Again float64 `json:"again_us,omitempty"` // of the second round; 0: there was none
}

// Message is a warning or an error of the loader.
type Message struct {
	Severity string `json:"severity"` // warning or error
	Text     string `json:"text"`     // one line, without its prefix

	kind    loaders.LogKind
	library string
}

// Usage is the child's memory and threads at one moment.
type Usage struct {
	ResidentKB int64 `json:"resident_kb"` // memory that is not swapped out
	Threads    int   `json:"threads"`     // all threads of the process
}

// Extension is an instance extension.
type Extension struct {
	Name     string `json:"name"`     // as VK_KHR_surface
	Revision uint32 `json:"revision"` // its version
}

// InspectOptions say how an inspection is made.
type InspectOptions struct {
	ProbeOptions

	Loader    *Loader // the loader in ProbeOptions.Library, from LoaderOf; nil: this module's loader
	Undecided bool    // the loader's rules are unknown: drivers, chain and the places of layers are left out
	Fallback  string  // the driver manifest to use if the machine has no driver; "": none
}

// Inspect runs two children that use the loader as [Probe] does. The first one uses it twice, to measure times; the second
// one records the loader's log. Inspect joins their results with the decision for the child as a program. It ignores
// ProbeOptions.Whole.
func Inspect(ctx context.Context, options InspectOptions) (*Inspection, error) {
	ctx = contextOr(ctx)
	at, err := options.complete()
	if err != nil {
		return nil, err
	}
	timed, err := runTwice(ctx, at, options.Env, &options)
	if err != nil {
		return nil, err
	}
	used := ""
	if timed.NoDriver() && options.Fallback != "" {
		if used, err = filepath.Abs(options.Fallback); err != nil {
			return nil, err
		}
		options.Env = machine.WithVariable(options.Env, variables.DriverFiles.Name(), used)
		if timed, err = runTwice(ctx, at, options.Env, &options); err != nil {
			return nil, err
		}
	}
	loud, remove := explain.AudibleSettings(options.Env)
	defer remove()
	told, err := probe.RunUntil(ctx, at, machine.WithVariable(loud, variables.Debug.Name(), "all"), options.Limit)
	if err = probeError(ctx, err); err != nil {
		return nil, err
	}
	log := told.Log
	if (options.Loader != nil || options.Undecided) && !strings.Contains(log, loaders.LogMark) { // an older loader
		log = loaders.OlderLog(log)
	}
	i := inspectionOf(timed, loaders.ReadLog(log))
	i.Fallback = used
	if i.Library == "" {
		i.Library = at.Library
	}
	if !options.Undecided {
		source := &machine.Source{Machine: machine.Machine{Environ: options.Env}, Program: at.Child}
		if options.Loader != nil {
			options.Loader.found.On(source)
		}
		err = i.decide(ctx, source, timed)
	}
	return i, err
}

// runTwice runs the child that performs every phase twice.
func runTwice(ctx context.Context, at probe.Companions, environ []string, options *InspectOptions) (*probe.Result, error) {
	result, err := probe.Twice(ctx, at, machine.WithoutVariable(environ, variables.Debug.Name()), options.Limit)
	return result, probeError(ctx, err)
}

// inspectionOf joins the children's results.
func inspectionOf(timed *probe.Result, log *loaders.Log) *Inspection {
	i := &Inspection{Schema: InspectionSchema, Library: timed.Library, Version: Version(timed.Version).String(), Problem: timed.Problem,
		Died: timed.Died(), Drivers: []InspectedDriver{}, Layers: []InspectedLayer{}, Chain: []string{}, Devices: []Device{},
		Times: timesOf(timed.Phases), Usage: map[string]Usage{}, Messages: []Message{}, Extensions: []Extension{}}
	for moment, usage := range timed.Usage {
		i.Usage[moment] = Usage(usage)
	}
	for _, e := range timed.Extensions {
		i.Extensions = append(i.Extensions, Extension(e))
	}
	for n := range timed.Devices {
		d := deviceOf(&timed.Devices[n])
		d.Library = ""
		if n < len(log.Used) && log.Used[n].Device == d.Name {
			d.Library = log.Used[n].Library
		}
		i.Devices = append(i.Devices, d)
	}
	for _, l := range timed.Layers {
		i.Layers = append(i.Layers, InspectedLayer{l.Name, l.Description, Version(l.APIVersion), l.APIText, l.ImplementationVersion, nil})
	}
	for _, m := range log.Messages {
		i.Messages = append(i.Messages, Message{string(m.Severity), m.Text, m.Kind, m.Library})
	}
	return i
}

// decide adds drivers, layers and the chain as the library's own decision has them, for the child as the program.
func (i *Inspection) decide(ctx context.Context, source *machine.Source, timed *probe.Result) error {
	made, err := decide.HostOf(source).Decide(ctx, &decide.Program{Create: explain.WithProbe})
	if err != nil {
		return err
	}
	i.Decided = true
	for _, f := range explain.Drivers.Findings(made.Plan) {
		if f.Path == "" {
			continue
		}
		at := slices.IndexFunc(i.Drivers, func(d InspectedDriver) bool { return d.Manifest == f.Path })
		if at < 0 {
			at = len(i.Drivers)
			i.Drivers = append(i.Drivers, i.driver(source, f.Path))
		}
		if f.Code.Entry().Severity == diag.Problem && i.Drivers[at].Devices == 0 {
			i.Drivers[at].Problem = f.What
		}
	}
	i.Chain = []string{"program", "loader"}
	for _, a := range made.Plan.Active {
		l := made.Plan.Layers[a.Layer]
		if l.Meta || a.Unchained || timed.Mapped != nil &&
			!slices.ContainsFunc(timed.Mapped, func(library string) bool { return machine.SameLibrary(l.Library, library) }) {
			continue
		}
		i.Chain = append(i.Chain, l.Name)
		if at := slices.IndexFunc(i.Layers, func(o InspectedLayer) bool { return o.Name == l.Name }); at >= 0 {
			i.Layers[at].Active = &LayerActivity{l.Name, l.Implicit, explain.EnabledBy(a, l), "", l.Manifest, l.Library}
			if l.Implicit {
				i.Layers[at].Active.Disable = l.DisableName
			}
		}
	}
	i.Chain = append(i.Chain, "drivers")
	return nil
}

// driver reads a driver's manifest as the library does, and finds its devices, or the loader's complaint.
func (i *Inspection) driver(source *machine.Source, path string) InspectedDriver {
	d := InspectedDriver{Manifest: path}
	if file := source.File(path); file.Status == facts.FileRead {
		if doc, fault := document.Parse(file.Content); fault == nil {
			read := manifest.ReadDriver(doc, path, &manifest.System{Style: machine.Style})
			if d.Library = read.Library; read.API != 0 {
				d.APIVersion = Version(read.API).String()
			}
		}
	}
	for n := range i.Devices {
		if d.Library != "" && machine.SameLibrary(d.Library, i.Devices[n].Library) {
			d.Devices++
		}
	}
	if at := slices.IndexFunc(i.Messages, func(m Message) bool {
		return m.library != "" && (m.Severity == string(loaders.LogError) || m.kind == loaders.DriverSkipped) && machine.SameLibrary(d.Library, m.library)
	}); at >= 0 && d.Devices == 0 {
		d.Problem = i.Messages[at].Text
	}
	return d
}

// timesOf joins the first and the second round of each phase.
func timesOf(phases []probe.Phase) []PhaseTime {
	times := []PhaseTime{}
	for _, p := range phases {
		i := slices.IndexFunc(times, func(t PhaseTime) bool { return t.Phase == p.Name })
		switch {
		case i < 0:
			times = append(times, PhaseTime{Phase: p.Name, First: p.Micros})
		case p.Round == 2:
			times[i].Again = p.Micros
		}
	}
	return times
}
