package doctor

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/term"
)

// verdict is the report in one line: what works, through which driver, and what there is to do.
func (e *exam) verdict() string {
	var works []string
	for _, g := range e.gpus {
		if slices.ContainsFunc(g.Drivers, e.good) && len(g.Nodes) > 0 && e.refused(g) == "" && g.Kernel != "radeon" && !e.broken(g) {
			works = append(works, g.Label+" uses "+e.driverOf(g))
		}
	}
	return strings.Join(works, ", ") + e.rest(len(works) > 0)
}

// rest is what is said after what works.
func (e *exam) rest(works bool) string {
	count, left := map[diag.Severity]int{}, 0
	var first *Finding
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Because != nil {
			continue
		}
		if count[f.Severity]++; f.Severity == diag.Problem && first == nil {
			first = f
		}
		if f.Severity == diag.Warning && slices.Contains(leftovers, f.Code) {
			left++
		}
	}
	problems, warnings := count[diag.Problem], count[diag.Warning]
	end := ""
	switch {
	case problems > 0:
		end = term.Count(problems, "problem") + ": " + first.Subject + ": " + first.fact.say()
	case warnings > 0 && left == warnings:
		end = term.Count(left, "leftover") + " to look at"
	case warnings > 0:
		end = term.Count(warnings, "warning")
	default:
		end = "nothing is wrong"
	}
	if works {
		return "; " + end
	}
	good, unknown, software := 0, 0, ""
	for _, m := range e.Drivers {
		f := drivers.Of(m.Library)
		switch {
		case !m.Good:
			continue
		case f == nil:
			unknown++
		case f.Software():
			software = f.Name
		}
		good++
	}
	device := "No graphics device works"
	if !slices.ContainsFunc(e.gpus, e.expects) {
		device = "No graphics device is here"
	}
	switch {
	case e.has(NotInstalled):
		return "Vulkan is not installed here, and no graphics device is; " + end
	case good == 0:
		if e.class != ProcessClass {
			return fmt.Sprintf("No %d-bit driver works, and no %d-bit program gets Vulkan; ", e.class, e.class) + end
		}
		return "No driver works, and no program gets Vulkan; " + end
	case unknown > 0:
		return "A driver is there, and whether its device is cannot be told (vkloader list devices asks it); " + end
	case software != "" && e.pinnedBy() != "":
		return "Programs compute on the processor, through " + software + ", as " + e.pinnedBy() + " says; " + end
	case software != "":
		return device + "; programs compute on the processor, through " + software + "; " + end
	}
	return device + ", and no driver that could do without; " + end
}

// good tells whether nothing is wrong with a driver, by its manifest.
func (e *exam) good(manifest string) bool {
	return slices.ContainsFunc(e.Drivers, func(m Module) bool { return m.Good && m.Manifest == manifest })
}

// broken tells whether a problem was found with what serves a device.
func (e *exam) broken(g *GPU) bool {
	return slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return f.Severity == diag.Problem && (f.device == g.Name || f.Code == NvidiaVersion && g.Kernel == "nvidia")
	})
}

// driverOf names the driver that serves a device.
func (e *exam) driverOf(g *GPU) string {
	for _, m := range e.Drivers {
		if f := drivers.Of(m.Library); m.Good && f != nil && slices.Contains(g.Drivers, m.Manifest) {
			return f.Name
		}
	}
	return g.Drivers[0]
}
