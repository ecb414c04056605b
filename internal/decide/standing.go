package decide

import (
	"slices"
	"sync"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/standing"
)

// Standing is the stage that a driver or layer reaches on its way into a program, and what keeps it from the next one.
type Standing = standing.Standing

// Standings judges the drivers and layers of a decision by their files, each one once. It loads none.
type Standings struct {
	machine *machine.Machine
	source  *machine.Source
	linker  *binary.Linker
	made    *plan.Answer
	devices func() []*drivers.GPU // the machine's, which are read once
	drivers map[string]*manifest.Driver
	layers  map[explain.ItemKey]*manifest.Layer
	active  map[*manifest.Layer]bool
	known   map[explain.ItemKey]Standing
	works   map[*manifest.Driver]bool // whether a driver can be loaded
	only    string                    // the kind to judge, explain.Drivers.One or explain.Layers.One; "": both

	// SoftwareOut returns the manifest of a software renderer that VK_LOADER_DRIVERS_DISABLE excludes if programs get
	// no device without it; "" otherwise.
	SoftwareOut func() string
}

// StandingsOf returns the standings of a decision for a source's program. linker is the program's; nil: a new one.
func StandingsOf(source *machine.Source, linker *binary.Linker, made *plan.Answer) *Standings {
	if linker == nil {
		linker = loaders.Linker(source)
	}
	s := &Standings{machine: &source.Machine, source: source, linker: linker, made: made,
		drivers: map[string]*manifest.Driver{},
		layers:  map[explain.ItemKey]*manifest.Layer{}, active: map[*manifest.Layer]bool{},
		works: map[*manifest.Driver]bool{}, known: map[explain.ItemKey]Standing{}}
	s.devices = sync.OnceValue(func() []*drivers.GPU { return drivers.GPUs(s.machine) })
	s.SoftwareOut = sync.OnceValue(s.excludedSoftware)
	for _, d := range slices.Backward(made.Drivers) {
		s.drivers[d.Path] = d
	}
	for _, l := range slices.Backward(made.Layers) {
		s.layers[explain.LayerKey(l)] = l
	}
	for _, l := range explain.Active(made) {
		s.active[l] = true
	}
	return s
}

// driver returns the standing of a driver that the rules choose.
func (s *Standings) driver(d *manifest.Driver) Standing {
	if len(d.Files) > 0 || !machine.ELF { // the service has the library
		return Standing{Stage: standing.Chosen}
	}
	of := drivers.Judged(s.machine, s.linker, d.Library, drivers.DriverInterface).StandingOf(true, standing.FaultDriver)
	of.Harmless = of.Harmless || of.But != "" && s.isAbsent(d)
	return of
}

// layer returns the standing of a layer. A meta-layer has no library.
func (s *Standings) layer(l *manifest.Layer) Standing {
	used := s.active[l]
	switch {
	case used && (l.Meta || !machine.ELF):
		return Standing{Stage: standing.Chosen}
	case l.Meta || !machine.ELF:
		return Standing{Stage: standing.NotChosen}
	}
	of := drivers.Judged(s.machine, s.linker, l.Library,
		drivers.LayerInterface(l.Negotiate, l.GetInstance)).StandingOf(used, standing.FaultLayer)
	of.Harmless = of.Harmless || of.But != "" && s.machine.Exists("/sys/class") &&
		DeviceAbsent(drivers.Of(l.Library), s.devices())
	return of
}

// Standing returns the standing of a driver or layer by its key. A driver that the rules leave out is not chosen: the
// decision does not contain its library.
func (s *Standings) Standing(key explain.ItemKey) Standing {
	of, known := s.known[key]
	if known {
		return of
	}
	of = Standing{Stage: standing.NotChosen}
	kind := explain.Layers.One
	if key.Layer == "" {
		kind = explain.Drivers.One
	}
	if s.only != "" && s.only != kind {
		return of
	}
	if d := s.drivers[key.Manifest]; d != nil && key.Layer == "" {
		of = s.driver(d)
	} else if l := s.layers[key]; l != nil {
		of = s.layer(l)
	}
	s.known[key] = of
	return of
}

// setStandings writes its standing into each item that has a manifest.
func (s *Standings) setStandings(lists ...[]explain.Item) {
	for _, list := range lists {
		for i := range list {
			if list[i].Manifest != "" {
				list[i].Standing = s.Standing(list[i].Key())
			}
		}
	}
}

// isAbsent reports whether a driver serves only devices that this machine lacks, while another driver has a device
// here.
func (s *Standings) isAbsent(d *manifest.Driver) bool {
	if !DeviceAbsent(drivers.Of(d.Library), s.devices()) {
		return false
	}
	return slices.ContainsFunc(s.made.Drivers, func(other *manifest.Driver) bool {
		family := drivers.Of(other.Library)
		return family != nil && s.serves(family) && s.canLoad(other)
	})
}

// DeviceAbsent reports whether none of a machine's devices is one of a driver's family. Software renderers and unknown
// drivers have no device of their own.
func DeviceAbsent(family *drivers.Family, present []*drivers.GPU) bool {
	return family != nil && !family.Software() && !slices.ContainsFunc(present, func(g *drivers.GPU) bool {
		return family.MayServe(g.Kernel, g.Vendor)
	})
}
