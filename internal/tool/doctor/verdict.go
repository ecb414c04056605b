package doctor

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// verdict returns a report on Linux in one line: failures, the devices that programs get, and the number of problems.
func verdict(r *Report) string {
	texts := r.verdicts()
	if missing := r.missingFilesText(); missing != "" {
		texts = append(term.Words(texts, func(text string) string { return missing + "; " + text }), missing)
	}
	return fit(r.end(), texts)
}

// maxVerdict is the number of words after which a verdict gives numbers in place of names.
const maxVerdict = 12

// fit returns the first text that is short enough with an end, or the last one.
func fit(end string, texts []string) string {
	at := slices.IndexFunc(texts, func(text string) bool { return len(strings.Fields(text+" "+end)) <= maxVerdict })
	text := texts[term.Either(at < 0, len(texts)-1, at)] + "; " + end
	if rest, is := strings.CutPrefix(text, "programs "); is {
		return "Programs " + rest
	}
	return text
}

// verdicts returns the verdict on a machine with the kernel's file systems, in several lengths.
func (r *Report) verdicts() []string {
	if broken := r.misbehaving(); len(broken) > 0 {
		return brokenTexts(broken)
	}
	if !r.Static.Gets() {
		return []string{machine.Style.Base(r.source.Program) + " is statically linked, and gets no Vulkan loader"}
	}
	if has(r.Findings, LoaderBroken) {
		return []string{"Programs get no Vulkan loader"}
	}
	works, others, lost := r.devicesInWords()
	if len(works) == 0 {
		return r.rest()
	}
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == LoaderMissing && f.Severity == diag.Problem }) {
		return []string{"Programs get no Vulkan loader"}
	}
	does := term.Either(r.Works, term.Either(len(works) == 1, " works", " work"), term.Either(len(works) == 1, " has a driver", " have drivers"))
	names, all := strings.Join(works, " and ")+does, fmt.Sprintf("%d of %d devices%s", len(works), len(works)+len(others), does)
	if len(others) == 0 {
		return []string{names, term.Count(len(works), "device") + does}
	}
	clauses := strings.Join(others, "; ")
	return []string{names + "; " + clauses, term.Count(len(works), "device") + does + "; " + clauses, clauses,
		all + term.Enclosed("; ", lost, " excludes others"), all}
}

// brokenTexts returns the verdict on drivers, layers and variables that make programs fail, in several lengths.
func brokenTexts(broken []string) []string {
	return []string{"Broken: " + strings.Join(broken, ", "), fmt.Sprintf("Broken: %s and %d more", broken[0], len(broken)-1), "Programs fail"}
}

// misbehaving returns the drivers, layers and variables that make programs crash, hang or fail, as sentences.
func (r *Report) misbehaving() (broken []string) {
	for f := range each(r.Findings) {
		if f.Because != nil {
			continue
		}
		switch what := f.fact.(type) {
		case misbehaved:
			if does := misbehaves[f.Code]; does != "" && f.Severity == diag.Problem {
				broken = append(broken, f.Subject+does+term.Enclosed(" together with ", what.with, ""))
			}
		case hides:
			names := append([]string{f.Subject + "=" + what.value}, what.others...)
			broken = append(broken, strings.Join(names, " and ")+term.Either(len(names) == 1, " makes", " make")+" programs fail")
		}
	}
	return broken
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

// devicesInWords returns the devices that programs get, a clause for each other one, and what excludes one.
func (r *Report) devicesInWords() (works, others []string, excludedBy string) {
	lost := r.missingDevices()
	for g := range each(r.GPUs) {
		at := slices.IndexFunc(lost, func(m missingDevice) bool { return m.GPU == g })
		served := slices.ContainsFunc(r.Drivers, func(m Entry) bool { return m.Good && slices.Contains(g.Drivers, m.Manifest) })
		switch {
		case at >= 0 && lost[at].by != nil && lost[at].by.excludedBy != "":
			excludedBy = term.Or(excludedBy, lost[at].by.excludedBy)
			others = append(others, lost[at].by.excludedBy+" excludes "+g.Title())
		case at >= 0:
			others = append(others, "programs do not get "+g.Title())
		case !served || slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Severity == diag.Problem && (f.device == g.Name || f.Code == NvidiaVersion && g.Kernel == "nvidia")
		}):
		case r.Works && !r.reaches(g):
			others = append(others, g.Title()+term.Either(g.Asleep, " sleeps", " has a driver"))
		default:
			works = append(works, g.Title())
		}
	}
	return works, others, excludedBy
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
	missing := slices.ContainsFunc(r.missingDevices(), func(m missingDevice) bool { // and the verdict does not name why
		return m.by == nil || !slices.Contains([]Kind{GPULeftOut, GPUVirtual, GPUReserved}, m.by.Code)
	})
	end := "no problems found"
	switch {
	case problems > 0:
		end = term.Count(problems, "problem")
	case warnings > 0 && left == warnings:
		end = term.Count(left, "leftover") + " to look at"
	case warnings > 0:
		end = term.Count(warnings, "warning")
	case missing:
		end = "nothing else found"
	}
	waiting := len(r.waiting())
	switch {
	case waiting > 0 && problems+warnings == 0:
		return term.Count(waiting, "unfinished trial")
	case waiting > 0:
		return end + ", " + term.Count(waiting, "unfinished trial")
	}
	return end
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

// rest returns the verdict when no kernel device has a driver, in several lengths.
func (r *Report) rest() []string {
	software, unknown, good := r.driversWithoutDevice()
	device := "No graphics device works"
	if !slices.ContainsFunc(r.GPUs, func(g GPU) bool { return host{&r.source.Machine}.expects(&g) }) {
		device = r.rendererlessText()
	}
	none := term.Either(r.WordSize() == ProcessClass, "no program gets Vulkan", fmt.Sprintf("no %d-bit program gets Vulkan", r.WordSize()))
	switch {
	case has(r.Findings, NotInstalled):
		return []string{"No graphics device, and Vulkan is not installed"}
	case good == 0:
		return []string{"No driver works, and " + none}
	case len(unknown) > 0 && r.Works:
		var names []string
		for _, p := range r.Probes {
			if p.Kind == "driver" && p.Result == ProbeOK {
				names = append(names, p.Name)
			}
		}
		return []string{"Vulkan works with " + strings.Join(names, ", "), "Vulkan works"}
	case len(unknown) > 0 && r.Tried:
		return []string{device + ", and " + none}
	case len(unknown) > 0:
		return []string{"A driver is installed; its device is unknown"}
	case len(software) > 0 && pinnedBy(r.source) != "":
		return []string{pinnedBy(r.source) + " lets programs compute on the CPU"}
	case len(software) > 0:
		return []string{device + "; " + term.Either(r.Works, "Vulkan works on the CPU", "programs compute on the CPU"), device}
	case device == unseenDevices:
		return []string{"A driver is installed; /sys is empty"}
	}
	return []string{term.Either(has(r.Findings, NoDevice), "No driver works here", device) + ", and " + none, strings.ToUpper(none[:1]) + none[1:]}
}

// unseenDevices is the verdict about the devices of a root directory without the kernel's list, such as an image's.
const unseenDevices = "Unknown devices, because /sys is empty"

// rendererlessText returns the verdict about the devices when none is expected to support Vulkan.
func (r *Report) rendererlessText() string {
	for f := range each(r.Findings) {
		switch {
		case f.Code == GPUNoVulkan || f.Code == GPUDisplayOnly && f.missing:
			return "No Vulkan for " + f.Subject
		case f.Code == GPUVirtual:
			return term.Either(f.excludedBy != "", "Host without Vulkan", "No driver for "+f.Subject)
		case f.Code == GPUReserved:
			return f.excludedBy + " reserves the device"
		}
	}
	if h := (host{&r.source.Machine}); len(r.GPUs) == 0 && h.machine.Foreign() && !h.machine.Exists("/sys/class") {
		return unseenDevices
	}
	return term.Either(len(r.GPUs) == 0, "No graphics device found", "No graphics device renders")
}
