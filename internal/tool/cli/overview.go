package cli

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/standing"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// The maximum numbers of findings on the first screen, and of names in a row of it.
const (
	maxAttention = 3
	mostNames    = 6
)

// overview prints the output of "vkloader" without a command: one screen with the verdict, the inventory, the most
// important findings, and the next commands. Child processes load drivers and layers. If they do not finish in time,
// the exit code is 3.
func overview(s *invocation, how effort, out *output) error {
	report, err := examineHere(s, how)
	if err != nil {
		return err
	}
	if err := out.judge(s, report, report.Has(diag.Problem), func() { printOverview(s, report) }); err != nil ||
		!report.Unfinished() {
		return err
	}
	return exit.With(exit.NotLooked)
}

func printOverview(s *invocation, report *doctor.Report) {
	s.style.Lines(s.out, "", s.style.Heading, report.Verdict)
	kind, devices := devicesInOrder(report)
	row := func(name, text string) { s.text(fmt.Sprintf("%-14s ", name), text) }
	fmt.Fprintln(s.out)
	if !onWindows { // there, only drivers report devices
		row("Loader", loaders.Line(report.Loader, ""))
		if report.Other != nil {
			row("32-bit", report.Other.Line())
		}
		row(kind, term.ShortList(devices, mostNames))
	}
	row("Drivers", inUse(report.Drivers))
	row("Layers", inUse(report.Layers))
	row("To choose", deviceChoice(report))
	shown, left, ofGame := 0, 0, shell.Line("")
	for _, f := range report.Findings {
		if !f.Shown() {
			continue
		}
		if shown == maxAttention {
			left++
			continue
		}
		if shown++; shown == 1 {
			s.section("Needs attention")
		}
		printAttention(s, report, &f)
		if ofGame == "" && len(f.Commands) > 0 && report.HasSteam && len(report.Sandboxes) == 0 {
			ofGame = shell.LaunchOptions(f.Commands[0])
		}
	}
	if left > 0 {
		fmt.Fprintf(s.out, "  and %d more\n", left)
	}
	s.section("Next")
	steps := nextSteps(report, shown > 0)
	if ofGame != "" { // a variable of a shell is none of a game that Steam starts
		steps = slices.Insert(steps, 0, [2]string{string(ofGame), "for one game, in Steam's launch options"})
	}
	for _, next := range steps {
		s.style.Lines(s.out, fmt.Sprintf("  %-35s  ", next[0]), nil, next[1])
	}
}

// nextSteps returns the helpful commands on this machine, with their answers. found: the screen shows findings.
func nextSteps(report *doctor.Report, found bool) (steps [][2]string) {
	better := worthwhile(report)
	isLost := len(report.Probes) > 0 && !slices.ContainsFunc(report.Probes,
		func(p doctor.Probe) bool { return p.Result != doctor.ProbeNoDevice && p.Result != doctor.ProbeFails })
	for _, step := range []struct {
		helps      bool
		line, what string
	}{
		{found, "vkloader doctor", "all findings, with fixes"},
		{!found && better != "", "vkloader doctor --full", better},
		{!report.Has(diag.Problem), "vkloader doctor --app PROGRAM", "why one program fails"},
		{len(report.Drivers) > 0 && !isLost, "vkloader run --find-culprit PROGRAM",
			"the driver or layer that breaks it"},
		{len(report.Drivers)+len(report.Layers) > 0, "vkloader explain", "drivers and layers, with reasons"},
		{len(report.GPUs) > 1, "vkloader list devices --details", "each device, with its address"},
		{true, "vkloader help", "all commands"},
	} {
		if step.helps {
			steps = append(steps, [2]string{step.line, step.what})
		}
	}
	return steps
}

// devicesInOrder returns the names of the devices that programs get, in their order, with the numbers of programs. If
// nothing was tried, it returns the names of the kernel's devices.
func devicesInOrder(r *doctor.Report) (kind string, names []string) {
	if len(r.Devices) == 0 {
		return "Kernel devices", term.Words(r.GPUs, func(g doctor.GPU) string { return g.Label })
	}
	return "Devices", term.Words(r.Devices, func(d probe.Device) string { return fmt.Sprint(d.Index, " ", d.Name) })
}

// deviceChoice tells how to choose a device for a program: the only discrete one, with Steam also if it is the first,
// as its containers have other orders (ValveSoftware/steam-runtime issue 312), or else another than the first; "" if
// programs get no two that are not on the CPU.
func deviceChoice(r *doctor.Report) string {
	hardware := slices.DeleteFunc(slices.Clone(r.Devices), func(d probe.Device) bool { return d.Type == vk.CPU })
	if len(hardware) == 0 || onWindows {
		return ""
	}
	others := slices.DeleteFunc(hardware[1:], func(d probe.Device) bool { // two drivers may list one device
		return d.PCI != "" && d.PCI == hardware[0].PCI
	})
	if len(others) == 0 || len(r.GPUs) == 1 {
		return ""
	}
	chosen := others[0]
	if discrete := slices.DeleteFunc(append(others, hardware[0]),
		func(d probe.Device) bool { return d.Type != vk.Discrete }); len(discrete) > 0 {
		chosen = discrete[0]
	}
	first := chosen.Index == hardware[0].Index
	alike := slices.ContainsFunc(r.Devices, func(d probe.Device) bool { // no variable tells them apart
		return d.Index != chosen.Index && (d.PCI == "" || d.PCI != chosen.PCI) && d.VendorID != 0 &&
			d.VendorID == chosen.VendorID && d.DeviceID == chosen.DeviceID
	})
	reads := r.Loader == nil || r.Loader.Obeys("device_configurations")
	lasting := variableChoice(r, &chosen)
	if first && !r.HasSteam || alike && !reads && lasting == "" {
		return ""
	}
	program := shell.Line("PROGRAM")
	if r.Program != "" {
		program = shell.Quoted(r.Program)
	}
	device := "--device " + r.Selector(slices.IndexFunc(r.Devices,
		func(d probe.Device) bool { return d.Index == chosen.Index }))
	name := chosen.Name
	if !first {
		name += term.Either(name == hardware[0].Name, term.Enclosed(" at ", chosen.PCI, ""), "")
		name = "Programs that take the first device get " + hardware[0].Name + ". For " + name
	}
	settings := fmt.Sprintf("vkloader settings set %s --app %s", device, program)
	if alike && reads {
		return name + ": " + settings
	}
	run := "vkloader run " + device
	return fmt.Sprintf("%s: %s %s", name, run, program) + term.Either(r.HasSteam,
		"; in Steam's launch options: "+run+" %command%", "") + term.Either(reads, "; for good: "+settings,
		term.Enclosed("; for good, in ~/.profile: ", lasting, ""))
}

// variableChoice names the variable that chooses a device for a loader that reads no device from settings: Mesa's layer
// reads it, or the loader, if no other device has the device's drivers; "": there is none.
func variableChoice(r *doctor.Report, d *probe.Device) string {
	choice := explain.SetVariable(drivers.MesaSelect, fmt.Sprintf("%04x:%04x!", d.VendorID, d.DeviceID))
	if slices.ContainsFunc(r.Devices, func(o probe.Device) bool { // cards of one model
		return o.Index != d.Index && o.VendorID == d.VendorID && o.DeviceID == d.DeviceID
	}) {
		if d.PCI == "" {
			return ""
		}
		choice = explain.SetVariable(drivers.MesaPrime, drivers.MesaAddress(d.PCI)+"!")
	}
	isMesas := func(l doctor.Entry) bool { return l.Used && l.Good && l.Name == drivers.MesaLayer }
	if !slices.ContainsFunc(r.Layers, isMesas) {
		var own, others []string
		for _, g := range r.GPUs {
			is := drivers.PCINumber(g.Vendor) == d.VendorID && drivers.PCINumber(g.Device) == d.DeviceID
			list := term.Either(is, &own, &others)
			*list = append(*list, g.Drivers...)
		}
		if len(own) == 0 || slices.ContainsFunc(own, func(d string) bool { return slices.Contains(others, d) }) {
			return ""
		}
		for _, m := range r.Drivers {
			if m.Class != 0 && m.Class != r.WordSize() && !slices.Contains(own, m.Manifest) { // of the other programs
				own = append(own, m.Manifest)
			}
		}
		choice = explain.SetVariable(variables.ICDFilenames.Name(), strings.Join(own, machine.ListSeparator))
	}
	return string(choice.Line())
}

// worthwhile describes the useful notes of a report; "": none.
func worthwhile(r *doctor.Report) string {
	words := map[doctor.Code]string{doctor.DriverIdle: "drivers without a device",
		doctor.GPUAsleep: "programs that wake a device"}
	var what []string
	for _, f := range r.Findings {
		code, _ := f.Code.(doctor.Code)
		if text := words[code]; text != "" && len(f.Commands)+len(f.Do) > 0 && !slices.Contains(what, text) {
			what = append(what, text)
		}
	}
	slices.Sort(what)
	return strings.Join(what, " and ")
}

func printAttention(s *invocation, report *doctor.Report, f *doctor.Finding) {
	s.style.Lines(s.out, "  "+f.Severity.String()+"  ", nil, doctor.Headed(f.Subject, f.What))
	s.text("      it wrote  ", report.Quote(f))
	s.style.Advice(s.out, "      do  ", f.Do, f.Commands...)
	s.text("          ", untriedText(f))
}

// inUse names the drivers or layers that work, and those that programs get in vain, with the reason.
func inUse(list []doctor.Entry) string {
	var names, lost []string
	for i := range list {
		switch m := &list[i]; {
		case !m.Used:
		case !m.Good && m.But == "": // on Windows, which has no stages
			lost = append(lost, m.Name+": its library is missing or cannot be loaded")
		case m.Lost():
			lost = append(lost, m.Name+": "+m.But)
		case m.Fault != standing.FaultForeign && !m.Harmless:
			names = append(names, m.Name)
		}
	}
	return strings.Join(append([]string{term.ShortList(names, mostNames)}, lost...), "; ")
}
