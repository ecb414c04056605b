package doctor

import (
	"slices"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
)

// toProbe are the drivers and layers that a program gets which asks for nothing, each with the changes of the
// environment under which it is the only one: pairs of a variable and its value, "" for none.
func (r *Report) toProbe() (drivers, layers []alone) {
	for _, d := range r.Answer.Drivers {
		if r.chosen && !slices.ContainsFunc(r.GPUs, func(g GPU) bool { return slices.Contains(g.Drivers, d.Path) }) {
			continue
		}
		drivers = append(drivers, alone{Library: d.Library,
			Probe: Probe{Kind: "driver", Name: r.Answer.Style.Base(d.Path), Manifest: d.Path},
			Variables: [][2]string{{variables.DriverFiles.Name(), d.Path}, {variables.LayersDisable.Name(), "~all~"},
				{variables.LayersAllow.Name(), ""}, {variables.LayersEnable.Name(), ""}, {variables.InstanceLayers.Name(), ""},
				{variables.DriversSelect.Name(), ""}, {variables.DriversDisable.Name(), ""},
				{variables.DeviceIDFilter.Name(), ""}, {variables.VendorIDFilter.Name(), ""},
				{variables.DriverIDFilter.Name(), ""}}})
	}
	for _, a := range r.Answer.Active {
		if l := r.Answer.Layers[a.Layer]; !l.Meta {
			layers = append(layers, alone{Library: l.Library, layer: l,
				Probe: Probe{Kind: "layer", Name: l.Name, Manifest: l.Manifest},
				Variables: [][2]string{{variables.LayersDisable.Name(), "~all~"}, {variables.LayersAllow.Name(), l.Name},
					{variables.LayersEnable.Name(), l.Name}}})
		}
	}
	return drivers, layers
}

// alone is a driver or layer to be probed by itself.
type alone struct {
	Probe
	Library   string // as the manifest names it
	Variables [][2]string
	layer     *manifest.Layer
}

// probed enters what became of it, and what is wrong with that.
func (r *Report) probed(a *alone) {
	r.Probes = append(r.Probes, a.Probe)
	codes := map[string]Code{ProbeCrashes: DriverCrashes, ProbeHangs: DriverHangs, ProbeFails: DriverFails,
		ProbeNoDevice: DriverNoDevice}
	key, changes := explain.Key{Manifest: a.Manifest}, explain.AddToFilter(r.source, variables.DriversDisable, a.Name)
	if a.Kind == "layer" {
		codes = map[string]Code{ProbeCrashes: LayerCrashes, ProbeHangs: LayerHangs, ProbeFails: LayerFails}
		key.Layer, changes = a.layer.Name, nil
		if a.layer.Implicit && a.layer.DisableName != "" {
			changes = append(changes, explain.SetVariable(a.layer.DisableName, "1"))
		}
		changes = append(changes, explain.AddToFilter(r.source, variables.LayersDisable, a.layer.Name)...)
	}
	code, wrong := codes[a.Result]
	if !wrong {
		return
	}
	if code != DriverNoDevice {
		for _, modules := range [][]Module{r.Drivers, r.Layers} {
			for i := range modules {
				if modules[i].Manifest == a.Manifest && (a.Kind == "driver" || modules[i].Name == a.Name) {
					modules[i].Good = false
				}
			}
		}
	}
	var do advice
	if c, ok := explain.NewTrial(r.source, r.Answer).First(key, false, changes...); ok && code != DriverNoDevice {
		do = typed{c.Line()}
	}
	if a.Only != "" {
		do = otherLoader{do}
	}
	known := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Path == a.Manifest && slices.Contains(fatal, f.Code) })
	f := r.found(code, a.Name, a.Manifest, misbehaved{onlyThere(a.Detail, a.Only), a.Said}, do)
	if known >= 0 && (code == DriverFails || code == DriverNoDevice) { // what was only feared has come true
		r.Findings[known].Severity = diag.Problem
		f.Because = r.Findings[known].Code
		return
	}
	wanted := slices.ContainsFunc(r.GPUs, func(g GPU) bool { return slices.Contains(g.Drivers, a.Manifest) })
	if code == DriverNoDevice && wanted {
		f.Severity = diag.Problem
		f.advice = updateDriver
	}
}

// fatal are codes of what may keep a driver from working, seen before it is tried.
var fatal = []Kind{DriverHeadless, LibraryRuntime}

// ProbeAll loads each driver that a program would get, and then each layer on the first driver that works, in a child
// of its own, and enters in the report what became of it. The error is for what kept it from looking.
func (r *Report) ProbeAll(at probe.Place, environ []string, limit time.Duration) error {
	defer r.Order()
	drivers, layers := r.toProbe()
	base := ""
	for i := range drivers {
		d := &drivers[i]
		if err := r.probeThrough(at, environ, d, limit); err != nil {
			return err
		}
		if base == "" && d.Result == ProbeOK {
			base = d.Manifest
		}
		r.probed(d)
	}
	for i := range layers {
		if base == "" {
			return nil // without a driver, every layer looks broken
		}
		a := &layers[i]
		a.Variables = append(a.Variables, [2]string{variables.DriverFiles.Name(), base},
			[2]string{variables.DriversSelect.Name()}, [2]string{variables.DriversDisable.Name()})
		if err := r.probeThrough(at, environ, a, limit); err != nil {
			return err
		}
		r.probed(a)
		if err := r.tryPolicy(at, environ, a, base, limit); err != nil {
			return err
		}
	}
	return nil
}

// probeOne runs the probe on the library with one driver or layer alone.
func (r *Report) probeOne(at probe.Place, environ []string, a *alone, limit time.Duration) error {
	for _, v := range a.Variables {
		if environ = machine.WithoutVariable(environ, v[0]); v[1] != "" {
			environ = machine.WithVariable(environ, v[0], v[1])
		}
	}
	result, err := probe.Present(at, machine.WithVariable(environ, variables.Debug.Name(), "error,warn,driver,layer"), limit)
	if err != nil {
		return err
	}
	if result.Library != "" && !slices.Contains(r.Through, result.Library) {
		r.Through = append(r.Through, result.Library)
	}
	messages, err := r.ofActing(at, environ, result)
	if err != nil {
		return err
	}
	for _, p := range result.Phases {
		a.Millis += p.Micros / 1000
	}
	for _, d := range result.Devices {
		a.Devices = append(a.Devices, d.Name)
	}
	a.Detail = result.Problem
	switch result.Outcome {
	case probe.Fine:
		a.Result = ProbeOK
	case probe.Crashed:
		a.Result = ProbeCrashes
	case probe.Hung:
		a.Result = ProbeHangs
	default:
		a.Result = ProbeFails
		if a.Kind == "driver" && withoutDevice(result, messages) {
			a.Result, a.Detail = ProbeNoDevice, "it works, and lists no device"
			return nil
		}
	}
	if a.Result != ProbeOK {
		a.Said = complaint(messages, a.Library).Text
	}
	return nil
}

// ofActing are the warnings and errors of a probe that tell what happened while drivers and layers were used. What the
// decision says of the probe's variables and files is not among them: it is known as findings.
func (r *Report) ofActing(at probe.Place, environ []string, result *probe.Result) ([]loaderlog.Message, error) {
	source := *r.source
	source.Environ, source.Program = environ, at.Child
	decided, err := decision.AskFor(probe.Program(), &source)
	if err != nil {
		return nil, err
	}
	log := result.Log
	if at.Library != r.own.Library {
		log = loaderlog.Older(log)
	}
	return slices.DeleteFunc(loaderlog.Read(log).Messages, func(m loaderlog.Message) bool {
		return slices.ContainsFunc(decided.Steps, func(s plan.Step) bool { return s.Kind == plan.StepLog && s.Text == m.Text })
	}), nil
}

// withoutDevice tells whether everything worked and there was nothing to use: the list of devices then fails.
func withoutDevice(r *probe.Result, messages []loaderlog.Message) bool {
	listed := false
	for _, p := range r.Phases {
		if p.Result < 0 && !(p.Name == probe.ListDevices && complaint(messages, "").Kind == loaderlog.NoDevice) {
			return false
		}
		listed = listed || p.Name == probe.ListDevices
	}
	return listed && len(r.Devices) == 0
}

// complaint is what the loader said of the trouble: the first error or warning about the library, otherwise the first
// error, otherwise the first warning; nothing where it said nothing.
func complaint(messages []loaderlog.Message, library string) loaderlog.Message {
	for _, which := range []func(loaderlog.Message) bool{
		func(m loaderlog.Message) bool { return library != "" && m.Library == library },
		func(m loaderlog.Message) bool { return m.Severity == loaderlog.Error },
		func(m loaderlog.Message) bool { return m.Severity == loaderlog.Warning },
	} {
		if at := slices.IndexFunc(messages, which); at >= 0 {
			return messages[at]
		}
	}
	return loaderlog.Message{}
}
