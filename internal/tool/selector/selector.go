// Package selector reads the words with which users select devices of a list: numbers, addresses, UUIDs, vendors and
// names. There is one grammar for every command, and one error for an ambiguous name.
package selector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vkloader/discover"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// Forms is the grammar in one line, for the help of options.
const Forms = "number in \"vkloader list devices\", PCI address, device UUID, VENDOR:DEVICE, vendor, or part of its name"

// Help is the grammar in full, for the help of commands. The order is that in which the forms are tried.
const Help = "DEVICE has one of these forms, tried in this order: its number in \"vkloader list\n" +
	"devices\"; its PCI address (0000:01:00.0 or 01:00.0); its device UUID;\n" +
	"DEVICEUUID/DRIVERUUID/VERSION; VENDOR:DEVICE in hexadecimal (10de:2684); its vendor (nvidia, amd,\n" +
	"intel, 10de); its name, or a part of it. It must match exactly one device; a name with a star at its\n" +
	"beginning or end matches every device with that name. PCI addresses tell identical cards apart.\n\n"

// maxNumber is the largest number that always means a device's number; a larger one may be part of a name, such as
// 4090.
const maxNumber = 99

var (
	oneForm  = machine.Pattern{Text: `^(?:0x([0-9a-f]{1,8})|([0-9a-f]{4,5}))$`}
	uuidForm = machine.Pattern{Text: `^[0-9a-f]{32}$`}
)

func uuid(text string) (digits string, ok bool) {
	digits = strings.ToLower(strings.ReplaceAll(text, "-", ""))
	return digits, uuidForm.Form().MatchString(digits)
}

// reading is one of the meanings that a selector may have.
type reading struct {
	fits  func(*discover.Device) bool
	alone bool // no later reading can apply
}

// readings returns a selector's meanings, in the order in which they are tried.
func readings(text string) (list []reading) {
	add := func(applies, alone bool, fits func(*discover.Device) bool) {
		if applies {
			list = append(list, reading{fits, alone})
		}
	}
	index, err := strconv.ParseUint(text, 10, 32)
	add(err == nil, index <= maxNumber, func(d *discover.Device) bool { return d.Index == uint32(index) })
	address, ok := drivers.PCIAddress(text)
	add(ok, true, func(d *discover.Device) bool { return strings.EqualFold(d.PCI, address) })
	digits, ok := uuid(text)
	add(ok, true, func(d *discover.Device) bool { return strings.EqualFold(d.DeviceUUID, digits) })
	if part := strings.Split(text, "/"); len(part) == 3 {
		device, ok := uuid(part[0])
		driver, also := uuid(part[1])
		version, err := strconv.ParseInt(part[2], 10, 64)
		add(ok && also && err == nil, true, func(d *discover.Device) bool {
			return strings.EqualFold(d.DeviceUUID, device) && strings.EqualFold(d.DriverUUID, driver) &&
				d.DriverVersion == uint32(version)
		})
	}
	vendor, device, ok := drivers.PCIPair(text)
	add(ok, true, func(d *discover.Device) bool { return d.VendorID == vendor && d.DeviceID == device })
	ids := drivers.VendorIDs(text)
	if part := oneForm.Form().FindStringSubmatch(strings.ToLower(text)); part != nil {
		id, _ := strconv.ParseUint(part[1]+part[2], 16, 32)
		ids = append(ids, uint32(id))
	}
	add(ids != nil, false, func(d *discover.Device) bool { return d.VendorID != 0 && slices.Contains(ids, d.VendorID) })
	star := strings.Contains(text, "*")
	add(star, true, func(d *discover.Device) bool { return plan.Matches(text, d.Name) })
	add(!star, false, func(d *discover.Device) bool { return strings.EqualFold(d.Name, text) })
	add(text != "", true, func(d *discover.Device) bool {
		return strings.Contains(strings.ToLower(d.Name), strings.ToLower(text))
	})
	return list
}

// Find returns the indices of the selected devices: one device, or any number for a name with a star. An error
// lists the devices, or the ambiguous ones.
func Find(text string, devices []discover.Device) ([]int, error) {
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
	if len(devices) == 0 {
		return nil, fmt.Errorf("no device matches %q%s: no device was found", text, StarHint(text))
	}
	return nil, fmt.Errorf("no device matches %q%s; available: %s", text, StarHint(text), deviceNames(devices, nil))
}

// StarHint returns a hint about the valid positions of a star in a pattern (ENV-39).
func StarHint(pattern string) string {
	inside := strings.Contains(strings.Trim(pattern, "*"), "*")
	return term.Either(inside, " (a star is a wildcard only at the beginning and at the end)", "")
}

// FindEach returns the indices of the devices of several selectors, in their order, each once.
func FindEach(texts []string, devices []discover.Device) (places []int, err error) {
	for _, text := range texts {
		hits, err := Find(text, devices)
		if err != nil {
			return nil, err
		}
		places = append(places, slices.DeleteFunc(hits, func(at int) bool { return slices.Contains(places, at) })...)
	}
	return places, nil
}

func ambiguous(text string, devices []discover.Device, hits []int) error {
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
func deviceNames(devices []discover.Device, at []int) string {
	var names []string
	for i := range devices {
		if at == nil || slices.Contains(at, i) {
			names = append(names, Describe(&devices[i]))
		}
	}
	return strings.Join(names, ", ")
}

// Describe describes a device with all that distinguishes it from others.
func Describe(d *discover.Device) string {
	text := fmt.Sprintf("%d %q", d.Index, d.Name)
	var more []string
	for _, part := range []string{d.PCI, d.DriverName} {
		if part != "" {
			more = append(more, part)
		}
	}
	if d.PCI == "" && d.DeviceUUID != "" {
		more = append(more, "UUID "+d.DeviceUUID)
	}
	if more != nil {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// Best returns the shortest selector that selects only this device in every loader's order: its vendor, or else
// its PCI address, or its UUID, or its number.
func Best(devices []discover.Device, at int) string {
	d := &devices[at]
	for _, text := range []string{"nvidia", "amd", "intel", d.PCI, d.DeviceUUID} {
		if text == "" {
			continue
		}
		if hits, err := Find(text, devices); err == nil && slices.Equal(hits, []int{at}) {
			return text
		}
	}
	return fmt.Sprint(d.Index)
}
