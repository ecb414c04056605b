package survey

import (
	"fmt"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/term"
)

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

func (l leftOutBy) say() string { return "its driver is left out by " + string(l) }

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
