package doctor

import (
	"context"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// systemFiles adds a finding if a file system of the kernel that drivers read is missing.
func (e *exam) systemFiles() {
	if e.machine.Foreign() || machine.Style.Separator() != '/' {
		return
	}
	for _, one := range []struct{ place, sign string }{{"/proc", "/proc/self/stat"}, {"/sys", "/sys/class"}} {
		if !e.machine.Exists(one.sign) {
			do := e.system.by("mount", with("directory", one.place, "type", term.Either(one.place == "/sys", "sysfs", "proc")))
			e.add(SystemFiles, one.place, one.place, textf("%s is not mounted", one.place), do)
		}
	}
}

// missingFilesText returns the beginning of the verdict if a file system of the kernel is missing.
func (r *Report) missingFilesText() string {
	var missing []string
	for f := range each(r.Findings) {
		if f.Code == SystemFiles && f.Severity == diag.Problem {
			missing = append(missing, f.Subject)
		}
	}
	is := term.Either(len(missing) == 1, " is", " are")
	return term.Enclosed("", strings.Join(missing, " and "), is+" not mounted: unknown devices")
}

// dropCovered removes the finding that a device has no driver if a tried driver lists the device. The name of the driver's file does not count.
func (e *evidence) dropCovered() {
	for g := range each(e.GPUs) {
		for a := range each(e.alone) {
			if a.saw == nil || a.Result != ProbeOK || !slices.ContainsFunc(a.saw.Devices, g.is) {
				continue
			}
			if !slices.Contains(g.Drivers, a.Manifest) {
				g.Drivers = append(slices.Clip(g.Drivers), a.Manifest)
			}
			e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool {
				return f.Code == GPUNoDriver && f.device == g.Name || f.Code == SoftwareOnly
			})
		}
	}
}

// is reports whether a driver's device is this one: by its address, or by its numbers.
func (g *GPU) is(d probe.Device) bool {
	if address, ok := drivers.PCIAddress(g.Name); ok && d.PCI != "" {
		return d.PCI == address
	}
	return drivers.PCINumber(g.Vendor) == d.VendorID && drivers.PCINumber(g.Device) == d.DeviceID && d.DeviceID != 0
}

// deviceless adds a finding if no installed driver has a device here, and there is no software renderer.
func (e *exam) deviceless() {
	software := drivers.Of("libvulkan_lvp.so")
	p, gone := e.missingManifest(software)
	do := e.system.install(software, p != nil)
	if gone != "" {
		do = e.system.again(p.Name, gone)
	}
	e.add(NoDevice, "Vulkan", "", sentence("no driver is for a device of this machine, and there is no software renderer"), do)
}

// settingsBlame repeats a failed run without the settings file, and reports whether the file is the cause.
func (t *trying) settingsBlame(ctx context.Context, e *evidence) (bool, error) {
	if e.source.Foreign() || !explain.TriesSettings || t.scene.Answer.Settings == nil {
		return false, nil
	}
	found, err := settings.Look(e.source)
	if err != nil || found.InForce() == nil {
		return false, nil // a file that cannot be read has a finding
	}
	environ, _ := t.scene.Without(e.out)
	environ, remove, err := explain.ShadowSettings(environ, emptySettings)
	if err != nil {
		return false, nil // this system cannot try settings
	}
	defer remove()
	again, err := t.child(ctx, environ, t.patience)
	if err != nil || again.Outcome != probe.Fine || len(again.Devices) == 0 {
		return false, err
	}
	all := newTogether()
	all.enter(e.all)
	e.Probes = append(e.Probes, all)
	file := found.InForce().Path
	by := term.Either(t.scene.Answer.Settings.HasDevices, " by its device_configurations", "")
	do := newAdvice("Correct device_configurations in " + file + ", with the program that wrote it, usually vkconfig, or remove them.")
	if found.InForce().Ours {
		do = shellAdvice("Choose the device again: vkloader settings set --device DEVICE; or end the choice: ", "vkloader settings clear")
	}
	e.add(SettingsHide, machine.Style.Base(file), file, textf("with %s, programs get no device%s (%s); without it, they do", file, by, all.Detail), do)
	return true, nil
}

// trialEnviron returns an environment for drivers alone. Active device configurations disable the variables that select a
// driver, so the child gets no settings file.
func (t *trying) trialEnviron(source *machine.Source) (environ []string, remove func()) {
	if made := t.scene.Answer.Settings; made != nil && made.HasDevices && !source.Foreign() && explain.TriesSettings {
		if environ, remove, err := explain.ShadowSettings(t.Environ, emptySettings); err == nil {
			return environ, remove
		}
	}
	return t.Environ, func() {}
}

// emptySettings is a settings file that changes nothing.
const emptySettings = `{"file_format_version":"1.0.0","settings":{}}`

// overflowID is the number that the kernel shows for a user or group of the host that is not mapped into the container.
const overflowID = 65534
