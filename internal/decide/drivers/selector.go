package drivers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
)

// Device is a device in the form that selectors are compared with; unknown members are empty.
type Device struct {
	Index         int // its number in "vkloader list devices"; less than 0: it has none
	Name          string
	PCI           string // 0000:01:00.0
	Vendor, ID    uint32
	UUID          string // of the device, 32 hexadecimal digits
	DriverUUID    string
	DriverVersion uint32
	Driver        string // its name, for people
}

// DeviceForms is the grammar in one line, for the help of options.
const DeviceForms = "number in \"vkloader list devices\", PCI address, device UUID, VENDOR:DEVICE, vendor, or part of its name"

// DeviceHelp is the grammar in full, for the help of commands. The order is that in which the forms are tried.
const DeviceHelp = "DEVICE has one of these forms, tried in this order: its number in \"vkloader list\n" +
	"devices\"; its PCI address (0000:01:00.0 or 01:00.0); its device UUID;\n" +
	"DEVICEUUID/DRIVERUUID/VERSION; VENDOR:DEVICE in hexadecimal (10de:2684); its vendor (nvidia, amd,\n" +
	"intel, 10de); its name, or a part of it. It must match exactly one device; a name with a star at its\n" +
	"beginning or end matches every device with that name. PCI addresses tell identical cards apart.\n\n"

// maxNumber is the largest number that always means a device's number; a larger one may be part of a name, such as
// 4090.
const maxNumber = 99

var (
	pciForm  = machine.Pattern{Text: `^(?:([0-9a-f]{4,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})\.([0-7])$`}
	mesaForm = machine.Pattern{Text: `^pci-([0-9a-f]{4,8})_([0-9a-f]{2})_([0-9a-f]{2})_([0-7])$`}
	pairForm = machine.Pattern{Text: `^(?:0x)?([0-9a-f]{1,8}):(?:0x)?([0-9a-f]{1,8})$`}
	oneForm  = machine.Pattern{Text: `^(?:0x([0-9a-f]{1,8})|([0-9a-f]{4,5}))$`}
	uuidForm = machine.Pattern{Text: `^[0-9a-f]{32}$`}
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

// indexOf reads a device's number.
func indexOf(text string) (index int, ok bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	index, err := strconv.Atoi(text)
	return index, err == nil
}

func uuid(text string) (digits string, ok bool) {
	digits = strings.ToLower(strings.ReplaceAll(text, "-", ""))
	return digits, uuidForm.Form().MatchString(digits)
}

// reading is one of the meanings that a selector may have.
type reading struct {
	fits  func(*Device) bool
	alone bool // no later reading can apply
}

// readings returns a selector's meanings, in the order in which they are tried.
func readings(text string) (list []reading) {
	add := func(applies, alone bool, fits func(*Device) bool) {
		if applies {
			list = append(list, reading{fits, alone})
		}
	}
	index, ok := indexOf(text)
	add(ok, index <= maxNumber, func(d *Device) bool { return d.Index == index })
	address, ok := PCIAddress(text)
	add(ok, true, func(d *Device) bool { return strings.EqualFold(d.PCI, address) })
	digits, ok := uuid(text)
	add(ok, true, func(d *Device) bool { return strings.EqualFold(d.UUID, digits) })
	if part := strings.Split(text, "/"); len(part) == 3 {
		device, ok := uuid(part[0])
		driver, also := uuid(part[1])
		version, err := strconv.ParseInt(part[2], 10, 64)
		add(ok && also && err == nil, true, func(d *Device) bool {
			return strings.EqualFold(d.UUID, device) && strings.EqualFold(d.DriverUUID, driver) &&
				d.DriverVersion == uint32(version)
		})
	}
	vendor, device, ok := PCIPair(text)
	add(ok, true, func(d *Device) bool { return d.Vendor == vendor && d.ID == device })
	ids := vendorIDs(text)
	if part := oneForm.Form().FindStringSubmatch(strings.ToLower(text)); part != nil {
		id, _ := strconv.ParseUint(part[1]+part[2], 16, 32)
		ids = append(ids, uint32(id))
	}
	add(ids != nil, false, func(d *Device) bool { return d.Vendor != 0 && slices.Contains(ids, d.Vendor) })
	star := strings.Contains(text, "*")
	add(star, true, func(d *Device) bool { return plan.Matches(text, d.Name) })
	add(!star, false, func(d *Device) bool { return strings.EqualFold(d.Name, text) })
	add(text != "", true, func(d *Device) bool {
		return strings.Contains(strings.ToLower(d.Name), strings.ToLower(text))
	})
	return list
}

// SelectDevices returns the indices of the selected devices: one device, or any number for a name with a star. An error
// lists the devices, or the ambiguous ones.
func SelectDevices(text string, devices []Device) ([]int, error) {
	for _, r := range readings(text) {
		var hits []int
		for i := range devices {
			if r.fits(&devices[i]) {
				hits = append(hits, i)
			}
		}
		if len(hits) == 1 || len(hits) > 1 && strings.Contains(text, "*") {
			return hits, nil
		}
		if len(hits) > 1 {
			return nil, ambiguous(text, devices, hits)
		}
		if r.alone {
			break
		}
	}
	star := ""
	if strings.Contains(strings.Trim(text, "*"), "*") {
		star = " (a star is a wildcard only at the beginning and at the end)"
	}
	if len(devices) == 0 {
		return nil, fmt.Errorf("no device matches %q%s: no device was found", text, star)
	}
	return nil, fmt.Errorf("no device matches %q%s; available: %s", text, star, deviceNames(devices, nil))
}

// SelectEach returns the indices of the devices of several selectors, in their order, each once.
func SelectEach(texts []string, devices []Device) (places []int, err error) {
	for _, text := range texts {
		hits, err := SelectDevices(text, devices)
		if err != nil {
			return nil, err
		}
		places = append(places, slices.DeleteFunc(hits, func(at int) bool { return slices.Contains(places, at) })...)
	}
	return places, nil
}

func ambiguous(text string, devices []Device, hits []int) error {
	by := "PCI address"
	seen := map[string]bool{"": true}
	for _, i := range hits {
		if seen[devices[i].PCI] { // two drivers of one card, or a device that is not on the bus
			by = "number"
		}
		seen[devices[i].PCI] = true
	}
	return fmt.Errorf("%q may be any of %d devices: %s; name one by its %s", text, len(hits),
		deviceNames(devices, hits), by)
}

// deviceNames names devices; those at some places, or nil for all.
func deviceNames(devices []Device, at []int) string {
	var names []string
	for i := range devices {
		if at == nil || slices.Contains(at, i) {
			names = append(names, devices[i].String())
		}
	}
	return strings.Join(names, ", ")
}

// String describes a device with all that distinguishes it from others.
func (d *Device) String() string {
	text := fmt.Sprintf("%q", d.Name)
	if d.Index >= 0 {
		text = fmt.Sprintf("%d %s", d.Index, text)
	}
	var more []string
	for _, part := range []string{d.PCI, d.Driver} {
		if part != "" {
			more = append(more, part)
		}
	}
	if d.PCI == "" && d.UUID != "" {
		more = append(more, "UUID "+d.UUID)
	}
	if more != nil {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// BestSelector returns the shortest selector that selects only this device in every loader's order: its vendor, or else
// its PCI address, or its UUID, or its number.
func BestSelector(devices []Device, at int) string {
	d := &devices[at]
	for _, text := range []string{"nvidia", "amd", "intel", d.PCI, d.UUID} {
		if text == "" {
			continue
		}
		if hits, err := SelectDevices(text, devices); err == nil && slices.Equal(hits, []int{at}) {
			return text
		}
	}
	return strconv.Itoa(d.Index)
}

// DeviceChoices returns selectors that name exactly one device each, for a shell to offer, with their meaning: the
// number, the PCI address, the UUID, and the vendor's name.
func DeviceChoices(devices []Device) (list [][2]string) {
	for i := range devices {
		d := &devices[i]
		words := []string{d.PCI, d.UUID, strings.ToLower(VendorName(d.Vendor))}
		if d.Index >= 0 {
			words = append([]string{strconv.Itoa(d.Index)}, words...)
		}
		for _, word := range words {
			hits, err := SelectDevices(word, devices)
			if word == "" || err != nil || len(hits) != 1 || hits[0] != i {
				continue
			}
			told := d.Name
			if d.PCI != "" && word != d.PCI {
				told += ", " + d.PCI
			}
			list = append(list, [2]string{word, told})
		}
	}
	return list
}
