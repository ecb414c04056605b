package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/term"
)

// modules returns the kernel modules that a device needs for its Vulkan driver, by its vendor or its chip; nil: unknown.
func (e *exam) modules(g *GPU) []string {
	switch g.vendor() {
	case "AMD":
		return []string{"amdgpu"}
	case "Intel":
		return []string{"i915", "xe"}
	case "NVIDIA":
		if e.hasFamily(drivers.NVIDIA) {
			return []string{"nvidia"}
		}
		if slices.ContainsFunc(e.Drivers, func(m Entry) bool { return m.worksOn("nouveau") }) {
			return []string{"nouveau"}
		}
	}
	c := e.chip(g)
	if g.Vendor != "" || c == nil {
		return nil
	}
	if c == drivers.ChipByCompatible("arm,mali-valhall-csf") {
		return []string{"panthor"}
	}
	for _, f := range drivers.Families() {
		if f.Name == c.Driver {
			return f.Kernel[:1]
		}
	}
	return nil
}

// kernelCure returns advice to load the kernel driver of a device, and the fact that its module is missing, if it is.
func (e *exam) kernelCure(g *GPU) (missing sentence, do *Remedy) {
	modules := e.modules(g)
	switch {
	case g.vendor() == "NVIDIA":
		return "", e.nvidiaModule()
	case modules == nil:
		return "", nil
	}
	names, release := strings.Join(modules, " or "), e.kernelRelease()
	load := e.system.by(term.Either(g.vendor() == "Intel", "load-of-intel", "load"), with("module", modules[0], "modules", names))
	if tree := e.modulesOf(release); load.because == ofKernel && tree != "" && !e.mayHave(tree, modules) {
		return textf("the kernel %s has no module %s", release, names), e.system.kernelWith(release, modules[0])
	}
	// Of several, such as i915 and xe, the missing one may be the device's.
	if !slices.ContainsFunc(modules, func(module string) bool { return !e.machine.Exists("/sys/bus/pci/drivers/" + module) }) {
		return textf("the kernel driver %s is loaded, and has not taken it", modules[0]), e.system.by("refused", with("kernel", modules[0]))
	}
	return "", load
}

// modulesOf returns the directory with the modules of a kernel; "": unknown.
func (h host) modulesOf(release string) string {
	for _, place := range []string{"/lib/modules/", "/usr/lib/modules/"} {
		if release != "" && h.machine.Exists(place+release) {
			return place + release
		}
	}
	return ""
}

// mayHave reports whether a directory tree of kernel modules has one of the modules, or cannot be searched completely. A module that
// is a part of the kernel is in the list of these.
func (h host) mayHave(tree string, modules []string) bool {
	builtin := h.whole(tree + "/modules.builtin")
	return h.mayHaveModule(tree, func(file string) bool { return slices.Contains(modules, moduleName(file)) }) ||
		slices.ContainsFunc(modules, func(module string) bool { return strings.Contains(builtin, "/"+module+".ko") })
}

// moduleName returns the name of the module in a file, such as i915.ko.zst; "": it is no module.
func moduleName(file string) string {
	name, kind, _ := strings.Cut(file, ".")
	return term.Either(kind == "ko" || strings.HasPrefix(kind, "ko."), name, "")
}

// kernelName returns the release in /proc/version; "": unknown.
func (h host) kernelName() string {
	return append(strings.Fields(h.text("/proc/version")), "", "", "")[2]
}

// kernelRelease returns the release of the running kernel, such as 6.8.0-39-generic; "": unknown.
func (h host) kernelRelease() string {
	return term.Either(isFileName(h.kernelName()), h.kernelName(), "")
}

// kernelWith returns advice to install a module that the running kernel lacks. The kernels for virtual machines and clouds have no
// modules of graphics devices. Sources: packages.ubuntu.com (linux-modules-extra), packages.debian.org (linux-image-cloud-amd64),
// pkgs.alpinelinux.org (linux-virt), packages.fedoraproject.org (kernel-modules).
func (d distribution) kernelWith(release, module string) *Remedy {
	verb := "module"
	switch {
	case strings.Contains(release, "-cloud-") && d.kernel != "":
		verb = "module-of-cloud"
	case strings.HasSuffix(release, "-virt"):
		verb = "module-of-virt"
	}
	return d.by(verb, with("release", release, "module", module, "image", d.kernel))
}
