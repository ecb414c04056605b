package systems

import (
	"fmt"
	"slices"
	"strings"
)

// androidDeviceFacts determine the extensions of a device.
type androidDeviceFacts struct {
	Driver      []androidNamed
	HDR         bool // the display's configuration says so
	Shared      bool // the driver's presentation properties have it
	Compression bool // the feature is reported
	SyncFD      bool // fences can be imported from sync file descriptors
	UsageCalls  int  // how many of the four commands for buffer usage the driver has
}

// nativeSpec returns the version of VK_ANDROID_native_buffer; 0: the device lacks it.
func (d *androidDeviceFacts) nativeSpec() uint32 {
	for _, e := range d.Driver {
		if e.Name == nativeBuffer {
			return e.Spec
		}
	}
	return 0
}

// DeviceExtensions returns the extensions of a device that a program sees (AND-055, AND-056).
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

// CreateDevice returns the extensions that the driver gets, and the result (AND-057, AND-058, AND-060).
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

// androidFacts describes a machine and a program on it.
type androidFacts struct {
	Properties map[string]string // of the system
	Settings   map[string]string // global ones
	Program    androidProgram
}

// androidProgram describes a program.
type androidProgram struct {
	Package       string // its name; "": a process that is no app
	Debuggable    bool
	Dumpable      bool // the process could be made dumpable
	DebugPlatform bool // the whole system is a debuggable build
	Privileged    bool // a privileged app
	System        bool // a system app
	Updated       bool // and it has been updated
	Developer     bool // its manifest has com.android.graphics.developerdriver.enable
	InjectLayers  bool // its manifest has com.android.graphics.injectLayers.enable
	LibraryPath   string
	ABI           string
	Bits          string
	Environment   map[string]string // of a process that is no app
}

// property returns a property; "" if it is not set.
func (f *androidFacts) property(name string) string { return f.Properties[name] }

// splitList splits a list and skips empty items.
func splitList(text, separator string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separator, r) })
}

// debuggable reports whether the process may be debugged.
func (p *androidProgram) debuggable() bool { return p.Debuggable || p.DebugPlatform }

// Properties are a system's properties or parameters by their names.
type Properties map[string]string

// Read adds the lines of a file: "[name]: [value]" as printed by getprop, or "name=value" as in build.prop and as printed by
// param and settings. A later value replaces an earlier one. problems gives the positions of other lines.
func (p Properties) Read(file, content string) (problems []string) {
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := "", "", false
		if rest, bracket := strings.CutPrefix(line, "["); bracket {
			name, value, ok = strings.Cut(rest, "]: [")
			if ok {
				value, ok = strings.CutSuffix(value, "]")
			}
		} else {
			name, value, ok = strings.Cut(line, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		}
		if !ok || name == "" {
			problems = append(problems, fmt.Sprintf("%s:%d: neither [name]: [value] nor name=value", file, i+1))
			continue
		}
		p[name] = value
	}
	return problems
}
