package randomworlds

import "slices"

// configured identifies a device in a settings file. A UUID is one byte, repeated sixteen times.
type configured struct{ device, driver, version int }

// configuredBy reads device_configurations (SET-90 to SET-92). It returns false if they are not active.
func configuredBy(v *value) (list []configured, ok bool) {
	if v == nil || v.kind != 'a' {
		return nil, false
	}
	number := func(v *value) (n int, ok bool) {
		if v == nil || v.kind != 'n' {
			return 0, false
		}
		for _, c := range v.text {
			n = n*10 + int(c-'0')
		}
		return n, true
	}
	for _, item := range v.items {
		if item.kind != 'o' { // SET-91
			return nil, false
		}
		device, driver := item.get("deviceUUID"), item.get("driverUUID")
		version, ok := number(item.get("driverVersion"))
		if device == nil || driver == nil || len(device.items) != 16 || len(driver.items) != 16 || !ok {
			continue
		}
		one, _ := number(device.items[0])
		two, _ := number(driver.items[0])
		list = append(list, configured{one, two, version})
	}
	return list, true
}

// identified reports whether a settings file's configurations can identify a device (SET-94).
func (s *stated) identified(d *physical) bool {
	offers := minor(s.reports(d.who)) >= v1_1 || slices.ContainsFunc(s.seek(d.who, "ext"), func(words []string) bool {
		return words[0] == "VK_KHR_get_physical_device_properties2"
	})
	return minor(d.api) >= v1_1 && offers
}

// assigned returns the device of each configuration, or nil (SET-94, SET-95): the first one that matches exactly, otherwise the first
// free one with both UUIDs, otherwise the only free one with the device's UUID.
func (s *stated) assigned(list []configured, devices []*physical) []*physical {
	out := make([]*physical, len(list))
	for step := range 3 {
		for at, c := range list {
			var fit []*physical
			for _, d := range devices {
				like := d.configured
				if step > 0 {
					like.version = c.version
				}
				if step > 1 {
					like.driver = c.driver
				}
				if s.identified(d) && like == c && (step == 0 || !slices.Contains(out, d)) {
					fit = append(fit, d)
				}
			}
			if out[at] == nil && len(fit) > 0 && (step < 2 || len(fit) == 1) {
				out[at] = fit[0]
			}
		}
	}
	return out
}

// chosen returns the devices of a settings file's configurations, in their order (SET-93 to SET-97).
func (s *stated) chosen(i *instance, devices []*physical) (list []*physical, result int32) {
	room := min(len(i.set.devices), len(devices)) // SET-96
	for _, d := range s.assigned(i.set.devices, devices) {
		if d != nil {
			list = append(list, d)
		}
	}
	switch {
	case len(list) == 0: // SET-97
		return nil, -3
	case len(list) > room: // SET-96
		return list[:room], incomplete
	}
	return list, success
}
