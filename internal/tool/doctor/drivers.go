package doctor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/cure"
	"vkloader/internal/tool/term"
)

// nvidiaVersions compares NVIDIA's module in the kernel with its libraries: they work only when of one version.
func (e *exam) nvidiaVersions() {
	kernel := nvidiaVersion(e.text("/proc/driver/nvidia/version"))
	if kernel == "" {
		return
	}
	for _, m := range e.Drivers {
		f := familyOf(m.Library)
		if f == nil || f.name != "NVIDIA" || m.File == "" {
			continue
		}
		_, version, ok := strings.Cut(path.Base(m.File), ".so.")
		if !ok || !strings.Contains(version, ".") || version == kernel {
			continue
		}
		do := ""
		if e.kind("flatpak") != "" {
			do = "Run outside: flatpak install org.freedesktop.Platform.GL.nvidia-" + strings.ReplaceAll(kernel, ".", "-")
		} else if len(e.Sandboxes) > 0 {
			do = "Start the container again, with the driver's libraries of the host: --gpus all, or nvidia-ctk cdi " +
				"generate first"
		}
		e.found(NvidiaVersion, m.Name, m.File, "the kernel's module is "+kernel+", the library is "+version, do)
	}
}

// nvidiaVersion finds the number in /proc/driver/nvidia/version: the first word that begins with a digit and has a dot.
func nvidiaVersion(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	for _, word := range strings.Fields(first) {
		if word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word
		}
	}
	return ""
}

// idle names the drivers that every program loads and that have no device here.
func (e *exam) idle() {
	var names []string
	for _, m := range e.Drivers {
		f := familyOf(m.Library)
		if !m.Good || f == nil || f.software() {
			continue
		}
		if !slices.ContainsFunc(e.gpus, func(g *GPU) bool { return slices.Contains(g.Drivers, m.Manifest) }) {
			names = append(names, m.Name)
		}
	}
	if len(names) > 0 {
		e.found(DriverIdle, strings.Join(names, ", "), "", "no device is here for "+term.Count(len(names), "driver")+
			" that every program loads at its start", "").offer("For a program that starts too slowly: ",
			cure.Add(e.source, variables.DriversDisable, names...)...)
	}
}

// rivals says when two drivers list the same device.
func (e *exam) rivals() {
	for _, g := range e.gpus {
		var first *Module
		for i := range e.Drivers {
			m := &e.Drivers[i]
			f := familyOf(m.Library)
			if f == nil || f.name == "HASVK (Mesa)" || !slices.Contains(g.Drivers, m.Manifest) { // other devices than ANV
				continue
			}
			if first == nil {
				first = m
				continue
			}
			if first.File != m.File { // otherwise it is one library, and said already
				e.found(DeviceTwice, g.Title(), m.Manifest, first.Manifest+" and "+m.Manifest+" are both for it", "").offer("",
					append(cure.Add(e.source, variables.DriversDisable, m.Name), cure.Add(e.source, variables.DriversDisable, first.Name)...)...)
			}
		}
	}
}

// fallback says what programs get when no device is served: the processor, or nothing.
func (e *exam) fallback() {
	var software, unknown []string
	good := 0
	for _, m := range e.Drivers {
		f := familyOf(m.Library)
		switch {
		case !m.Good:
			continue
		case f == nil:
			unknown = append(unknown, m.Name)
		case f.software():
			software = append(software, m.Name)
		}
		good++
	}
	served := slices.ContainsFunc(e.gpus, func(g *GPU) bool {
		return len(g.Drivers) > 0 && e.refused(g) == "" && len(g.Nodes) > 0
	})
	wanted := slices.ContainsFunc(e.gpus, func(g *GPU) bool { return !g.displayOnly() })
	switch {
	case good == 0:
		e.withoutDriver()
	case len(software) > 0 && !served && len(unknown) == 0:
		found := e.found(SoftwareOnly, software[0], "", "no graphics device is served: programs compute on the processor", "")
		if !wanted {
			found.soften(diag.Note)
			found.Do = "Nothing, as long as this machine has no graphics device."
		}
	}
}

// withoutDriver says that programs find no driver at all.
func (e *exam) withoutDriver() {
	what := "no driver manifest is in any of the directories that are searched"
	switch n := len(e.Drivers); {
	case n == 1:
		what = "the only driver cannot be loaded"
	case n > 1:
		what = "none of " + term.Count(n, "driver") + " can be loaded"
	}
	do := ""
	replace := ""
	other := !slices.ContainsFunc(e.Drivers, func(m Module) bool { return m.Class == 0 || m.Class == e.class })
	if hidden := e.outFor(diag.DriverPortability); len(e.Drivers) == 0 && hidden > 0 {
		what = term.Count(hidden, "driver") + " found, each for a device that is not wholly Vulkan: only programs that ask for " +
			"such get it"
		do = diag.DriverPortability.Entry().Do
	} else if out := e.outFor(diag.DriverDisabled) + e.outFor(diag.DriverNotSelected); len(e.Drivers) == 0 && out > 0 {
		what = term.Count(out, "driver") + " found, each switched off by a variable"
		do = "See which: vkloader env"
	} else if other {
		if len(e.Drivers) > 0 || e.class != ProcessClass {
			what = fmt.Sprintf("this is a %d-bit program, and there is no %d-bit driver", e.class, e.class)
		}
		do = e.system.install(familyFor("amdgpu"))
		for _, g := range e.gpus {
			if f := familyFor(g.Kernel); f != nil {
				do = e.system.install(f)
			}
		}
		for _, f := range e.Findings {
			if f.Code == GPUNoDriver.String() {
				do = f.Do
			}
		}
		if replace = e.replaced(); replace != "" && len(e.Drivers) == 0 {
			what = "no driver manifest is where " + replace + " says"
			do = "Correct " + replace + "."
		}
	}
	found := e.found(NoDriver, "vkCreateInstance", "", what+": it fails with VK_ERROR_INCOMPATIBLE_DRIVER", do)
	if replace != "" {
		e.unsetting(found, replace)
	}
}

// outFor counts the drivers that are out for a reason.
func (e *exam) outFor(code diag.Code) (n int) {
	for i := range e.plan.Findings {
		if e.plan.Findings[i].Code == code {
			n++
		}
	}
	return n
}

// absent makes what is wrong with drivers for hardware that is not here notes, when a device here is served: a leftover
// of another card, which the loader skips.
func (e *exam) absent() {
	served := slices.ContainsFunc(e.gpus, func(g *GPU) bool { return len(g.Drivers) > 0 && len(g.Nodes) > 0 })
	for i := range e.Findings {
		f := &e.Findings[i]
		at := slices.IndexFunc(e.Drivers, func(m Module) bool { return m.Manifest == f.Path && !m.Good })
		if !served || at < 0 || !strings.HasPrefix(f.Code, "library-") && f.Code != DriverInterface.String() {
			continue
		}
		family := familyOf(e.Drivers[at].Library)
		if family == nil || family.software() || slices.ContainsFunc(e.gpus, func(g *GPU) bool {
			return slices.Contains(family.kernel, g.Kernel) || g.Kernel == "" || g.Vendor == "0x10de" && family.name == "NVIDIA"
		}) {
			continue
		}
		f.soften(diag.Note)
		f.Why = "It is a leftover of a device that is not here: the loader skips it."
		f.Do = "Nothing; it does no harm."
	}
}

// replaced is the variable that replaces the search for drivers.
func (e *exam) replaced() string {
	for _, id := range []variables.ID{variables.DriverFiles, variables.ICDFilenames} {
		if e.source.Var(id.Name(), id.Secure()).Set {
			return id.Name()
		}
	}
	return ""
}
