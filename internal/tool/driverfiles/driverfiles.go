package driverfiles

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// RunTime is a library that a driver opens when it runs.
type RunTime struct {
	Stem     string // of its file name, up to ".so"; its version is that of the driver's own file
	Name     string // the whole name, in place of a stem, of one that is not of the driver's version
	Required bool   // the driver does not work without it
	From     string // the first version of the driver that has it; "": all
	Before   string // the first version that has it no longer; "": none
}

// Family is what drivers of one kind use.
type Family struct {
	libraries []string // base names of their libraries, up to ".so"
	RunTime   []RunTime
	Kernel    []string // drivers of the kernel whose render nodes they use; nil: they need no device
	Nodes     []string // device nodes beside those below /dev/dri, "*" for anything
	Data      []string // files of data that they read, where they are usually; "*" for anything
	Headless  Headless // what they cannot do without where there is no display
}

// Headless is what a driver of NVIDIA's starts itself by where no display is: through the vendors' EGL.
type Headless struct {
	Unless    []string // variables: a display, or other places for the vendors' files
	Libraries []string // names
	Vendor    []string // where the file lies that names the driver's own EGL, one of which is enough; "*" for anything
	Says      string   // what is in such a file
}

// mesa are the files that Mesa's drivers read of programs that want special treatment.
const mesa = "/usr/share/drirc.d/*.conf"

// nvidiaVendor is where the vendors' EGL looks for a file that names NVIDIA's.
var nvidiaVendor = []string{"/usr/share/glvnd/egl_vendor.d/*_nvidia.json", "/etc/glvnd/egl_vendor.d/*_nvidia.json"}

// families are the drivers that are known.
var families = []Family{
	{libraries: []string{"libGLX_nvidia", "libEGL_nvidia"}, Kernel: []string{"nvidia", "nvidia-drm"},
		RunTime: []RunTime{
			{Stem: "libnvidia-glvkspirv", Required: true},
			{Stem: "libnvidia-gpucomp", Required: true, From: "550"},
			{Stem: "libnvidia-glcore"}, {Stem: "libnvidia-eglcore"}, {Stem: "libnvidia-glsi"}, {Stem: "libnvidia-tls"},
			{Stem: "libnvidia-rtcore"}, {Stem: "libnvidia-allocator"}, {Stem: "libnvidia-cfg"},
			{Stem: "libnvidia-ifr", Before: "495"},
			// Without a display it starts EGL: the vendors' dispatcher, which finds this by 10_nvidia.json.
			{Stem: "libEGL_nvidia"}, {Name: "libEGL.so.1"},
		},
		Nodes: []string{"/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*"},
		Data:  append([]string{"/usr/share/nvidia/nvidia-application-profiles-*"}, nvidiaVendor...),
		Headless: Headless{Unless: []string{"DISPLAY", "WAYLAND_DISPLAY", "__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"},
			Libraries: []string{"libEGL.so.1", "libEGL_nvidia.so.0"}, Vendor: nvidiaVendor,
			Says: `{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}`}},
	{libraries: []string{"libvulkan_radeon"}, Kernel: []string{"amdgpu"}, Data: []string{mesa, "/usr/share/libdrm/amdgpu.ids"}},
	{libraries: []string{"amdvlk64", "amdvlk32", "amdvlkpro64", "amdvlkpro32"}, Kernel: []string{"amdgpu"},
		Data: []string{"/usr/share/libdrm/amdgpu.ids"}},
	{libraries: []string{"libvulkan_intel"}, Kernel: []string{"i915", "xe"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_intel_hasvk"}, Kernel: []string{"i915"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_nouveau"}, Kernel: []string{"nouveau", "nova"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_virtio", "libvulkan_gfxstream"}, Kernel: []string{"virtio_gpu", "virtio-pci", "virtio-gpu"},
		Data: []string{mesa}},
	{libraries: []string{"libvulkan_dzn"}, Kernel: []string{}, Nodes: []string{"/dev/dxg"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_freedreno"}, Kernel: []string{"msm", "msm_dpu", "msm_mdp", "adreno"},
		Nodes: []string{"/dev/kgsl-3d0"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_panfrost"}, Kernel: []string{"panfrost", "panthor"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_broadcom"}, Kernel: []string{"v3d", "vc4", "vc4-drm"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_asahi"}, Kernel: []string{"asahi"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_powervr_mesa"}, Kernel: []string{"powervr", "pvr"}, Data: []string{mesa}},
	{libraries: []string{"libvulkan_lvp"}, Data: []string{mesa}},
	{libraries: []string{"libvk_swiftshader"}},
}

// Of tells what a driver uses, by its library's path or name; nil when the driver is not known.
func Of(library string) *Family {
	stem, _, _ := strings.Cut(path.Base(library), ".so")
	for i := range families {
		if slices.Contains(families[i].libraries, stem) {
			return &families[i]
		}
	}
	return nil
}

// Matches lists the files that are there of patterns with a "*" in the last element; read lists a directory.
func Matches(patterns []string, read func(directory string) ([]fs.DirEntry, error)) []string {
	var found []string
	for _, pattern := range patterns {
		directory, last := path.Split(pattern)
		entries, err := read(strings.TrimSuffix(directory, "/"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if ok, err := path.Match(last, e.Name()); ok && err == nil {
				found = append(found, directory+e.Name())
			}
		}
	}
	return found
}

// Version is the version in the name of a driver's own file, as of libGLX_nvidia.so.550.54; "" when there is none.
func Version(file string) string {
	_, version, _ := strings.Cut(path.Base(file), ".so.")
	if !strings.Contains(version, ".") {
		return ""
	}
	return version
}

// Names are the file names of the libraries that a driver of this version opens when it runs; without a version there
// are none. older compares versions.
func (f *Family) Names(version string, older func(a, b string) int, requiredOnly bool) []string {
	var names []string
	if version == "" {
		return nil
	}
	for _, r := range f.RunTime {
		if r.From != "" && older(version, r.From) < 0 || r.Before != "" && older(version, r.Before) >= 0 ||
			requiredOnly && !r.Required {
			continue
		}
		if r.Name != "" {
			names = append(names, r.Name)
		} else {
			names = append(names, r.Stem+".so."+version)
		}
	}
	return names
}

// Free tells whether a driver works with any version of the kernel's module: one that opens libraries of its own version
// comes with that module. A driver that is not known is taken for free.
func (f *Family) Free() bool { return f == nil || len(f.RunTime) == 0 }
