package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
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

func step(by, statement string, why fact) OrderReason { return OrderReason{by, why.say(), statement} }

// orderOf returns the reasons for the order of devices. list has the devices of programs, base those below Mesa's layer.
func orderOf(source *machine.Source, answer *plan.Answer, list []Device, base []decide.Device) (steps []OrderReason) {
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
	case len(base) < 2, answer.Style == pathname.Backslash: // on Windows, DXGI gives the order, and the probe does not report it
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
func chosenOf(source *machine.Source, base []decide.Device) (at int, value string) {
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
func typeRank(t decide.DeviceType) int {
	at := slices.Index([]decide.DeviceType{2, 1, 3, 0, 4}, t)
	if at < 0 {
		return 5
	}
	return at
}

// ruleOf returns the rule that puts a device before another (PHY-027), and its statement.
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

// comparePCI compares PCI addresses by their numbers. A longer domain is a larger number.
func comparePCI(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// layerSteps returns the effects of Mesa's layer on the order, and its variables without effect.
func layerSteps(source *machine.Source, answer *plan.Answer, list []Device, base []decide.Device) []OrderReason {
	wishes := wishesOf(source)
	why := func(f fact) []OrderReason { return []OrderReason{step(ByLayer, "PHY-032", f)} }
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

// NVIDIA's layer that puts its devices first or hides the others, with its variables, from the README of NVIDIA's driver
// (chapter "PRIME Render Offload").
const (
	optimusLayer   = "VK_LAYER_NV_optimus"
	optimusOffload = "__NV_PRIME_RENDER_OFFLOAD"
	optimusFilter  = "__VK_LAYER_NV_optimus"
)

// Effects of NVIDIA's layer on the order. The text is the variables, as NAME=VALUE.
type (
	optimusIdle  string // the layer is inactive
	optimusSorts string
	optimusOnly  string // it hides other devices
	optimusNone  string // it hides NVIDIA's devices
)

func (o optimusIdle) say() string {
	return string(o) + " moves nothing: " + optimusLayer + ", which reads it, is not used here; it comes with NVIDIA's driver, in nvidia_layers.json"
}

func (o optimusSorts) say() string {
	return optimusLayer + " puts the devices of NVIDIA's driver before all others: " + string(o)
}

func (o optimusOnly) say() string {
	return optimusLayer + " hides every device that is not of NVIDIA's driver: " + string(o)
}

func (o optimusNone) say() string {
	return optimusLayer + " hides the devices of NVIDIA's driver: " + string(o)
}

// optimusSteps returns the effects of NVIDIA's layer on the order; none without its variables.
func optimusSteps(source *machine.Source, answer *plan.Answer) []OrderReason {
	offload, _ := source.Lookup(optimusOffload)
	filter, _ := source.Lookup(optimusFilter)
	text := term.Enclosed(optimusOffload+"=", offload, "")
	if filter != "" && text != "" {
		text += " "
	}
	text += term.Enclosed(optimusFilter+"=", filter, "")
	if text == "" {
		return nil
	}
	used := false
	for _, a := range answer.Active {
		used = used || answer.Layers[a.Layer].Name == optimusLayer
	}
	var why fact
	switch {
	case !used:
		why = optimusIdle(text)
	case filter == "NVIDIA_only":
		why = optimusOnly(text)
	case filter == "non_NVIDIA_only":
		why = optimusNone(text)
	default:
		why = optimusSorts(text)
	}
	return []OrderReason{step(ByLayer, "PHY-032", why)}
}

// fact is the reason for a device's absence or place, as data. say returns its sentence. The texts of all facts are in this
// file.
type fact interface{ say() string }

type (
	// hiddenByMesa is a device that Mesa's layer hides because of these requests.
	hiddenByMesa []drivers.MesaWish

	// hiddenBy is a device that filter variables hide, as NAME=VALUE.
	hiddenBy string

	// notConfigured is a device that the device configurations of this settings file do not name.
	notConfigured string

	// leftOutBy is a device whose driver these variables (NAME=VALUE) or this settings file exclude.
	leftOutBy string
)

func (h hiddenByMesa) say() string {
	text := "hidden by " + drivers.MesaLayer
	for _, w := range h {
		text += " " + w.Name + "=" + w.Value
	}
	return text
}

func (h hiddenBy) say() string { return "hidden by " + string(h) }

func (n notConfigured) say() string { return "hidden by the device configurations of " + string(n) }

func (l leftOutBy) say() string { return "its driver is excluded by " + string(l) }

// Reasons for the order of devices.
type (
	// asConfigured is the order of the device configurations in this settings file.
	asConfigured string

	// unsorted is the order without sorting, because of this value of a variable.
	unsorted string

	// sorted is the order of two devices by a rule.
	sorted struct {
		first, second numbered
		rule          fact
	}

	// numbered is a device with its number in programs; -1 without one.
	numbered struct {
		number int
		name   string
	}

	// Sorting rules.
	namedBySelect string                // the value of VK_LOADER_DEVICE_SELECT
	byType        struct{ a, b string } // type names
	byKnownPCI    struct{}
	byPCI         struct{ a, b string }
	byIDs         struct{ a, b uint32 } // vendor xor device
	asFound       struct{}

	// Effects of Mesa's layer on the order, with its requests.
	withoutMesa []drivers.MesaWish
	leftByMesa  struct {
		left   numbered
		wishes []drivers.MesaWish
	}
	firstByMesa struct {
		first  numbered
		before string // the name of the loader's first device
		wishes []drivers.MesaWish
	}
	changedByMesa []drivers.MesaWish
	sameByMesa    []drivers.MesaWish
)

const inOwnOrder = "the last driver found comes first; each driver lists its devices in its own order"

func (a asConfigured) say() string {
	return "the order is that of the device configurations of " + string(a)
}

func (u unsorted) say() string {
	return variables.DisableSelect.Name() + "=" + string(u) + ": nothing is sorted; " + inOwnOrder
}

func (s sorted) say() string {
	return s.first.String() + " before " + s.second.String() + ": " + s.rule.say()
}

func (n numbered) String() string {
	return term.Either(n.number < 0, n.name, fmt.Sprint(n.number, " ", n.name))
}

func (n namedBySelect) say() string {
	return variables.DeviceSelect.Name() + "=" + string(n) + " names it"
}

func (t byType) say() string {
	return t.a + " comes before " + t.b
}

func (byKnownPCI) say() string { return "its PCI address is known, and the other device's is not" }

func (p byPCI) say() string { return "PCI address " + p.a + " comes before " + p.b }

func (i byIDs) say() string {
	return fmt.Sprintf("vendor xor device is %x; the other device's is %x", i.a, i.b)
}

func (asFound) say() string { return "no sort rule distinguishes them: " + inOwnOrder }

func (w withoutMesa) say() string {
	return wished(w) + " moves nothing: " + drivers.MesaLayer + ", which reads it, is not used here"
}

func (l leftByMesa) say() string {
	return drivers.MesaLayer + " hides all but " + l.left.String() + ": " + wished(l.wishes)
}

func (f firstByMesa) say() string {
	return drivers.MesaLayer + " puts " + f.first.String() + " first, which the loader has after " + f.before + ": " + wished(f.wishes)
}

func (c changedByMesa) say() string {
	return drivers.MesaLayer + " has changed the order: " + wished(c)
}

func (s sameByMesa) say() string { return drivers.MesaLayer + " has changed nothing: " + wished(s) }

// wished returns the variables of Mesa's layer as NAME=VALUE, or its default behaviour without any.
func wished(wishes []drivers.MesaWish) string {
	if len(wishes) == 0 {
		return "none of its variables is set: it puts the device of the display first"
	}
	return strings.Join(term.Words(wishes, func(w drivers.MesaWish) string { return w.Name + "=" + w.Value }), " ")
}
