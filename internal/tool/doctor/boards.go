package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
)

// addMakersDevice adds a finding for a device with its maker's own kernel driver, and reports whether it has that.
func (e *exam) addMakersDevice(g *GPU) bool {
	maker := drivers.MakersKernel(g.Kernel)
	if maker == "" {
		return false
	}
	if slices.ContainsFunc(e.Drivers, func(m Entry) bool { return m.Good && drivers.Of(m.Library) == nil }) {
		return true
	}
	what := textf("its kernel driver is %s, the own one of %s, and no Vulkan driver of %s is installed", g.Kernel, maker, maker)
	do := "Install the Vulkan driver of " + maker + " that the maker of the board offers"
	for _, f := range drivers.Families() {
		if c := e.chip(g); c != nil && c.Driver == f.Name {
			do += ", or a kernel with " + strings.Join(f.Kernel, " or ") + ", which Mesa's " + strings.TrimSuffix(f.Name, " (Mesa)") + " needs"
		}
	}
	e.add(GPUNoDriver, g.Title(), "", what, newAdvice(do+".").withObstacle(ofPackage), e.perhapsNone())
	return true
}

// perhapsNone returns the loss by a device that may have no Vulkan driver at all: little if others have it.
func (e *exam) perhapsNone() loss {
	if !slices.ContainsFunc(e.Drivers, func(m Entry) bool { return m.Good }) ||
		slices.ContainsFunc(e.Drivers, func(m Entry) bool {
			f := drivers.Of(m.Library)
			return m.Good && (f == nil || f.Software())
		}) || contains(e.GPUs, func(g *GPU) bool { return len(g.Drivers) > 0 }) {
		return little
	}
	return usual
}

// raspberry adds a finding for a Raspberry Pi 4 or 5 whose configuration does not enable the graphics device.
func (e *exam) raspberry() {
	model := strings.TrimRight(e.text("/proc/device-tree/model"), "\x00")
	with := slices.ContainsFunc([]string{"Raspberry Pi 4", "Raspberry Pi 5", "Raspberry Pi Compute Module 4", "Raspberry Pi Compute Module 5"},
		func(name string) bool { return strings.HasPrefix(model, name) })
	isIt := func(g *GPU) bool { return g.Kernel == "v3d" || strings.HasSuffix(g.Name, ".v3d") }
	if !with || e.containerKind() != "" || contains(e.GPUs, isIt) {
		return
	}
	file := "/boot/firmware/config.txt"
	if !e.machine.Exists(file) {
		file = "/boot/config.txt"
	}
	enabled := func(line string) bool {
		overlay, is := strings.CutPrefix(strings.TrimSpace(line), "dtoverlay=vc4-")
		return is && strings.Contains(overlay, "kms-v3d")
	}
	text := e.whole(file)
	if text == "" || !e.machine.Exists("/sys/class") || slices.ContainsFunc(strings.Split(text, "\n"), enabled) {
		return
	}
	e.add(GPUNoKernelDriver, model, file, textf("%s does not enable its graphics device", file),
		newAdvice("Write dtoverlay=vc4-kms-v3d into "+file+", without another line for vc4, and restart the machine.").withObstacle(restarted), e.perhapsNone())
}

// The variables without which an unfinished driver of Mesa lists no device.
const (
	brokenPanVK   = "PAN_I_WANT_A_BROKEN_VULKAN_DRIVER"
	brokenPowerVR = "PVR_I_WANT_A_BROKEN_VULKAN_DRIVER"
)

// addUnfinished adds a finding for a device that its driver of Mesa lists only with a variable, which is not set. Such a driver of PowerVR
// contains the variable's name.
func (e *exam) addUnfinished(g *GPU) {
	bifrost := drivers.ChipByCompatible("arm,mali-bifrost")
	for m := range each(e.Drivers) {
		f := drivers.Of(m.Library)
		if f == nil || !slices.Contains(g.Drivers, m.Manifest) {
			continue
		}
		variable := ""
		switch {
		case f.Name == "PanVK (Mesa)" && e.chip(g) == bifrost:
			variable = brokenPanVK
		case f.Name == "PowerVR (Mesa)":
			if data, err := e.machine.ReadLarge(m.File); err == nil && strings.Contains(string(data), brokenPowerVR) {
				variable = brokenPowerVR
			}
		}
		if variable != "" && e.variable(variable) == "" {
			e.add(GPUUnfinished, g.Title(), m.Manifest, textf("%s is not finished for it, and lists it only with %s=1",
				strings.TrimSuffix(f.Name, " (Mesa)"), variable), nil).
				offer(fixing, explain.SetVariable(variable, "1"))
		}
	}
}
