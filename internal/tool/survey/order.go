package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vkloader/discover"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// Sources of the device order.
const (
	ByDrivers  = "drivers"
	ByLoader   = "loader"
	BySettings = "settings"
	ByLayer    = "layer"
)

// OrderReason is a reason for the order of devices.
type OrderReason struct {
	By        string `json:"by"` // drivers, loader, settings or layer
	What      string `json:"what"`
	Statement string `json:"statement,omitempty"`
}

const inOwnOrder = "the last driver found comes first; each driver lists its devices in its own order"

// orderOf returns the reasons for the order of devices. list has the devices of programs, base those below Mesa's layer.
func orderOf(source *machine.Source, answer *plan.Answer, list []Device, base []discover.Device) (steps []OrderReason) {
	number := func(i int) string {
		d, before := &base[i], 0 // a device that is listed twice has two numbers, in the same order
		for n := range base[:i] {
			if sameDevice(d, &base[n]) {
				before++
			}
		}
		for n := range list {
			if sameDevice(d, &list[n].Device) {
				if before == 0 {
					return list[n].numberAndName()
				}
				before--
			}
		}
		return d.Name
	}
	off, _ := source.Lookup(variables.DisableSelect.Name())
	switch {
	case answer.Settings != nil && answer.Settings.HasDevices:
		steps = append(steps, OrderReason{BySettings, "the order is that of the device configurations of " + answer.Settings.File, "SET-93"})
	case len(base) < 2, answer.Style == pathname.Backslash: // on Windows, DXGI gives the order, and the probe does not report it
	case switchedOn(off):
		steps = append(steps, OrderReason{ByDrivers, variables.DisableSelect.Name() + "=" + off + ": nothing is sorted; " + inOwnOrder, "PHY-026"})
	default:
		chosen, value := chosenOf(source, base)
		for i := range base[:len(base)-1] {
			rule, statement := ruleOf(&base[i], &base[i+1])
			if chosen == i {
				rule, statement = variables.DeviceSelect.Name()+"="+value+" names it", "PHY-033"
			}
			steps = append(steps, OrderReason{ByLoader, number(i) + " before " + number(i+1) + ": " + rule, statement})
		}
	}
	for _, what := range []string{mesaStep(source, answer, list, base), optimusStep(source, answer)} {
		if what != "" {
			steps = append(steps, OrderReason{ByLayer, what, "PHY-032"})
		}
	}
	return steps
}

func (d *Device) numberAndName() string { return fmt.Sprint(d.Index, " ", d.Name) }

// switchedOn parses a variable as C's strtoll does, and reports whether it is a decimal number other than 0 (PHY-026).
func switchedOn(value string) bool {
	digits := strings.TrimLeft(strings.TrimLeft(value, " \t\n\v\f\r"), "+-")
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	return strings.Trim(digits[:end], "0") != ""
}

// chosenOf returns the device that VK_LOADER_DEVICE_SELECT puts first; -1 for none (PHY-033). The loader takes the first
// match in the drivers' order.
func chosenOf(source *machine.Source, base []discover.Device) (at int, value string) {
	value, _ = source.Lookup(variables.DeviceSelect.Name())
	text := strings.TrimLeft(value, " \t\n\v\f\r")
	if end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEFxX:", r) }); end >= 0 {
		text = text[:end] // text after the second number is ignored (ENV-86)
	}
	vendor, device, ok := drivers.PCIPair(text)
	if ok && base[0].VendorID == vendor && base[0].DeviceID == device {
		return 0, value
	}
	return -1, value
}

// typeRank returns the rank of a device type (PHY-027).
func typeRank(t discover.DeviceType) int {
	at := slices.Index([]discover.DeviceType{2, 1, 3, 0, 4}, t)
	if at < 0 {
		return 5
	}
	return at
}

// ruleOf returns the rule that puts a device before another (PHY-027), and its statement.
func ruleOf(a, b *discover.Device) (rule, statement string) {
	same := typeRank(a.Type) == typeRank(b.Type)
	switch {
	case typeRank(a.Type) < typeRank(b.Type):
		return a.TypeText + " comes before " + b.TypeText, "PHY-027"
	case same && a.PCI != "" && b.PCI == "":
		return "its PCI address is known, and the other device's is not", "PHY-027"
	case same && a.PCI != "" && comparePCI(a.PCI, b.PCI) < 0:
		return "PCI address " + a.PCI + " comes before " + b.PCI, "PHY-027"
	case same && a.PCI == b.PCI && a.VendorID^a.DeviceID < b.VendorID^b.DeviceID:
		return fmt.Sprintf("vendor xor device is %x; the other device's is %x", a.VendorID^a.DeviceID, b.VendorID^b.DeviceID), "PHY-027"
	}
	return "no sort rule distinguishes them: " + inOwnOrder, "PHY-023"
}

// comparePCI compares PCI addresses by their numbers. A longer domain is a larger number.
func comparePCI(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// mesaStep returns the effect of Mesa's layer on the order, or its variables without effect; "" for neither.
func mesaStep(source *machine.Source, answer *plan.Answer, list []Device, base []discover.Device) string {
	wishes := wishesOf(source)
	if layerOf(answer) < 0 {
		return term.Enclosed("", wishes, " moves nothing: "+drivers.MesaLayer+", which reads it, is not used here")
	}
	left := slices.DeleteFunc(slices.Clone(base), func(d discover.Device) bool {
		return !slices.ContainsFunc(list, func(o Device) bool { return sameDevice(&d, &o.Device) })
	})
	same := len(left) == len(list)
	moved := same && len(list) > 0 && !sameDevice(&left[0], &list[0].Device)
	for i := range list {
		same = same && sameDevice(&left[i], &list[i].Device)
	}
	why := ": " + cmp.Or(wishes, "none of its variables is set: it puts the device of the display first")
	switch {
	case len(list) < len(base) && len(list) > 0:
		return drivers.MesaLayer + " hides all but " + list[0].numberAndName() + why
	case moved:
		return drivers.MesaLayer + " puts " + list[0].numberAndName() + " first, which the loader has after " + left[0].Name + why
	case !same:
		return drivers.MesaLayer + " has changed the order" + why
	case wishes != "" && len(list) > 1:
		return drivers.MesaLayer + " has changed nothing" + why
	}
	return ""
}

// optimusStep returns the effect of NVIDIA's layer on the order; "" without its variables.
func optimusStep(source *machine.Source, answer *plan.Answer) string {
	offload, _ := source.Lookup(drivers.OptimusOffload)
	filter, _ := source.Lookup(drivers.OptimusFilter)
	text := strings.TrimSpace(term.Enclosed(drivers.OptimusOffload+"=", offload, " ") + term.Enclosed(drivers.OptimusFilter+"=", filter, ""))
	switch {
	case text == "":
		return ""
	case !slices.ContainsFunc(answer.Active, func(a plan.Active) bool { return answer.Layers[a.Layer].Name == drivers.OptimusLayer }):
		return text + " moves nothing: " + drivers.OptimusLayer + ", which reads it, is not used here; it comes with NVIDIA's driver, in nvidia_layers.json"
	case filter == "NVIDIA_only":
		return drivers.OptimusLayer + " hides every device that is not of NVIDIA's driver: " + text
	case filter == "non_NVIDIA_only":
		return drivers.OptimusLayer + " hides the devices of NVIDIA's driver: " + text
	}
	return drivers.OptimusLayer + " puts the devices of NVIDIA's driver before all others: " + text
}
