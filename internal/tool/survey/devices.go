package survey

import (
	"slices"
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
)

// Device is a device, and whether programs see it.
type Device struct {
	probe.Device
	In  bool   `json:"in"`
	Why string `json:"why,omitempty"` // it is out
}

// Devices asks the probe, once more without what hides devices when there is any.
func Devices(found probe.Place, source *machine.Source, limit time.Duration) (devices []Device, problem string, err error) {
	devices = []Device{}
	seen, err := probe.Run(found, machine.WithoutVariable(source.Environ, variables.Debug.Name()), limit)
	if err != nil {
		return nil, "", err
	}
	for _, d := range seen.Devices {
		devices = append(devices, Device{Device: d, In: true})
	}
	answer, err := decision.Ask(source)
	if err != nil {
		return nil, "", err
	}
	why := ""
	for _, v := range deviceFilters {
		if value, _ := source.Lookup(v.Name()); value != "" {
			why += " " + v.Name() + "=" + value
		}
	}
	if answer.Settings != nil && answer.Settings.HasDevices {
		why += " the device configurations of " + answer.Settings.File
	}
	if why != "" {
		all, _, err := EveryDevice(found, &source.Machine, limit)
		if err != nil {
			return nil, "", err
		}
		for _, d := range all {
			if !slices.ContainsFunc(seen.Devices, func(o probe.Device) bool { return sameDevice(&d, &o) }) {
				devices = append(devices, Device{Device: d, Why: "hidden by" + why})
			}
		}
	}
	return devices, seen.Problem, nil
}

var deviceFilters = []variables.ID{variables.DeviceIDFilter, variables.VendorIDFilter, variables.DriverIDFilter}

// sameDevice compares two devices of different runs, whose numbers may differ.
func sameDevice(a, b *probe.Device) bool {
	return a.Name == b.Name && a.VendorID == b.VendorID && a.DeviceID == b.DeviceID && a.DriverVersion == b.DriverVersion &&
		a.DeviceUUID == b.DeviceUUID && a.DriverUUID == b.DriverUUID
}

// EveryDevice asks the probe for the devices that there are without filters and without a settings file: the library
// looks at a file that says nothing first. problem is why there may be more.
func EveryDevice(found probe.Place, m *machine.Machine, limit time.Duration) (devices []probe.Device, problem string, err error) {
	environ, remove, err := settingsfile.Shadow(m.Environ, settingsfile.Silent)
	if err != nil {
		return nil, "", err
	}
	defer remove()
	for _, v := range append(slices.Clone(deviceFilters), variables.Debug) {
		environ = machine.WithoutVariable(environ, v.Name())
	}
	seen, err := probe.Run(found, environ, limit)
	if err != nil {
		return nil, "", err
	}
	return seen.Devices, seen.Problem, nil
}
