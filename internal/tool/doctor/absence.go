package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
)

// The findings for a machine that has no Vulkan and, as far as the tool can see, needs none.
const (
	withLoader    sentence = "no driver is installed, and no graphics device was found"
	withoutLoader sentence = "neither a loader nor a driver is installed, and no graphics device was found"
)

// absence replaces the findings about missing drivers and loaders by one note when nothing on the machine needs Vulkan:
// there is no manifest, no variable names one, and no device expects a driver. A container always needs it.
func (e *exam) absence() {
	if len(e.Sandboxes)+len(e.plan.Layers) > 0 || slices.ContainsFunc(e.gpus, e.expects) || e.anyManifest() {
		return
	}
	// A package may have lost its driver manifest, or the manifest may be in a directory outside the search.
	if _, gone := e.uninstalled(e.usualDriver()); gone != "" || slices.ContainsFunc(e.left(), func(k keptOut) bool { return k.unsearched() }) {
		return
	}
	asked := false
	variables.Each(func(id variables.ID) {
		asked = asked || strings.HasPrefix(id.Name(), "VK_") && e.source.Var(id.Name(), id.Secure()).Value != ""
	})
	missing := []Kind{NoDriver, LoaderMissing, diag.DriverNone}
	if asked || slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return f.Severity == diag.Problem && !slices.Contains(missing, f.Code)
	}) {
		return
	}
	e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool { return slices.Contains(missing, f.Code) })
	var do advice
	if m := e.system.manager(); m != nil && m.loader != "" {
		software := drivers.Of("libvulkan_lvp.so")
		if name := software.Packages[m.id]; name != "" {
			do = e.system.choose(m.loader, name)
		}
	}
	what := withoutLoader
	if len(e.Loaders) > 0 {
		what = withLoader
	}
	e.found(NotInstalled, "Vulkan", "", what, do)
}

// anyManifest reports whether a searched place has a driver manifest, valid or not, or is a directory that the user may not
// read.
func (e *exam) anyManifest() bool {
	return len(e.Drivers) > 0 || e.elsewhere() != "" || slices.ContainsFunc(e.plan.Searched[search.Drivers].List, func(l search.Location) bool {
		return l.File || len(e.source.Directory(l.Path).Names) > 0 || e.closedAt(l.Path) != ""
	})
}
