package doctor

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// verdict returns a report on Linux in one line: failures, devices that were tried, devices with a driver, and the number of
// problems.
func verdict(r *Report) string { return r.withoutFiles() + r.tested() }

// tested returns the verdict on a machine with the kernel's file systems.
func (r *Report) tested() string {
	if broken := r.misbehaving(); broken != "" {
		return broken + "; " + r.end()
	}
	if !r.Static.Gets() {
		return r.Static.Line(r.source.Program) + "; " + r.end()
	}
	if has(r.Findings, LoaderBroken) {
		return "Programs get no Vulkan loader; " + r.end()
	}
	works, missing := r.devicesInWords()
	if len(works) > 0 {
		return strings.Join(append(works, missing...), "; ") + "; " + r.end()
	}
	return r.rest() + r.end()
}

// misbehaving returns the problems with drivers and layers that crashed, hung or failed; "" for none.
func (r *Report) misbehaving() string {
	var broken []string
	for f := range each(r.Findings) {
		does := misbehaves[f.Code]
		if what, is := f.fact.(misbehaved); is && does != "" && f.Severity == diag.Problem && f.Because == nil {
			with := ""
			if what.with != "" {
				with = " together with " + what.with
			}
			broken = append(broken, f.Subject+does+with+" ("+what.detail+")")
		} else if what, is := f.fact.(hides); is && f.Because == nil {
			does := " makes programs fail ("
			if len(what.others) > 0 {
				does = " make programs fail ("
			}
			broken = append(broken, strings.Join(append([]string{f.Subject + "=" + what.value}, what.others...), " and ")+does+what.detail+")")
		}
	}
	if len(broken) == 0 {
		return ""
	}
	return "Broken: " + strings.Join(broken, ", ")
}

var misbehaves = map[Kind]string{DriverCrashes: " crashes", DriverHangs: " hangs", DriverFails: " fails", DriverExits: " calls exit",
	LayerCrashes: " crashes", LayerHangs: " hangs", LayerFails: " fails", LayerExits: " calls exit", TogetherFails: " fail"}

// waiting returns the names of the unfinished probes.
func (r *Report) waiting() (names []string) {
	for _, p := range r.Probes {
		if p.Result == ProbeWaits {
			names = append(names, p.Name)
		}
	}
	return names
}

// devicesInWords returns a clause for each device that programs get, and for each that can render and that they do not get.
func (r *Report) devicesInWords() (works, missing []string) {
	lost := r.missingDevices()
	for g := range each(r.GPUs) {
		at := slices.IndexFunc(lost, func(m missingDevice) bool { return m.GPU == g })
		served := slices.ContainsFunc(r.Drivers, func(m Module) bool { return m.Good && slices.Contains(g.Drivers, m.Manifest) })
		switch {
		case at >= 0 && lost[at].rung == isIncluded:
			missing = append(missing, g.Label+": "+lost[at].seen)
		case at >= 0:
			missing = append(missing, "programs do not get "+g.Label)
		case !served || r.broken(g):
		case r.Works && r.reaches(g):
			works = append(works, g.Label+" works (tried)")
		default:
			works = append(works, g.Label+" has a driver (not tried)")
		}
	}
	return works, missing
}

// Unfinished reports whether a trial did not finish in time.
func (r *Report) Unfinished() bool { return len(r.waiting()) > 0 }

// end returns the end of the verdict: the numbers of problems or warnings, and the unfinished trials.
func (r *Report) end() string {
	count, left := map[diag.Severity]int{}, 0
	for f := range each(r.Findings) {
		if f.Because != nil {
			continue
		}
		if count[f.Severity]++; f.Severity == diag.Warning && slices.Contains(leftovers, f.Code) {
			left++
		}
	}
	problems, warnings := count[diag.Problem], count[diag.Warning]
	end := ""
	switch {
	case problems > 0:
		end = term.Count(problems, "problem")
	case warnings > 0 && left == warnings:
		end = term.Count(left, "leftover") + " to look at"
	case warnings > 0:
		end = term.Count(warnings, "warning")
	case slices.ContainsFunc(r.missingDevices(), func(m missingDevice) bool { return !m.isExplained() }):
		end = "nothing else is wrong"
	default:
		end = "nothing is wrong"
	}
	names := r.waiting()
	switch {
	case problems+warnings == 0 && !r.Tried:
		end += " in the files"
	case problems+warnings == 0 && len(names) > 0:
		end += " so far"
	}
	return end + term.Enclosed("; the trial has not finished: ", strings.Join(names, ", "), "")
}

// Headed returns a sentence after its subject, unless the sentence begins with the subject.
func Headed(subject, what string) string {
	for _, name := range []string{subject, machine.Style.Base(subject)} {
		if strings.HasPrefix(what, name+" ") || strings.HasPrefix(what, name+":") {
			return what
		}
	}
	return subject + ": " + what
}

// rest returns the beginning of the verdict when no kernel device has a driver.
func (r *Report) rest() string {
	software, unknown, good := r.unhoused()
	device := "No graphics device works"
	if !slices.ContainsFunc(r.GPUs, func(g GPU) bool { return host{&r.source.Machine}.expects(&g) }) {
		device = r.withoutRenderer()
	}
	switch {
	case has(r.Findings, NotInstalled):
		return "Vulkan is not installed, and no graphics device was found; "
	case good == 0:
		if r.WordSize() != ProcessClass {
			return fmt.Sprintf("No %d-bit driver works, and no %d-bit program gets Vulkan; ", r.WordSize(), r.WordSize())
		}
		return "No driver works, and no program gets Vulkan; "
	case len(unknown) > 0 && r.Works:
		return "Vulkan works (tried), with " + r.worked() + "; "
	case len(unknown) > 0:
		return "A driver is installed (not tried); whether its device is present is unknown; "
	case len(software) > 0:
		return r.onProcessor(device, drivers.Of(software[len(software)-1].Library).Name)
	}
	if device == unseenDevices {
		return "A driver is installed (not tried); " + strings.ToLower(device[:1]) + device[1:] + "; "
	}
	return term.Either(has(r.Findings, NoDevice), "No driver works here, and no program gets Vulkan; ", device+", so no program gets Vulkan; ")
}

// unseenDevices is the beginning of the verdict about a root directory without the kernel's list of devices, such as an image's.
const unseenDevices = "The devices are not known, because /sys is empty"

// withoutRenderer returns the beginning of the verdict when no device is expected to support Vulkan.
func (r *Report) withoutRenderer() string {
	for f := range each(r.Findings) {
		if slices.Contains([]Kind{GPUNoVulkan, GPUVirtual, GPUReserved}, f.Code) || f.Code == GPUDisplayOnly && f.missing {
			return f.Subject + ": " + f.fact.say()
		}
	}
	if h := (host{&r.source.Machine}); len(r.GPUs) == 0 && h.machine.Foreign() && len(h.machine.Names("/sys")) == 0 {
		return unseenDevices
	}
	return term.Either(len(r.GPUs) == 0, "No graphics device found", "No graphics device renders")
}

// onProcessor returns the beginning of the verdict when programs compute on the CPU.
func (r *Report) onProcessor(device, software string) string {
	works := term.Either(!r.Works, "programs compute on the CPU (not tried), with "+software, "Vulkan works on the CPU (tried), with "+software)
	if by := pinnedBy(r.source); by != "" {
		return strings.ToUpper(works[:1]) + works[1:] + ", as " + by + " says; "
	}
	return device + "; " + works + "; "
}

// worked returns the names of the drivers that gave a device.
func (r *Report) worked() string {
	var names []string
	for _, p := range r.Probes {
		if p.Kind == "driver" && p.Result == ProbeOK {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", ")
}

// broken reports whether a problem affects a device or its driver.
func (r *Report) broken(g *GPU) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Severity == diag.Problem && (f.device == g.Name || f.Code == NvidiaVersion && g.Kernel == "nvidia")
	})
}
