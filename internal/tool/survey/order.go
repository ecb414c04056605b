package survey

import (
	"cmp"
	"slices"
	"strings"

	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
)

// Who puts devices in order.
const (
	ByDrivers  = "drivers"
	ByLoader   = "loader"
	BySettings = "settings"
	ByLayer    = "layer"
)

// Step is one reason for the order of devices.
type Step struct {
	By        string `json:"by"` // drivers, loader, settings or layer
	What      string `json:"what"`
	Statement string `json:"statement,omitempty"`
}

func step(by, statement string, why fact) Step { return Step{by, why.say(), statement} }

// orderOf says why devices are in their order: list as programs see them, base as they are below Mesa's layer.
func orderOf(source *machine.Source, answer *plan.Answer, list []Device, base []decide.Device) (steps []Step) {
	number := func(i int) numbered {
		d, before := &base[i], 0 // a device that is listed twice has two numbers, in the same order
		for n := range base[:i] {
			if sameDevice(d, &base[n]) {
				before++
			}
		}
		for n := range list {
			if sameDevice(d, &list[n].Device) {
				if before == 0 {
					return numbered{int(list[n].Index), d.Name}
				}
				before--
			}
		}
		return numbered{-1, d.Name}
	}
	off, _ := source.Lookup(variables.DisableSelect.Name())
	switch {
	case answer.Settings != nil && answer.Settings.HasDevices:
		steps = append(steps, step(BySettings, "SET-93", asConfigured(answer.Settings.File)))
	case len(base) < 2, answer.Style == pathname.Backslash: // there it is DXGI's, of which no probe is told
	case switchedOn(off):
		steps = append(steps, step(ByDrivers, "PHY-026", unsorted(off)))
	default:
		chosen, value := chosenOf(source, base)
		for i := range base[:len(base)-1] {
			rule, statement := ruleOf(&base[i], &base[i+1], chosen == i, value)
			steps = append(steps, step(ByLoader, statement, sorted{number(i), number(i + 1), rule}))
		}
	}
	return append(append(steps, layerSteps(source, answer, list, base)...), optimusSteps(source, answer)...)
}

// switchedOn reads a variable as C's strtoll does: a decimal number other than 0 (PHY-026).
func switchedOn(value string) bool {
	digits := strings.TrimLeft(strings.TrimLeft(value, " \t\n\v\f\r"), "+-")
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	return strings.Trim(digits[:end], "0") != ""
}

// chosenOf is the device that VK_LOADER_DEVICE_SELECT puts first, -1 when it chooses none (PHY-033). The loader takes the
// first such device in the order of the drivers, which the others do not change.
func chosenOf(source *machine.Source, base []decide.Device) (at int, value string) {
	value, _ = source.Lookup(variables.DeviceSelect.Name())
	text := strings.TrimLeft(value, " \t\n\v\f\r")
	if end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEFxX:", r) }); end >= 0 {
		text = text[:end] // what follows the second number is ignored (ENV-86)
	}
	vendor, device, ok := drivers.PCIPair(text)
	if ok && base[0].VendorID == vendor && base[0].DeviceID == device {
		return 0, value
	}
	return -1, value
}

// typeRank is the order of types (PHY-027).
func typeRank(t decide.DeviceType) int {
	at := slices.Index([]decide.DeviceType{2, 1, 3, 0, 4}, t)
	if at < 0 {
		return 5
	}
	return at
}

// ruleOf finds the rule that puts a device before another (PHY-027), and its statement.
func ruleOf(a, b *decide.Device, chosen bool, value string) (rule fact, statement string) {
	switch {
	case chosen:
		return namedBySelect(value), "PHY-033"
	case typeRank(a.Type) < typeRank(b.Type):
		return byType{a.TypeText, b.TypeText}, "PHY-027"
	case typeRank(a.Type) == typeRank(b.Type) && a.PCI != "" && b.PCI == "":
		return byKnownPCI{}, "PHY-027"
	case typeRank(a.Type) == typeRank(b.Type) && a.PCI != "" && comparePCI(a.PCI, b.PCI) < 0:
		return byPCI{a.PCI, b.PCI}, "PHY-027"
	case typeRank(a.Type) == typeRank(b.Type) && a.PCI == b.PCI && a.VendorID^a.DeviceID < b.VendorID^b.DeviceID:
		return byIDs{a.VendorID ^ a.DeviceID, b.VendorID ^ b.DeviceID}, "PHY-027"
	}
	return asFound{}, "PHY-023"
}

// comparePCI compares addresses by their numbers: a domain may have more digits than another.
func comparePCI(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// layerSteps say what Mesa's layer has done with the order, and what of its variables comes to nothing.
func layerSteps(source *machine.Source, answer *plan.Answer, list []Device, base []decide.Device) []Step {
	wishes := wishesOf(source)
	why := func(f fact) []Step { return []Step{step(ByLayer, "PHY-032", f)} }
	if layerOf(answer) < 0 {
		if len(wishes) > 0 {
			return why(withoutMesa(wishes))
		}
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(base), func(d decide.Device) bool {
		return !slices.ContainsFunc(list, func(o Device) bool { return sameDevice(&d, &o.Device) })
	})
	same := len(left) == len(list)
	moved := same && len(list) > 0 && !sameDevice(&left[0], &list[0].Device)
	for i := range list {
		same = same && sameDevice(&left[i], &list[i].Device)
	}
	first := func() numbered { return numbered{int(list[0].Index), list[0].Name} }
	switch {
	case len(list) < len(base) && len(list) > 0:
		return why(leftByMesa{first(), wishes})
	case moved:
		return why(firstByMesa{first(), left[0].Name, wishes})
	case !same:
		return why(changedByMesa(wishes))
	case len(wishes) > 0 && len(list) > 1:
		return why(sameByMesa(wishes))
	}
	return nil
}
