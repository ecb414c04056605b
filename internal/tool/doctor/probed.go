package doctor

import (
	"path"
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
)

// ToProbe are the drivers and layers that a program gets which asks for nothing, each with the changes of the
// environment under which it is the only one: pairs of a variable and its value, "" for none.
func (r *Report) ToProbe() (drivers, layers []Alone) {
	for _, d := range r.Answer.Drivers {
		drivers = append(drivers, Alone{Library: d.Library,
			Probe: Probe{Kind: "driver", Name: path.Base(d.Path), Manifest: d.Path},
			Variables: [][2]string{{variables.DriverFiles.Name(), d.Path}, {variables.LayersDisable.Name(), "~all~"},
				{variables.LayersAllow.Name(), ""}, {variables.LayersEnable.Name(), ""}, {variables.InstanceLayers.Name(), ""},
				{variables.DriversSelect.Name(), ""}, {variables.DriversDisable.Name(), ""},
				{variables.DeviceIDFilter.Name(), ""}, {variables.VendorIDFilter.Name(), ""},
				{variables.DriverIDFilter.Name(), ""}}})
	}
	for _, a := range r.Answer.Active {
		if l := r.Answer.Layers[a.Layer]; !l.Meta {
			layers = append(layers, Alone{Library: l.Library, layer: l,
				Probe: Probe{Kind: "layer", Name: l.Name, Manifest: l.Manifest},
				Variables: [][2]string{{variables.LayersDisable.Name(), "~all~"}, {variables.LayersAllow.Name(), l.Name},
					{variables.LayersEnable.Name(), l.Name}}})
		}
	}
	return drivers, layers
}

// Alone is a driver or layer to be probed by itself.
type Alone struct {
	Probe
	Library   string // as the manifest names it
	Variables [][2]string
	layer     *manifest.Layer
}

// Probed enters what became of it, and what is wrong with that.
func (r *Report) Probed(a *Alone) {
	r.Probes = append(r.Probes, a.Probe)
	codes := map[string]Code{ProbeCrashes: DriverCrashes, ProbeHangs: DriverHangs, ProbeFails: DriverFails,
		ProbeNoDevice: DriverNoDevice}
	do := "export " + variables.DriversDisable.Name() + "=" + a.Name
	if a.Kind == "layer" {
		codes = map[string]Code{ProbeCrashes: LayerCrashes, ProbeHangs: LayerHangs, ProbeFails: LayerFails}
		do = "export " + variables.LayersDisable.Name() + "=" + a.Name
		if a.layer.Implicit && a.layer.DisableName != "" {
			do = "export " + a.layer.DisableName + "=1"
		}
	}
	code, wrong := codes[a.Result]
	if !wrong {
		return
	}
	what := a.Detail
	if a.Said != "" {
		what += "; the loader says: " + a.Said
	}
	if code == DriverNoDevice {
		do = ""
	}
	f := r.found(code, a.Name, a.Manifest, what, do)
	wanted := slices.ContainsFunc(r.GPUs, func(g GPU) bool { return slices.Contains(g.Drivers, a.Manifest) })
	if code == DriverNoDevice && wanted {
		f.Severity = diag.Problem.String()
		f.Do = "Update the driver, which may be older than the device; a device may also be too old for Vulkan."
	}
}
