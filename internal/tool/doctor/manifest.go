package doctor

import (
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
)

// Named is a library that a manifest names, and the functions that it has to export.
type Named struct {
	Name     string // of the driver or layer
	Manifest string
	Library  string // as given to dlopen
	Layer    bool
	// Of a layer: names of its functions that differ from the usual ones.
	Negotiate, GetInstance string
}

// Library examines the library of one manifest, for programs of the library's own word size: whether it is there, can be
// loaded with all that it needs, and exports what it has to.
func Library(source *machine.Source, named Named) (Module, []Finding) {
	classes := []int{ProcessClass}
	if ProcessClass == 64 {
		classes = append(classes, 32)
	}
	var best *exam
	var module Module
	for _, class := range classes {
		e := &exam{Report: &Report{source: source, Findings: []Finding{}}, machine: &source.Machine, source: source, class: class,
			options: Options{packages: newPackages(), known: loaders.Known{}}}
		e.linker = binary.NewLinker(e.machine, binary.LinkerOptions{Class: class, Machine: binary.Processor(e.class)})
		e.system = systemFor(e.machine, class)
		m := Module{Name: named.Name, Manifest: named.Manifest, Library: named.Library, Used: true}
		if named.Layer {
			e.module(&m, drivers.LayerInterface(named.Negotiate, named.GetInstance), LayerInterface)
		} else {
			e.module(&m, drivers.DriverInterface, DriverInterface)
		}
		e.Order()
		if best == nil || m.Class == class { // a library for the other word size is judged for that
			best, module = e, m
		}
		if m.Class == class {
			break
		}
	}
	return module, best.Findings
}
