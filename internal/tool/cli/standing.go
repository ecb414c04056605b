package cli

import (
	"fmt"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/doctor"
)

// gotten describes the drivers or layers of programs for the first screen.
type gotten struct {
	names   []string // usable ones
	lost    []string // sentences about drivers or layers that do not work
	foreign int      // the number for programs of another word size
	idle    int      // the number of faulty drivers for absent devices
}

// usable sorts the drivers and layers of a report by their use for programs.
func usable(report *doctor.Report, in []explain.Item) (ofDrivers, ofLayers gotten) {
	for i := range in {
		e, list, modules := &in[i], &ofDrivers, report.Drivers
		if e.Kind != explain.Drivers.One {
			list, modules = &ofLayers, report.Layers
		}
		of := standing.Standing{}
		for _, m := range modules {
			if m.Manifest == e.Manifest && m.Name == e.Name {
				of = m.Standing
			}
		}
		switch {
		case of.Lost():
			list.lost = append(list.lost, e.Name+": "+of.String())
		case of.Fault == standing.FaultForeign:
			list.foreign++
		case of.Harmless:
			list.idle++
		default:
			list.names = append(list.names, e.Name)
		}
	}
	return ofDrivers, ofLayers
}

// rest describes the unusable drivers or layers.
func (g *gotten) rest() (list []string) {
	list = append(list, g.lost...)
	if g.foreign > 0 {
		list = append(list, fmt.Sprintf("%d for other programs", g.foreign))
	}
	if g.idle > 0 {
		list = append(list, fmt.Sprintf("%d without a device here", g.idle))
	}
	return list
}
