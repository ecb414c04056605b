package doctor

import (
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/probe"
)

// PlaceFor is a place for probes with the loader that the program gets, so that what only that loader does is seen. It is the
// tool's own library where the program gets none, where the child cannot open it because the program has a C library of its own,
// and on another machine.
func (r *Report) PlaceFor(own probe.Place) probe.Place {
	r.own = own
	l := r.Loader
	if l == nil || l.Ours() || r.ownLinker || r.source.Foreign() || r.WordSize() != ProcessClass {
		return own
	}
	at := own
	at.Library = l.File
	return at
}

// probeThrough probes one with a loader. What fails with another one is tried with the tool's own as well.
func (r *Report) probeThrough(at probe.Place, environ []string, a *alone, limit time.Duration) error {
	a.Variables = append(a.Variables, r.forOldLoader(at, a)...)
	if err := r.probeOne(at, environ, a, limit); err != nil {
		return err
	}
	if at.Library == r.own.Library || r.own.Library == "" || a.Result == ProbeOK || a.Result == ProbeNoDevice {
		return nil
	}
	again := *a
	if err := r.probeOne(r.own, environ, &again, limit); err != nil {
		return err
	}
	if again.Result == ProbeOK || again.Result == ProbeNoDevice {
		a.Only = r.Loader.Short()
	}
	return nil
}

// forOldLoader are changes of the environment that do for a loader what it has no newer variable for: the older name of the
// list of drivers, and the disable variables of the other implicit layers.
func (r *Report) forOldLoader(at probe.Place, a *alone) (list [][2]string) {
	if at.Library == r.own.Library || r.Loader == nil {
		return nil
	}
	if r.Loader.Has(variables.DriverFiles.Name()) != loaders.Yes {
		for _, v := range a.Variables {
			if v[0] == variables.DriverFiles.Name() {
				list = append(list, [2]string{variables.ICDFilenames.Name(), v[1]})
			}
		}
	}
	if r.Loader.Has(variables.LayersDisable.Name()) == loaders.Yes {
		return list
	}
	for _, active := range r.Answer.Active {
		if l := r.Answer.Layers[active.Layer]; l.Implicit && l.DisableName != "" && (a.layer == nil || l.Name != a.layer.Name) {
			list = append(list, [2]string{l.DisableName, "1"})
		}
	}
	return list
}

// onlyThere says that a fault is one with the program's loader alone.
func onlyThere(detail, version string) string {
	if version == "" {
		return detail
	}
	return detail + "; so it is with the loader that programs get, " + version + ", and not with this one"
}
