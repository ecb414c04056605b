package ask

import (
	"time"

	"vkloader/discover"
	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/probe"
)

// Devices asks the drivers for their devices, in one child. The error is for what kept it from running.
func Devices(at probe.Place, environ []string, limit time.Duration) (*discover.Report, error) {
	if environ == nil {
		environ = []string{} // and not this process's
	}
	ctx, done := probe.Interruptible()
	defer done()
	return discover.Probe(ctx, discover.ProbeOptions{Env: environ, Library: at.Library, Child: at.Child, Limit: limit, Whole: true})
}

// Selected is a device as a selector is compared with it.
func Selected(d *discover.Device) gpus.Device {
	return gpus.Device{Index: int(d.Index), Name: d.Name, PCI: d.PCI, Vendor: d.VendorID, ID: d.DeviceID, UUID: d.DeviceUUID,
		DriverUUID: d.DriverUUID, DriverVersion: d.DriverVersion, Driver: d.DriverName}
}

// SelectedAll are several.
func SelectedAll(devices []discover.Device) (list []gpus.Device) {
	for i := range devices {
		list = append(list, Selected(&devices[i]))
	}
	return list
}
