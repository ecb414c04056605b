package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/term"
)

// addPoorDevices adds a finding for each listed device that many programs ignore or do not work with: its driver has
// passed no conformance test, or says that it is incomplete (VocaHQ/vocalinux issue 220), or offers it Vulkan 1.0 and
// others more (ValveSoftware/Proton issue 3963).
func (e *evidence) addPoorDevices() {
	for _, d := range e.Devices {
		from := e.driverOf(d)
		old := d.APIVersion >= vk.V1_0 && d.APIVersion < vk.V1_1
		switch {
		case d.Type == vk.CPU:
		case old && from != nil && from.of.Driver.API >= uint32(vk.V1_1):
			e.add(DeviceOldVersion, d.Name, from.Manifest,
				textf("its driver offers it Vulkan %s, and up to %s to others", d.APIVersion,
					vk.Version(from.of.Driver.API)), nil).missing = true
		case from != nil && strings.Contains(strings.Join(from.Wrote, "\n"), isIncomplete):
			found := e.add(DeviceNotConformant, d.Name, from.Manifest, sentence("its driver writes: "+from.line()),
				advice("incomplete-driver"))
			found.Why, found.missing = "Many programs need features or extensions that an incomplete driver lacks.", true
		case strings.HasPrefix(d.Conformance, "0."):
			e.add(DeviceNotConformant, d.Name, "", textf("its driver is not conformant (version %s of the test), "+
				"and programs with wgpu ignore it", d.Conformance), nil).missing = true
		}
	}
}

// addSoftwareFirst adds a finding if programs get a software renderer as their first device, before a graphics device
// (mlc-ai/mlc-llm issue 40), and the user has chosen no order.
func (e *evidence) addSoftwareFirst() {
	isHardware := func(d probe.Device) bool { return d.Type != vk.CPU }
	at := slices.IndexFunc(e.Devices, isHardware)
	chosen := func(variable string) bool { return e.variable(variable) != "" }
	if at <= 0 || e.Answer.Settings != nil && e.Answer.Settings.HasDevices || chosen(drivers.MesaSelect) ||
		chosen(variables.DeviceSelect.Name()) {
		return
	}
	line := shell.Line("vkloader run --device "+e.Selector(at)+" ") +
		term.Either(e.Program == "", "PROGRAM", shell.Quoted(e.Program))
	do := shellAdvice("", line)
	if first := e.driverOf(e.Devices[0]); first != nil && !slices.ContainsFunc(first.saw.Devices, isHardware) {
		if c, ok := e.leaveOut(first.of); ok {
			do = e.changeAdvice(c).or("For one program: ", do)
		}
	}
	e.add(SoftwareFirst, e.Devices[0].Name, "", textf("it comes before %s, so programs that take "+
		"the first device compute on the CPU", e.Devices[at].Name), do)
}
