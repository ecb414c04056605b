package table

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/containers/component"
	"vkloader/internal/containers/state"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/decide/wording"
)

// maxEntries is how many drivers a device may list (FLS-054).
const maxEntries = 8

// Device is a device's known attributes.
type Device struct {
	Module     string // the kernel's driver
	Vendor     string // PCI ids, four hexadecimal digits in lower case; "" on no PCI bus
	Product    string
	Compatible []string // of the device tree
}

// DeviceEntry is a table's entry for a device.
type DeviceEntry struct {
	Emulated bool // the device is an emulator's
	Entries  []state.ListedDriver
	Wrong    []string // the reasons why entries were ignored
}

// file is a table: which devices it is for, and their drivers, best first.
type file struct {
	Match []struct {
		Module     string   `json:"module"`
		Vendor     string   `json:"pci_vendor"`
		Products   []string `json:"pci_devices"` // "1234" or "1000-1fff"; none: all
		Compatible string   `json:"compatible"`
	} `json:"match"`
	Emulated bool              `json:"emulated"`
	ICDs     []json.RawMessage `json:"icds"`
}

// Lookup reads the tables of some directories, in order and by name, until one has the device. It skips invalid files
// and returns a message for each in wrong. Without a matching table it returns no drivers.
func Lookup(directories []string, d Device) (answer DeviceEntry, wrong []string) {
	for _, directory := range directories {
		names, err := filepath.Glob(filepath.Join(directory, "*.json"))
		if err != nil {
			continue
		}
		slices.Sort(names)
		for _, name := range names {
			var f file
			text, err := (&machine.Machine{}).ReadFile(name)
			if err == nil {
				err = trust.Refused("used", trust.Path(name))
			}
			if err == nil {
				err = wording.Malformed(text, json.Unmarshal(text, &f))
			}
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
				continue
			}
			if f.isFor(d) {
				answer = Entries(f.ICDs, directory)
				answer.Emulated = f.Emulated
				return answer, wrong
			}
		}
	}
	return DeviceEntry{}, wrong
}

// isFor reports whether one of the matches fits; every key of a match must fit.
func (f *file) isFor(d Device) bool {
	for _, m := range f.Match {
		if m.Module == "" && m.Vendor == "" && m.Compatible == "" {
			continue // an empty match would fit every device
		}
		if (m.Module == "" || m.Module == d.Module) && (m.Vendor == "" || strings.EqualFold(m.Vendor, d.Vendor)) &&
			(m.Compatible == "" || slices.Contains(d.Compatible, m.Compatible)) && among(m.Products, d.Product) {
			return true
		}
	}
	return false
}

func among(ranges []string, product string) bool {
	if len(ranges) == 0 {
		return true
	}
	number, err := strconv.ParseUint(product, 16, 16)
	return err == nil && slices.ContainsFunc(ranges, func(r string) bool {
		from, to, isRange := strings.Cut(r, "-")
		if !isRange {
			to = from
		}
		low, err := strconv.ParseUint(from, 16, 16)
		high, wrong := strconv.ParseUint(to, 16, 16)
		return err == nil && wrong == nil && low <= number && number <= high
	})
}

// Entries reads a list of drivers. It skips entries without URL or flags; they take no place (FLS-056). Relative URLs
// are below base.
func Entries(list []json.RawMessage, base string) DeviceEntry {
	var a DeviceEntry
	for i, text := range list {
		var e struct {
			URL   *string `json:"component_url"`
			Flags *uint32 `json:"flags"`
		}
		switch err := wording.Malformed(text, json.Unmarshal(text, &e)); {
		case err != nil:
			a.Wrong = append(a.Wrong, fmt.Sprintf("driver %d: %v", i, err))
		case e.URL == nil:
			a.Wrong = append(a.Wrong, fmt.Sprintf("driver %d has no component_url", i))
		case e.Flags == nil:
			a.Wrong = append(a.Wrong, fmt.Sprintf("driver %d has no flags", i))
		case len(a.Entries) == maxEntries:
			a.Wrong = append(a.Wrong, fmt.Sprintf("driver %d is more than the %d that count", i, maxEntries))
		default:
			a.Entries = append(a.Entries, state.ListedDriver{URL: component.Absolute(*e.URL, base), Flags: *e.Flags})
		}
	}
	return a
}
