package drivers

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
)

// MesaLayer is the name in the layer's manifest.
const MesaLayer = "VK_LAYER_MESA_device_select"

// The variables that the layer reads.
const (
	MesaSelect = "MESA_VK_DEVICE_SELECT"
	MesaForce  = "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE"
	MesaPrime  = "DRI_PRIME"
)

// MesaVariable describes one of them: its values, its effect, and what overrides it.
type MesaVariable struct {
	Name, Takes, Does, YieldsTo string
}

// MesaVariables lists the variables in order of precedence.
var MesaVariables = []MesaVariable{
	{MesaSelect, "VENDOR:DEVICE, two hexadecimal numbers; with ! at the end; or list",
		"The layer puts this device first; with ! it hides all others. With list, it prints the devices and ends the program.",
		"the layer's disable variable"},
	{MesaForce, "1", "The layer hides every device but the one that it puts first.", "the layer's disable variable"},
	{MesaPrime, "a number from 1; pci-0000_01_00_0; or VENDOR:DEVICE; each with ! at the end",
		"The layer puts this device first. A number counts the devices other than the default one. With !, it hides all other devices. " +
			"OpenGL reads it, too.",
		MesaSelect + "; the layer's disable variable"},
}

// MesaWish is the request of a variable to the layer.
type MesaWish struct {
	Name, Value    string
	Number         int // the position of the device among those that are not the default one, from 1; 0: not by number
	PCI            string
	Vendor, Device uint32
	Pair           bool   // by vendor and device
	Only           bool   // hide the others
	Fault          string // the fault of the value; the rest is empty then
}

// ReadMesa parses a value; an empty one, or one without a request, gives an empty wish.
func ReadMesa(name, value string) MesaWish {
	w := MesaWish{Name: name, Value: value}
	text, only := strings.CutSuffix(value, "!")
	w.Only = only
	pair := func() bool {
		w.Vendor, w.Device, w.Pair = PCIPair(text)
		return w.Pair
	}
	fault := func(format string, args ...any) MesaWish {
		return MesaWish{Name: name, Value: value, Fault: fmt.Sprintf(format, args...)}
	}
	number, err := strconv.Atoi(text)
	switch {
	case value == "":
	case name == MesaForce:
		switch value {
		case "0":
		case "1":
			w.Only = true
		default:
			return fault("%q is neither 0 nor 1", value)
		}
	case name == MesaSelect && value == "list":
	case name == MesaSelect && !pair():
		return fault("%q is neither VENDOR:DEVICE, two hexadecimal numbers, nor list", value)
	case name == MesaSelect:
	case err == nil && number >= 0:
		w.Number = number
	case strings.HasPrefix(text, "pci-"):
		address, ok := PCIAddress(text)
		if !ok {
			return fault("%q is not a PCI address such as pci-0000_01_00_0", value)
		}
		w.PCI = address
	case pair():
	default:
		if address, ok := PCIAddress(text); ok {
			return fault("%q is not how it takes a PCI address; write %s", value, MesaAddress(address))
		}
		return fault("%q is not a number, a PCI address such as pci-0000_01_00_0, or VENDOR:DEVICE", value)
	}
	return w
}

// MesaAddress returns a PCI address in the form of DRI_PRIME.
func MesaAddress(pci string) string {
	return "pci-" + strings.NewReplacer(":", "_", ".", "_").Replace(pci)
}

// Does describes the layer's effect for the wish, in one sentence; "" for an empty wish.
func (w *MesaWish) Does() string {
	then := ""
	if w.Only {
		then = ", and hides all others"
	}
	switch {
	case w.Fault != "":
		return ""
	case w.Name == MesaSelect && w.Value == "list":
		return "The layer prints the devices, and the program ends."
	case w.Name == MesaForce && w.Only:
		return "The layer hides every device but the one that it puts first."
	case w.Number > 0:
		return fmt.Sprintf("The layer puts the device with the number %d among those that are not the default first%s.",
			w.Number, then)
	case w.PCI != "":
		return "The layer puts the device at " + w.PCI + " first" + then + "."
	case w.Pair:
		return fmt.Sprintf("The layer puts the device %04x:%04x first%s.", w.Vendor, w.Device, then)
	}
	return ""
}

// releaseMarks stand before the release of Mesa in a driver's library: in the text that a program gets as the driver's
// information, of which a compiler may leave only parts, and in the one by which Intel's drivers identify themselves in
// dumps.
var releaseMarks = []struct{ before, after string }{{"Mesa ", ""}, {"%s ", " build "}}

// MesaRelease returns the Mesa release in a driver's library; "" for another driver.
func MesaRelease(m *machine.Machine, file string) string {
	library, _ := m.ReadLarge(file)
	return mesaRelease(library)
}

func mesaRelease(library []byte) string {
	for _, mark := range releaseMarks {
		for rest := library; ; {
			_, after, is := bytes.Cut(rest, []byte(mark.before))
			if !is {
				break
			}
			rest = after
			end := 0
			for end < min(len(rest), 16) && (rest[end] == '.' || rest[end] >= '0' && rest[end] <= '9') {
				end++
			}
			text := string(rest[:end])
			if strings.Count(text, ".") == 2 && text[0] != '.' && bytes.HasPrefix(rest[end:], []byte(mark.after)) {
				return text
			}
		}
	}
	return ""
}
