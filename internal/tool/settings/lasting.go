package settings

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"vkloader/discover"
	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/selector"
)

// releaseNumber is a version in an identifier.
var releaseNumber = machine.Pattern{Text: `[0-9]+\.[0-9]+`}

// versionIn returns the text of a UUID that is a text with a version, such as "mesa25.0.7-2"; "" for other UUIDs.
func versionIn(uuid string) string {
	bytes, err := hex.DecodeString(strings.ReplaceAll(uuid, "-", ""))
	if err != nil {
		return ""
	}
	text := strings.TrimRight(string(bytes), "\x00")
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) ||
		!releaseNumber.Form().MatchString(text) {
		return ""
	}
	return text
}

// DeviceEntry returns a device's UUIDs and version as they are in settings, or an error for a device that settings
// cannot name, or would lose with the next update of its driver; then the error says how to choose the driver instead.
// After an update, the loader finds a device by its UUIDs, or by its name if no other device has it (SET-95).
func DeviceEntry(d *discover.Device) (map[string]any, error) {
	entry, is := explicitDevice(fmt.Sprintf("%s/%s/%d", d.DeviceUUID, d.DriverUUID, int32(d.DriverVersion)))
	if !is {
		return nil, exit.Problem(
			"--device: %s supports only Vulkan 1.0, and settings cannot name devices of Vulkan 1.0", d.Name)
	}
	version := versionIn(d.DeviceUUID)
	if version == "" {
		return entry, nil
	}
	instead := shell.Line("vkloader settings set --driver NAME (vkloader list drivers shows the name)")
	// on Windows, Wine's driver may be before it
	if name := manifestsOf[d.DriverName]; name != "" && machine.Style == pathname.Slash {
		instead = "vkloader settings set --driver " + shell.Quoted(name)
	}
	return nil, exit.Problem("--device: the identifier of %s contains the version of its driver (%s): an update "+
		"of the driver changes it, and no program would get the "+
		"device. Choose its driver instead: %s", d.Name, version, instead)
}

// manifestsOf are the names of the manifests of drivers that identify their device by their version, as patterns.
var manifestsOf = map[string]string{"llvmpipe": "lvp_icd*"}

// Lasting describes how the settings keep their devices after an update of a driver.
const Lasting = "After an update of a driver, this loader finds these devices again by their UUIDs, or by their names."

// devices enters the configurations of the devices into the object.
func (c *Options) devices(lister Devices, object map[string]any) error {
	list := []any{}
	var all, chosen []discover.Device
	for _, word := range c.Devices {
		if entry, ok := explicitDevice(word); ok { // it may belong to another machine
			list = append(list, entry)
			continue
		}
		if all == nil {
			var err error
			if all, err = lister.List(); err != nil {
				return err
			}
		}
		hits, err := selector.Find(word, all)
		if err != nil {
			return exit.Problem("--device: %w", err)
		}
		for _, at := range hits {
			d := all[at]
			entry, err := DeviceEntry(&d)
			if err != nil {
				return err
			}
			for i := range all {
				if o := &all[i]; i != at && o.DeviceUUID == d.DeviceUUID && o.DriverUUID == d.DriverUUID &&
					o.DriverVersion == d.DriverVersion {
					return exit.Problem("--device: %s has the same UUIDs as %s: no settings can tell them apart",
						selector.Describe(&d), selector.Describe(o))
				}
			}
			entry["deviceName"], entry["driverName"] = d.Name, d.DriverName
			list, chosen = append(list, entry), append(chosen, d)
		}
	}
	object["device_configurations"] = list
	if len(chosen) == 0 {
		return nil
	}
	return lister.Try(object, chosen)
}

// explicitDevice parses DEVICEUUID/DRIVERUUID/VERSION.
func explicitDevice(text string) (map[string]any, bool) {
	part := strings.Split(text, "/")
	if len(part) != 3 {
		return nil, false
	}
	entry := map[string]any{}
	for i, name := range []string{"deviceUUID", "driverUUID"} {
		bytes, err := hex.DecodeString(strings.ReplaceAll(part[i], "-", ""))
		if err != nil || len(bytes) != 16 {
			return nil, false
		}
		numbers := []any{}
		for _, b := range bytes {
			numbers = append(numbers, int(b))
		}
		entry[name] = numbers
	}
	version, err := strconv.ParseInt(part[2], 10, 32)
	entry["driverVersion"] = version
	return entry, err == nil
}
