package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
	"vkloader/internal/tool/term"
)

// usualLibraries are the packages of Debian and Ubuntu that have the libraries that drivers and layers need; of several names,
// releases have one. No name is derived from a library's.
var usualLibraries = map[string][]string{
	"libVkLayer_khronos_validation.so": {"vulkan-validationlayers"}, "libVkLayer_MESA_device_select.so": {"mesa-vulkan-drivers"},
	"libVkLayer_MESA_overlay.so": {"mesa-vulkan-drivers"}, "libVkLayer_INTEL_nullhw.so": {"mesa-vulkan-drivers"},
	"libX11.so.6": {"libx11-6"}, "libX11-xcb.so.1": {"libx11-xcb1"}, "libXext.so.6": {"libxext6"}, "libXrandr.so.2": {"libxrandr2"},
	"libXxf86vm.so.1": {"libxxf86vm1"}, "libxcb.so.1": {"libxcb1"}, "libxcb-present.so.0": {"libxcb-present0"}, "libxcb-dri2.so.0": {"libxcb-dri2-0"},
	"libxcb-dri3.so.0": {"libxcb-dri3-0"}, "libxcb-glx.so.0": {"libxcb-glx0"}, "libxcb-keysyms.so.1": {"libxcb-keysyms1"}, "libxcb-randr.so.0": {"libxcb-randr0"},
	"libxcb-shm.so.0": {"libxcb-shm0"}, "libxcb-sync.so.1": {"libxcb-sync1"}, "libxcb-xfixes.so.0": {"libxcb-xfixes0"}, "libxshmfence.so.1": {"libxshmfence1"},
	"libwayland-client.so.0": {"libwayland-client0"}, "libwayland-server.so.0": {"libwayland-server0"}, "libwayland-egl.so.1": {"libwayland-egl1"},
	"libdrm.so.2": {"libdrm2"}, "libdrm_amdgpu.so.1": {"libdrm-amdgpu1"}, "libdrm_intel.so.1": {"libdrm-intel1"}, "libdrm_nouveau.so.2": {"libdrm-nouveau2"},
	"libdrm_radeon.so.1": {"libdrm-radeon1"}, "libdrm_freedreno.so.1": {"libdrm-freedreno1"}, "libgbm.so.1": {"libgbm1"}, "libEGL.so.1": {"libegl1"},
	"libGL.so.1": {"libgl1"}, "libGLX.so.0": {"libglx0"}, "libOpenGL.so.0": {"libopengl0"}, "libGLdispatch.so.0": {"libglvnd0"}, "libvulkan.so.1": {"libvulkan1"},
	"libelf.so.1": {"libelf1t64", "libelf1"}, "libexpat.so.1": {"libexpat1"}, "libffi.so.8": {"libffi8"}, "libffi.so.7": {"libffi7"}, "libz.so.1": {"zlib1g"},
	"libzstd.so.1": {"libzstd1"}, "liblzma.so.5": {"liblzma5"}, "libedit.so.2": {"libedit2"}, "libxml2.so.2": {"libxml2"}, "libtinfo.so.6": {"libtinfo6"},
	"libstdc++.so.6": {"libstdc++6"}, "libgcc_s.so.1": {"libgcc-s1"}, "libudev.so.1": {"libudev1"}, "libunwind.so.8": {"libunwind8"}, "libsensors.so.5": {"libsensors5"},
	"libpciaccess.so.0": {"libpciaccess0"}, "libdisplay-info.so.1": {"libdisplay-info1"}, "libdisplay-info.so.2": {"libdisplay-info2"}, "libbsd.so.0": {"libbsd0"},
	"libLLVM-14.so.1": {"libllvm14"}, "libLLVM-15.so.1": {"libllvm15"}, "libLLVM-16.so.1": {"libllvm16"}, "libLLVM-17.so.1": {"libllvm17t64", "libllvm17"},
	"libLLVM.so.18.1": {"libllvm18"}, "libLLVM.so.19.1": {"libllvm19"}, "libLLVM.so.20.1": {"libllvm20"}, "libLLVM.so.21.1": {"libllvm21"},
}

// layerPackages are the packages that have a layer, by package manager. For Flatpak, they are the names of extensions.
var layerPackages = map[string]map[string]string{
	validationLayer: {"debian": "vulkan-validationlayers", "fedora": "vulkan-validation-layers", "rhel": "vulkan-validation-layers", "arch": "vulkan-validation-layers",
		"suse": "vulkan-validationlayers", "alpine": "vulkan-validation-layers", "void": "Vulkan-ValidationLayers", "gentoo": "media-libs/vulkan-layers"},
	"VK_LAYER_MANGOHUD_overlay_x86_64": {"debian": "mangohud", "fedora": "mangohud", "arch": "mangohud", "suse": "mangohud", "alpine": "mangohud", "void": "MangoHud",
		"gentoo": "games-util/mangohud", "flatpak": "MangoHud"},
	"VK_LAYER_VKBASALT_post_processing": {"debian": "vkbasalt", "fedora": "vkBasalt", "void": "vkBasalt", "flatpak": "vkBasalt"},
	"VK_LAYER_RENDERDOC_Capture":        {"debian": "renderdoc", "fedora": "renderdoc", "arch": "renderdoc"},
	"VK_LAYER_MESA_overlay":             {"debian": "mesa-vulkan-drivers", "arch": "vulkan-mesa-layers", "alpine": "mesa-vulkan-layers"},
	"VK_LAYER_MESA_device_select": {"debian": "mesa-vulkan-drivers", "fedora": "mesa-vulkan-drivers", "alpine": "mesa-vulkan-layers",
		"arch": "vulkan-mesa-implicit-layers"}, // in vulkan-mesa-layers before Mesa 25.2
	"VK_LAYER_MESA_anti_lag":   {"arch": "vulkan-mesa-implicit-layers"},
	"VK_LAYER_LUNARG_api_dump": {"arch": "vulkan-extra-layers"}, "VK_LAYER_LUNARG_monitor": {"arch": "vulkan-extra-layers"},
	"VK_LAYER_LUNARG_screenshot":     {"arch": "vulkan-extra-layers"},
	"VK_LAYER_LUNARG_gfxreconstruct": {"debian": "gfxreconstruct", "arch": "gfxreconstruct"},
}

// kitLayers are the layers of the Vulkan SDK.
var kitLayers = []string{"VK_LAYER_LUNARG_api_dump", "VK_LAYER_LUNARG_monitor", "VK_LAYER_LUNARG_screenshot", "VK_LAYER_LUNARG_gfxreconstruct",
	"VK_LAYER_LUNARG_crash_diagnostic", "VK_LAYER_KHRONOS_profiles", "VK_LAYER_KHRONOS_synchronization2", "VK_LAYER_KHRONOS_shader_object"}

// layerPackage returns advice to get a layer: its package, or where else it is. It returns nil for an unknown layer.
func (e *exam) layerPackage(name string) *told {
	kit := slices.Contains(kitLayers, name)
	if layerPackages[name] == nil && !kit || e.system.sandbox == "steam" {
		return nil
	}
	by := ""
	if m := e.system.manager(); e.system.sandbox == "flatpak" {
		by = "flatpak"
	} else if m != nil {
		by = m.id
	}
	verb, package_ := "layer-outside", layerPackages[name][by]
	switch {
	case package_ != "":
		verb = "layer"
	case kit:
		verb = "layer-of-kit"
	case name == validationLayer:
		verb = "layer-of-validation"
	}
	if do, is := e.system.remedy(verb, with("p", package_)); is {
		return &do
	}
	return nil
}

// choose returns advice to install packages. The machine's own package lists confirm the names where there are lists.
func (d *distribution) choose(names ...string) told {
	do := d.by("install", arguments{"p": names, "and": {strings.Join(names, " and ")}})
	m := d.manager()
	if m == nil || do.because != ofPackage {
		return do
	}
	switch missing, known := d.packages.missing(d.machine, names); {
	case !m.lists || !known:
		do.because = ofUsual
	case len(missing) > 0:
		do.text = "This machine's package lists do not have " + strings.Join(missing, " and ") + ": add the repository that has it. " + do.text
	}
	return do
}

// unlisted returns advice to install a package whose name no list has.
func (d *distribution) unlisted(name string) told { return d.by("install", with("p", name)) }

// missing returns the packages that the machine's lists do not have. known is false without lists.
func (p *packages) missing(m *machine.Machine, names []string) (missing []string, known bool) {
	if p == nil {
		return nil, false
	}
	var ask []string
	for _, name := range names {
		if _, asked := p.offered[name]; !asked {
			ask = append(ask, name)
		}
	}
	if p.lists == nil {
		p.lists = m.Lists()
	}
	if len(ask) > 0 {
		offered, known := p.lists.Offers(ask...)
		p.listed = known
		for _, name := range ask {
			p.offered[name] = slices.Contains(offered, name)
		}
	}
	if !p.listed {
		return nil, false
	}
	for _, name := range names {
		if !p.offered[name] {
			missing = append(missing, name)
		}
	}
	return missing, true
}

// unfetched reports whether apt has no lists. A machine that is not seen whole, without apt's directory, counts as having some.
func (p *packages) unfetched(m *machine.Machine) bool {
	if p.lists == nil {
		p.lists = m.Lists()
	}
	return !p.lists.Fetched() && m.Exists("/var/lib/apt/lists")
}

// having returns the package that has a library, of the machine's lists of files; "" if no list says so.
func (p *packages) having(m *machine.Machine, library string) string {
	if p == nil {
		return ""
	}
	owner, asked := p.withFile[library]
	if !asked {
		if p.lists == nil {
			p.lists = m.Lists()
		}
		owner = p.lists.Having(library)
		p.withFile[library] = owner
	}
	return owner
}

// libraryPackage returns the package with a library: of the machine's lists of files, else by its usual name that the lists
// confirm. confirmed is false if there are no lists; "" is an unknown package.
func (d *distribution) libraryPackage(m *manager, library string) (name string, confirmed bool) {
	if owner := d.packages.having(d.machine, library); isFileName(owner) {
		return owner, true
	}
	if m.id != "debian" {
		return "", false
	}
	for _, name := range usualLibraries[library] {
		if missing, known := d.packages.missing(d.machine, []string{name}); !known || len(missing) == 0 {
			if !known { // the oldest name is the usual one
				return usualLibraries[library][len(usualLibraries[library])-1], false
			}
			return name, true
		}
	}
	return "", false
}

// isFileName reports whether a package list may have a file name: it is of ASCII letters, digits and _, and after the first of . + -, too.
func isFileName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	return strings.Trim(name, letters+".+-") == "" && strings.IndexAny(name, letters) == 0
}

// unnumbered returns a library's name without the number of its release, as in libLLVM-15.so.1 and libLLVM.so.21.1.
func unnumbered(name string) string {
	stem, _, _ := strings.Cut(name, ".so")
	if at := strings.LastIndexByte(stem, '-'); at > 0 && strings.Trim(stem[at+1:], "0123456789.") == "" {
		stem = stem[:at]
	}
	return stem
}

// otherRelease returns an installed library that has the name of a missing one except for the release; "": none.
func (d distribution) otherRelease(name string) string {
	if d.machine == nil {
		return ""
	}
	m, _ := machines.Running(d.class)
	for _, directory := range []string{term.Either(d.class == 32, "/usr/lib32", "/usr/lib"), "/usr/lib/" + m.Multiarch} {
		for _, other := range d.machine.Names(directory) {
			if other != name && strings.Contains(other, ".so.") && unnumbered(other) == unnumbered(name) {
				return other
			}
		}
	}
	return ""
}

// forLibrary returns advice to install a library.
func (d distribution) forLibrary(name string) advice {
	m, verb := d.manager(), "library"
	switch {
	case slices.Contains(glibcOwn, name):
		verb = "library-of-glibc"
	case strings.Contains(name, "nvidia"):
		verb = "library-of-nvidia"
	}
	if do, is := d.remedy(verb, with("file", name)); is {
		return do
	}
	if !isFileName(name) { // the name becomes a part of shell lines
		return advised("Install the package that has " + name + ".").untried(ofPackage)
	}
	switch {
	case m == nil || name != loaderName:
	case d.class != 32:
		return d.choose(m.loader)
	case d.has32(m):
		return d.install32(m, m.loader)
	}
	if m != nil && d.class == 32 {
		if do := d.library32(m, name); do != nil {
			return do
		}
	} else if m != nil && m.library != nil { // the manager installs by the library's name
		return d.unlisted(m.library(name))
	} else if m != nil {
		if word, confirmed := d.libraryPackage(m, name); word != "" {
			do := d.unlisted(word)
			if !confirmed && do.because == ofPackage {
				do.because = ofUsual
			}
			return do
		}
	}
	if other := d.otherRelease(name); m != nil && m.id == "arch" && other != "" {
		do := asRoot("pacman -Syu").untried(ofPackage)
		do.text = "The system has " + other + ": packages were updated in part. Update all. " + do.text
		return do
	}
	return d.by("search", with("p", name))
}
