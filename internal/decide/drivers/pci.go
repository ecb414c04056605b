package drivers

import (
	"fmt"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
)

var (
	pciForm  = machine.Pattern{Text: `^(?:([0-9a-f]{4,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})\.([0-7])$`}
	mesaForm = machine.Pattern{Text: `^pci-([0-9a-f]{4,8})_([0-9a-f]{2})_([0-9a-f]{2})_([0-7])$`}
	pairForm = machine.Pattern{Text: `^(?:0x)?([0-9a-f]{1,8}):(?:0x)?([0-9a-f]{1,8})$`}
)

// PCIAddress reads a PCI address, also a short one or one in Mesa's form (pci-0000_01_00_0), and returns the full one.
func PCIAddress(text string) (address string, ok bool) {
	text = strings.ToLower(text)
	part := pciForm.Form().FindStringSubmatch(text)
	if part == nil {
		part = mesaForm.Form().FindStringSubmatch(text)
	}
	if part == nil {
		return "", false
	}
	var number [4]uint64
	for i := range number {
		number[i], _ = strconv.ParseUint(part[1+i], 16, 32) // a domain that is left out is 0
	}
	return fmt.Sprintf("%04x:%02x:%02x.%x", number[0], number[1], number[2], number[3]), number[2] < 32
}

// PCIPair reads VENDOR:DEVICE, two hexadecimal numbers.
func PCIPair(text string) (vendor, device uint32, ok bool) {
	part := pairForm.Form().FindStringSubmatch(strings.ToLower(text))
	if part == nil {
		return 0, 0, false
	}
	a, _ := strconv.ParseUint(part[1], 16, 32)
	b, _ := strconv.ParseUint(part[2], 16, 32)
	return uint32(a), uint32(b), true
}
