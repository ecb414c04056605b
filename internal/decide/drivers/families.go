package drivers

import (
	"path"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/core/family"
	"vkloader/internal/decide/wording"
)

// Family is a driver, with the facts about it that only the tool needs.
type Family struct {
	*family.Driver
	VideoCard string // the values of VIDEO_CARDS that add the driver to media-libs/mesa on Gentoo; "": unknown

	RunTime  []RunTime
	Platform []string // libraries that NVIDIA's EGL opens by the files of its platforms, for a window or a screen
	Backends []string // libraries that other libraries open in a directory below the driver's
	Whole    []string // directories of data, with all that is in them
	More     []string // device nodes that it opens besides render nodes and those in family.Driver; "*" for anything
	Data     []string // usual paths of files of data that it reads; "*" for anything
	Headless Headless // the files that it requires where there is no display
}

// Names of the table.
const (
	NVIDIA = family.NVIDIA
	HASVK  = family.HASVK
)

// extras returns the tool's facts about drivers, by name.
func extras() map[string]Family {
	return map[string]Family{
		"RADV (Mesa)": {VideoCard: "radeonsi", Data: []string{drirc, amdgpuNames}},
		"AMDVLK":      {Data: []string{amdgpuNames}},
		"ANV (Mesa)":  {VideoCard: "intel", Data: []string{drirc}},
		HASVK:         {VideoCard: "intel", Data: []string{drirc}},
		NVIDIA: {RunTime: []RunTime{
			{Stem: "libnvidia-glvkspirv", Required: true},
			{Stem: "libnvidia-gpucomp", Required: true, From: "550"},
			{Stem: "libnvidia-glcore"}, {Stem: "libnvidia-eglcore"}, {Stem: "libnvidia-glsi"}, {Stem: "libnvidia-tls"},
			{Stem: "libnvidia-rtcore"}, {Stem: "libnvidia-vulkan-producer"}, {Stem: "libnvidia-allocator"},
			{Stem: "libnvidia-cfg"},
			{Stem: "libnvidia-ifr", Before: "495"},
			// Without a display it starts EGL: the vendors' dispatcher, which finds this by 10_nvidia.json.
			{Stem: "libEGL_nvidia"}, {Name: "libEGL.so.1"},
		}, More: []string{"/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*"},
			Data: append([]string{"/usr/share/nvidia/nvidia-application-profiles-*",
				"/usr/share/egl/egl_external_platform.d/*_nvidia_*.json"}, nvidiaVendor...),
			Platform: []string{"libnvidia-egl-gbm.so.1", "libnvidia-egl-wayland.so.1", "libnvidia-egl-wayland2.so.1",
				"libnvidia-egl-xcb.so.1", "libnvidia-egl-xlib.so.1"},
			Backends: []string{"gbm/nvidia-drm_gbm.so"},
			Headless: Headless{Unless: []string{"DISPLAY", "WAYLAND_DISPLAY", "__EGL_VENDOR_LIBRARY_FILENAMES",
				"__EGL_VENDOR_LIBRARY_DIRS"},
				Libraries: []string{"libEGL.so.1", "libEGL_nvidia.so.0"}, Vendor: nvidiaVendor,
				Says: `{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}`}},
		"NVK (Mesa)":   {VideoCard: "nouveau nvk", Data: []string{drirc}},
		"Venus (Mesa)": {VideoCard: "virgl", Data: []string{drirc}},
		"gfxstream":    {Data: []string{drirc}},
		"Dozen (Mesa)": {VideoCard: "d3d12", Data: []string{drirc}, Whole: []string{"/usr/lib/wsl/drivers"},
			RunTime: []RunTime{{Name: "libdxcore.so", In: subsystem, Required: true},
				{Name: "libd3d12.so", In: subsystem, Required: true}, {Name: "libd3d12core.so", In: subsystem}}},
		"Turnip (Mesa)":     {VideoCard: "freedreno", Data: []string{drirc}},
		"PanVK (Mesa)":      {VideoCard: "panfrost", Data: []string{drirc}},
		"V3DV (Mesa)":       {VideoCard: "v3d", Data: []string{drirc}},
		"Honeykrisp (Mesa)": {VideoCard: "asahi honeykrisp", Data: []string{drirc}},
		"PowerVR (Mesa)":    {Data: []string{drirc}},
		"lavapipe (Mesa)":   {VideoCard: "lavapipe", Data: []string{drirc}},
		"SwiftShader":       {},
	}
}

// known is the result of Families.
var known struct {
	once sync.Once
	list []*Family
}

// Families returns all known drivers, in the order of the table. The list is made at the first call, because
// nothing runs when the package is imported.
func Families() []*Family {
	known.once.Do(func() {
		more := extras()
		for i := range family.Drivers {
			f := more[family.Drivers[i].Name]
			f.Driver = &family.Drivers[i]
			known.list = append(known.list, &f)
		}
	})
	return known.list
}

// Of returns the family of a library, by its path or name; nil: unknown. The methods about the kind of a driver and its
// devices return false for nil.
func Of(library string) *Family { return with(family.DriverOf(library)) }

// For returns the family to install for a kernel driver; nil: none is known.
func For(kernel string) *Family { return with(family.DriverFor(kernel)) }

func with(d *family.Driver) *Family {
	for _, f := range Families() {
		if f.Driver == d {
			return f
		}
	}
	return nil
}

// Virtual reports whether a driver of the kernel drives the device of a virtual machine.
func Virtual(kernel string) bool {
	return For(kernel).Virtual()
}

// Virtual reports whether the driver is for the device of a virtual machine, which has as much Vulkan as its host
// offers.
func (f *Family) Virtual() bool { return f != nil && f.Hardware == family.Virtio }

// IsMesa reports whether the driver is a part of Mesa.
func (f *Family) IsMesa() bool { return f != nil && strings.HasSuffix(f.Name, " (Mesa)") }

// Is reports whether the family has a name of the table.
func (f *Family) Is(name string) bool { return f != nil && f.Name == name }

// Software reports whether the driver computes on the CPU.
func (f *Family) Software() bool { return f != nil && f.Driver.Software() }

// WorksOn reports whether the driver serves devices of a kernel driver.
func (f *Family) WorksOn(kernel string) bool { return f != nil && f.Driver.WorksOn(kernel) }

// Opened returns the patterns of the device nodes outside /dev/dri that a driver opens.
func (f *Family) Opened() []string {
	return append(wording.Words(f.Nodes, func(node family.Node) string { return node.Path }), f.More...)
}

// The variables of a container that NVIDIA's container tools read.
const (
	NvidiaCapabilities = "NVIDIA_DRIVER_CAPABILITIES"
	NvidiaDevices      = "NVIDIA_VISIBLE_DEVICES"
)

// GrantsGraphics reports whether a value of NVIDIA_DRIVER_CAPABILITIES makes NVIDIA's container tools add the files
// that Vulkan needs.
func GrantsGraphics(capabilities string) bool {
	return slices.ContainsFunc(strings.Split(capabilities, ","), func(c string) bool {
		c = strings.TrimSpace(c)
		return c == "all" || c == "graphics" || c == "display"
	})
}

// OfManifest returns the driver family of a manifest by its usual name, such as radeon_icd.x86_64.json; nil if unknown.
func OfManifest(manifest string) *Family {
	stem, _, is := strings.Cut(path.Base(manifest), "_icd")
	if !is {
		return nil
	}
	for _, prefix := range []string{"libvulkan_", "libGLX_"} {
		if f := Of(prefix + stem + ".so"); f != nil {
			return f
		}
	}
	return nil
}
