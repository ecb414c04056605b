package doctor

import (
	"context"
	"slices"
	"strings"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// blame searches for the variables without which a driver that fails alone, or lists no device although its device is present, works. Any
// variable of drivers, libraries and the dynamic linker can be one.
func (t *trying) blame(ctx context.Context, e *evidence, a *alone) error {
	present := slices.ContainsFunc(e.GPUs, func(g GPU) bool { return slices.Contains(g.Drivers, a.Manifest) })
	if _, wrong := trialCodes(a.Kind)[a.Result]; !wrong || a.Result == ProbeNoDevice && !present {
		return nil
	}
	var suspects []run.Suspect
	for _, pair := range t.Environ {
		if name, value, _ := strings.Cut(pair, "="); spawn.IsForDrivers(name) && value != "" {
			suspects = append(suspects, run.Suspect{Kind: run.Variable, Name: name, Value: value})
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	found, err := run.FindCulprit(func(without []run.Suspect) (_ *run.Seen, err error) {
		saw, environ := a.saw, withChanges(t.Environ, a.Variables)
		for _, s := range without {
			environ = machine.WithoutVariable(environ, s.Name)
		}
		if len(without) > 0 {
			if saw, err = t.child(ctx, environ, t.Limit); err != nil {
				return nil, err
			}
		}
		messages, err := t.actingMessages(t.at, environ, saw)
		good := saw.Outcome == probe.Fine && len(saw.Devices) > 0 || a.Result != ProbeNoDevice && listsNoDevice(saw, messages)
		return &run.Seen{Good: good, Stopped: saw.Outcome == probe.Cut, What: saw.Problem}, err
	}, func(*run.Seen) *run.Suspects { return &run.Suspects{Variables: suspects} })
	if err == nil && found.Result == run.FoundCulprit {
		a.blamed = found.Culprits
	}
	return err
}

// lacks returns the devices that a driver lists alone, and that the run of all drivers and layers does not list.
func (e *evidence) lacks(all *probe.Result) (list []probe.Device) {
	if s := e.Answer.Settings; s != nil && s.HasDevices {
		return nil // the user's choice
	}
	for _, a := range e.alone {
		if a.Result != ProbeOK || a.saw == nil {
			continue
		}
		for _, d := range a.saw.Devices {
			same := func(o probe.Device) bool {
				return o.VendorID == d.VendorID && o.DeviceID == d.DeviceID && (o.PCI == "" || d.PCI == "" || o.PCI == d.PCI)
			}
			if !slices.ContainsFunc(all.Devices, same) {
				list = append(list, d)
			}
		}
	}
	return list
}

// addExcluded adds findings about devices that the run of all drivers and layers lacks because of a variable or layer.
func (e *evidence) addExcluded(culprits []run.Suspect, devices []probe.Device) {
	place := examOf(&e.Report, e.source)
	for _, c := range culprits {
		code, subject, change := GPULeftOut, c.Name, explain.UnsetVariable(c.Name)
		if c.Kind == run.Variable {
			subject += "=" + c.Value + term.Enclosed("", place.setterText(c.Name), ",")
		} else if l := explain.Layer(e.Answer, c.Name, c.Manifest); l != nil {
			code, subject, change = GPUMissing, "the layer "+c.Name, e.leaveOut(l)[0]
		}
		for _, d := range devices {
			what := textf("its driver works, and %s excludes it from the list of devices", subject)
			found := e.add(code, d.Name, c.Manifest, what, place.place([]*Remedy{{change: &change, aim: fixing}}))
			found.missing = true
			if at := slices.IndexFunc(e.GPUs, func(g GPU) bool { return g.is(d) }); at >= 0 {
				found.device = e.GPUs[at].Name
			}
		}
	}
}
