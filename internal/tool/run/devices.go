package run

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// Devices are a machine's devices as programs get them.
type Devices struct {
	List   []decide.Device
	Hidden []string // the reason a device is hidden from programs even without ID filters; "": visible
}

// DeviceChanges returns the changes of variables that leave a program only the requested devices (ENV-92 to ENV-99). list
// lists the devices; if it is nil, each request must be VENDOR:DEVICE. m has the environment to change. program is for
// suggested commands.
func (c *Choice) DeviceChanges(m *machine.Machine, program string, list func() (*Devices, error)) (changes []Edit, warnings []string, err error) {
	if len(c.Devices) == 0 {
		return nil, nil, nil
	}
	if list == nil {
		var filters idFilters
		for _, wanted := range c.Devices {
			vendor, device, ok := drivers.PCIPair(wanted)
			if !ok {
				return nil, nil, fmt.Errorf("with --root, --device needs VENDOR:DEVICE, got %s: the devices are not those of this machine", wanted)
			}
			filters.add(vendor, device)
		}
		return filters.changes(m), nil, nil
	}
	all, err := list()
	if err != nil {
		return nil, nil, err
	}
	listed := decide.SelectedAll(all.List)
	var filters idFilters
	chosen, places := map[int]bool{}, []int{}
	for _, wanted := range c.Devices {
		hits, err := drivers.SelectDevices(wanted, listed)
		if err != nil {
			return nil, nil, fmt.Errorf("--device: %w", err)
		}
		for _, at := range hits {
			if !chosen[at] {
				chosen[at] = true
				places = append(places, at)
			}
			filters.add(all.List[at].VendorID, all.List[at].DeviceID)
			if all.Hidden[at] != "" {
				return nil, nil, fmt.Errorf("--device %s: the program would not see %s: %s", wanted, listed[at].String(), all.Hidden[at])
			}
		}
	}
	filters.byDriver(all.List, chosen)
	for i := range all.List {
		if chosen[i] || all.Hidden[i] != "" || !filters.pass(&all.List[i]) {
			continue
		}
		warning := fmt.Sprintf("--device: the program also gets %s: variables select devices only by vendor and device number", listed[i].String())
		if all.List[places[0]].DeviceUUID != "" {
			line := "vkloader settings set --app " + term.Quoted(program)
			for _, at := range places {
				line += " --device " + term.Quoted(drivers.BestSelector(listed, at))
			}
			warning += "; settings can select one of them: " + line
		}
		warnings = append(warnings, warning)
	}
	return filters.changes(m), warnings, nil
}

// idFilters are the values of the ID filters. A device must match each non-empty filter.
type idFilters struct {
	vendors, devices, drivers []uint32
}

func (f *idFilters) add(vendor, device uint32) {
	for list, n := range map[*[]uint32]uint32{&f.vendors: vendor, &f.devices: device} {
		if !slices.Contains(*list, n) {
			*list = append(*list, n)
		}
	}
}

// byDriver adds the driver filter if it excludes another driver's device with equal IDs and no chosen device. A Vulkan 1.1
// device may not report its driver.
func (f *idFilters) byDriver(all []decide.Device, chosen map[int]bool) {
	var ids []uint32
	for i := range all {
		if !chosen[i] {
			continue
		}
		if all[i].DriverID == 0 {
			return
		}
		if !slices.Contains(ids, all[i].DriverID) {
			ids = append(ids, all[i].DriverID)
		}
	}
	for i := range all {
		if !chosen[i] && f.pass(&all[i]) && !slices.Contains(ids, all[i].DriverID) {
			f.drivers = ids
			return
		}
	}
}

func (f *idFilters) pass(d *decide.Device) bool {
	return slices.Contains(f.vendors, d.VendorID) && slices.Contains(f.devices, d.DeviceID) &&
		(f.drivers == nil || slices.Contains(f.drivers, d.DriverID))
}

func (f *idFilters) changes(m *machine.Machine) (changes []Edit) {
	for _, filter := range []struct {
		v      variables.ID
		ids    []uint32
		format string
	}{{variables.VendorIDFilter, f.vendors, "0x%x"}, {variables.DeviceIDFilter, f.devices, "0x%x"}, {variables.DriverIDFilter, f.drivers, "%d"}} {
		texts := term.Words(filter.ids, func(id uint32) string { return fmt.Sprintf(filter.format, id) })
		if texts != nil {
			changes = append(changes, SetVariable(filter.v.Name(), strings.Join(texts, ",")))
		} else if _, has := m.Lookup(filter.v.Name()); has {
			changes = append(changes, Edit{Name: filter.v.Name()})
		}
	}
	return changes
}
