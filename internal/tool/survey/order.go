package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/mesa"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/selector"
	"vkloader/internal/tool/term"
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

// orderOf says why devices are in their order: list as programs see them, base as they are below Mesa's layer.
func orderOf(source *machine.Source, answer *plan.Answer, list []Device, base []probe.Device) (steps []Step) {
	number := func(d *probe.Device) string {
		at := slices.IndexFunc(list, func(o Device) bool { return sameDevice(d, &o.Device) })
		if at < 0 {
			return d.Name
		}
		return fmt.Sprintf("%d %s", list[at].Index, d.Name)
	}
	say := func(by, statement, format string, args ...any) {
		steps = append(steps, Step{by, fmt.Sprintf(format, args...), statement})
	}
	off, _ := source.Lookup(variables.DisableSelect.Name())
	switch {
	case answer.Settings != nil && answer.Settings.HasDevices:
		say(BySettings, "SET-93", "the order is that of the device configurations of %s", answer.Settings.File)
	case len(base) < 2:
	case switchedOn(off):
		say(ByDrivers, "PHY-026", "%s=%s: nothing is sorted; the driver found last comes first, and each lists its devices in its own order",
			variables.DisableSelect.Name(), off)
	default:
		chosen, value := chosenOf(source, base)
		for i := range base[:len(base)-1] {
			why, statement := ruleOf(&base[i], &base[i+1], chosen == i, value)
			say(ByLoader, statement, "%s before %s: %s", number(&base[i]), number(&base[i+1]), why)
		}
	}
	return append(steps, layerSteps(source, answer, list, base)...)
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
func chosenOf(source *machine.Source, base []probe.Device) (at int, value string) {
	value, _ = source.Lookup(variables.DeviceSelect.Name())
	text := strings.TrimLeft(value, " \t\n\v\f\r")
	if end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEFxX:", r) }); end >= 0 {
		text = text[:end] // what follows the second number is ignored (ENV-86)
	}
	vendor, device, ok := selector.Pair(text)
	if ok && base[0].VendorID == vendor && base[0].DeviceID == device {
		return 0, value
	}
	return -1, value
}

// typeRank is the order of types (PHY-027).
func typeRank(t uint32) int {
	at := slices.Index([]uint32{2, 1, 3, 0, 4}, t)
	if at < 0 {
		return 5
	}
	return at
}

// ruleOf says which rule puts a device before another (PHY-027).
func ruleOf(a, b *probe.Device, chosen bool, value string) (why, statement string) {
	switch {
	case chosen:
		return variables.DeviceSelect.Name() + "=" + value + " names it", "PHY-033"
	case typeRank(a.Type) < typeRank(b.Type):
		return term.DeviceType(a.Type) + " comes before " + term.DeviceType(b.Type), "PHY-027"
	case typeRank(a.Type) == typeRank(b.Type) && a.PCI != "" && b.PCI == "":
		return "its PCI address is known, and that of the other is not", "PHY-027"
	case typeRank(a.Type) == typeRank(b.Type) && a.PCI != "" && comparePCI(a.PCI, b.PCI) < 0:
		return "PCI address " + a.PCI + " comes before " + b.PCI, "PHY-027"
	case typeRank(a.Type) == typeRank(b.Type) && a.PCI == b.PCI && a.VendorID^a.DeviceID < b.VendorID^b.DeviceID:
		return fmt.Sprintf("vendor xor device is %x, and that of the other %x", a.VendorID^a.DeviceID, b.VendorID^b.DeviceID), "PHY-027"
	}
	return "no rule of sorting tells them apart: the driver found last comes first, and each lists its devices in its own order", "PHY-023"
}

// comparePCI compares addresses by their numbers: a domain may have more digits than another.
func comparePCI(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// layerSteps say what Mesa's layer has done with the order, and what of its variables comes to nothing.
func layerSteps(source *machine.Source, answer *plan.Answer, list []Device, base []probe.Device) (steps []Step) {
	var asked []string
	for _, w := range wishesOf(source) {
		asked = append(asked, w.Name+"="+w.Value)
	}
	wish := strings.Join(asked, " ")
	say := func(format string, args ...any) {
		steps = append(steps, Step{ByLayer, fmt.Sprintf(format, args...), "PHY-032"})
	}
	if layerOf(answer) < 0 {
		if wish != "" {
			say("%s moves nothing: %s, which reads it, is not used here", wish, mesa.Layer)
		}
		return steps
	}
	if wish == "" {
		wish = "none of its variables is set: it puts the device of the display first"
	}
	left := slices.DeleteFunc(slices.Clone(base), func(d probe.Device) bool {
		return !slices.ContainsFunc(list, func(o Device) bool { return sameDevice(&d, &o.Device) })
	})
	moved := len(left) == len(list) && len(list) > 0 && !sameDevice(&left[0], &list[0].Device)
	same := len(left) == len(list)
	for i := range list {
		same = same && sameDevice(&left[i], &list[i].Device)
	}
	switch {
	case len(list) < len(base) && len(list) > 0:
		say("%s hides all but %d %s: %s", mesa.Layer, list[0].Index, list[0].Name, wish)
	case moved:
		say("%s puts %d %s first, which the loader has after %s: %s", mesa.Layer, list[0].Index, list[0].Name, left[0].Name, wish)
	case !same:
		say("%s has changed the order: %s", mesa.Layer, wish)
	case len(asked) > 0 && len(list) > 1:
		say("%s has changed nothing: %s", mesa.Layer, wish)
	}
	return steps
}
