package doctor

import (
	"cmp"
	"fmt"
	"slices"

	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
)

// PCLibrary examines the library of one manifest on Windows, for programs of the library's word size: whether Windows finds it,
// with its dependencies, and whether it exports the required functions.
func PCLibrary(pc PC, named Named) (Module, []Finding) {
	e := &pcExam{pc: pc, changes: map[pcKey][]pcChange{}, Report: newReport(pc.Title()), plan: &plan.Answer{Style: pathname.Backslash}}
	if l := e.read(e.place(named.Library)); l != nil {
		for _, bits := range pc.Views() {
			if l.Class == classOf(bits) && l.Class != classOf(pc.WordSize()) {
				e.pc = pc.Seen(bits)
			}
		}
	}
	m := Module{Name: named.Name, Manifest: named.Manifest, Library: named.Library, Used: true}
	if named.Layer {
		m = e.module(m, LayerInterface, cmp.Or(named.Negotiate, "vkNegotiateLoaderLayerInterfaceVersion"),
			cmp.Or(named.GetInstance, "vkGetInstanceProcAddr"))
	} else {
		m = e.module(m, DriverInterface, driverFunctions...)
	}
	e.Order()
	return m, slices.Clone(e.Findings)
}

// PCObstacle returns why the loader does not open a manifest's library in programs of a PC's word size; "" if it does.
func PCObstacle(pc PC, library string) string {
	e := &pcExam{pc: pc, plan: &plan.Answer{Style: pathname.Backslash}}
	file := e.place(library)
	if file == "" {
		return "its library is missing: the loader does not find " + library
	}
	switch l := e.read(file); {
	case l == nil:
		return "its library cannot be loaded: " + fmt.Sprintf(noLibrary, file)
	case l.Class != classOf(pc.WordSize()):
		return "its library cannot be loaded: " + fmt.Sprintf(otherBits, file, l.Class, pc.WordSize())
	}
	return ""
}
