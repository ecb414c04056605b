package drivers

// kernels maps each kernel driver to the names of its devices' drivers in OpenGL and VA-API; "": none. It has every kernel
// driver that a Vulkan driver works on (family.Driver.Kernel).
var kernels = [...]struct {
	name   string
	opengl string // Mesa's driver, or nvidia
	vaapi  string // as LIBVA_DRIVER_NAME takes it
}{
	{"amdgpu", "radeonsi", "radeonsi"},
	{"i915", "iris", "iHD"},
	{"xe", "iris", "iHD"},
	{"nvidia", "nvidia", "nvidia"},
	{"nvidia-drm", "nvidia", "nvidia"},
	{"nvgpu", "nvidia", ""},
	{"nouveau", "nouveau", "nouveau"},
	{"nova", "", ""},
	{"virtio_gpu", "virgl", "virtio_gpu"},
	{"virtio-pci", "virgl", "virtio_gpu"},
	{"virtio-gpu", "virgl", "virtio_gpu"},
	{"dxgkrnl", "d3d12", "d3d12"},
	{"msm", "freedreno", ""},
	{"msm_dpu", "freedreno", ""},
	{"kgsl-3d", "", ""},
	{"panfrost", "panfrost", ""},
	{"panthor", "panfrost", ""},
	{"v3d", "v3d", ""},
	{"asahi", "asahi", ""},
	{"powervr", "", ""},
}

// NamesOf returns the names of a device's drivers in OpenGL and VA-API, by its kernel driver; "": unknown.
func NamesOf(kernel string) (opengl, vaapi string) {
	for i := range kernels {
		if kernels[i].name == kernel {
			return kernels[i].opengl, kernels[i].vaapi
		}
	}
	return "", ""
}
