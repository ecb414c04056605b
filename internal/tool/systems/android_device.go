package systems

import "slices"

// androidDeviceFacts are what decides about the extensions of a device.
type androidDeviceFacts struct {
	Driver      []androidNamed
	HDR         bool // the display's configuration says so
	Shared      bool // the driver's presentation properties have it
	Compression bool // the feature is reported
	SyncFD      bool // fences can be imported from sync file descriptors
	UsageCalls  int  // how many of the four commands for buffer usage the driver has
}

// nativeSpec is the version of VK_ANDROID_native_buffer, 0 without.
func (d *androidDeviceFacts) nativeSpec() uint32 {
	for _, e := range d.Driver {
		if e.Name == nativeBuffer {
			return e.Spec
		}
	}
	return 0
}

// DeviceExtensions are those that a program sees of a device (AND-055, AND-056).
func (f *androidFacts) DeviceExtensions(d *androidDeviceFacts) (all []androidNamed) {
	all = append(all, androidNamed{Name: "VK_KHR_incremental_present", Spec: 2})
	add := func(yes bool, name string, spec uint32) {
		if yes {
			all = append(all, androidNamed{Name: name, Spec: spec})
		}
	}
	add(d.HDR, "VK_EXT_hdr_metadata", 3)
	add(d.Shared, "VK_KHR_shared_presentable_image", 1)
	add(f.property("service.sf.present_timestamp") == "true", "VK_GOOGLE_display_timing", 1)
	compression := d.Compression && d.nativeSpec() >= 9
	add(compression, "VK_EXT_image_compression_control", 1)
	add(compression, "VK_EXT_image_compression_control_swapchain", 1)
	add(d.SyncFD, "VK_EXT_swapchain_maintenance1", 1)
	for _, e := range d.Driver {
		if e.Name == nativeBuffer {
			spec := uint32(68)
			if e.Spec >= 8 {
				spec = 70
			}
			e = androidNamed{Name: swapchain, Spec: spec}
		}
		if !hasNamed(all, e.Name) {
			all = append(all, e)
		}
	}
	return all
}

// CreateDevice says what becomes of a device's extensions (AND-057, AND-058, AND-060).
func (d *androidDeviceFacts) CreateDevice(wanted []string) (result string, asked []string) {
	if d.nativeSpec() > 0 && d.UsageCalls == 0 {
		return androidIncompatibleDrive, nil
	}
	wanted = slices.Clone(wanted)
	for i, name := range wanted {
		switch name {
		case swapchain:
			wanted[i] = nativeBuffer
		case "VK_EXT_swapchain_maintenance1":
			wanted[i] = "VK_KHR_external_fence_fd"
		}
	}
	return androidSuccess, passedOn(wanted, d.Driver)
}
