package doctor

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
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

// addTwice adds a finding for each device that two drivers list, if no rule knows that both are for it
// (felixdoerre/primus_vk, whose wrapper is a driver).
func (e *evidence) addTwice() {
	for i := range e.alone {
		for j := range i {
			first, second := &e.alone[j], &e.alone[i]
			at := slices.IndexFunc(e.Devices, func(d probe.Device) bool { return first.lists(d) && second.lists(d) })
			if at < 0 || contains(e.Findings, func(f *Finding) bool {
				return f.Code == DeviceTwice && (f.Path == first.Manifest || f.Path == second.Manifest)
			}) {
				continue
			}
			var do *Remedy
			if c, ok := e.leaveOut(term.Either(first.of.family() == nil, first, second).of); ok {
				do = e.changeAdvice(c)
			}
			e.add(DeviceTwice, e.Devices[at].Name, second.Manifest,
				textf("%s and %s both list it", first.Manifest, second.Manifest), do)
		}
	}
}

// lists reports whether the driver works alone and lists a device at the address of another one. Drivers of devices
// without PCI share numbers of vendors and devices.
func (a *alone) lists(d probe.Device) bool {
	return a.Result == ProbeOK && d.PCI != "" &&
		slices.ContainsFunc(a.saw.Devices, func(o probe.Device) bool { return o.PCI == d.PCI })
}

// addLimited adds a finding for a device of NVIDIA if the node for shared memory may not be opened, or if its module is
// not loaded, although the driver has tried to load it. Direct3D 12 needs it: for its programs, the finding is a
// warning.
func (e *evidence) addLimited() {
	const node = "/dev/nvidia-uvm"
	for _, d := range e.Devices {
		if from := e.driverOf(d); from == nil || !from.of.family().Is(drivers.NVIDIA) {
			continue
		}
		err, modules := e.openNode(node), e.source.Machine.Text("/proc/modules")
		if err == nil || errors.Is(err, fs.ErrNotExist) &&
			(!strings.Contains(modules, "nvidia ") || strings.Contains(modules, "nvidia_uvm ")) {
			return
		}
		want := decide.WantOf(&e.source.Machine, e.source.Program)
		lost := usual
		if want != nil && pairValue("opengl", func(name string) bool { return strings.HasPrefix(want.Name, name) }) != "" {
			lost = something
		}
		do := e.system.makeNode(node, "-u", "-c=0")
		if errors.Is(err, fs.ErrPermission) {
			do = e.nvidiaNodes(node)
		}
		what := textf("%s cannot be opened (%s)", node, errors.Unwrap(err))
		e.add(DeviceLimited, d.Name, node, what, do, lost).missing = true
		return
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
