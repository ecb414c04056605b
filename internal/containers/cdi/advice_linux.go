package cdi

import (
	"path"
	"slices"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
)

// managers are the programs that install packages in images, with the packages of a loader and of drivers.
var managers = []struct{ program, install, loader, drivers string }{
	{"/usr/bin/apt-get", "apt-get install -y ", "libvulkan1", "mesa-vulkan-drivers"},
	{"/usr/bin/dnf", "dnf install -y ", "vulkan-loader", "mesa-vulkan-drivers"},
	{"/usr/bin/microdnf", "microdnf install -y ", "vulkan-loader", "mesa-vulkan-drivers"},
	{"/usr/bin/zypper", "zypper install -y ", "libvulkan1", "libvulkan_lvp"},
	{"/usr/bin/pacman", "pacman -S --noconfirm ", "vulkan-icd-loader", "vulkan-swrast"},
	{"/sbin/apk", "apk add ", "vulkan-loader", "mesa-vulkan-swrast"},
}

// Advice returns the advice for an image in which Vulkan does not work. given: the container already has a CDI file.
func Advice(v *Verdict, image *machine.Machine, given bool) []string {
	advice := []string{}
	at := slices.IndexFunc(managers,
		func(m struct{ program, install, loader, drivers string }) bool { return image.Exists(m.program) })
	install := func(loader bool) string {
		switch {
		case at < 0 && loader:
			return "A Vulkan loader, libvulkan.so.1, in the image."
		case at < 0:
			return "A Vulkan driver for the image's C library, in the image."
		case loader:
			return "In the image: " + managers[at].install + managers[at].loader
		}
		return "In the image: " + managers[at].install + managers[at].drivers
	}
	if slices.ContainsFunc(v.Findings, func(f Defect) bool { return f.Severity == Problem && f.Path == loaderName }) {
		advice = append(advice, install(true))
	}
	for _, f := range v.Findings {
		if f.Path == drivers.NvidiaCapabilities {
			if advice = append(advice, f.Do); f.Severity == Problem {
				return advice // the host has the driver
			}
		}
	}
	if v.Bad() && !slices.ContainsFunc(v.Drivers, func(d Driver) bool { return d.Added }) {
		if !given && !image.Exists(running(image)[0].Linkers[1]) {
			advice = append(advice,
				"The host's drivers, when the container starts: vkloader cdi generate (--cdi tells whether they fit).")
		}
		advice = append(advice, install(false))
	}
	return advice
}

const setCapabilities = "In the image: ENV " + drivers.NvidiaCapabilities + "=all; or start the container with -e " +
	drivers.NvidiaCapabilities + "=all"

// Capabilities judges an image's requests to NVIDIA's container tools, which mount the driver when a container starts.
// An image that names NVIDIA devices gets Vulkan only with the capability graphics; its other gaps are then no problem.
func (v *Verdict) Capabilities(image *machine.Machine) {
	value, set := image.Lookup(drivers.NvidiaCapabilities)
	devices, wanted := image.Lookup(drivers.NvidiaDevices)
	if !set && (!wanted || devices == "" || devices == "void" || devices == "none") {
		return
	}
	if drivers.GrantsGraphics(value) {
		for i := range v.Findings {
			if f := &v.Findings[i]; f.Severity == Problem && f.Path == path.Clean(icdPlace) {
				*f = Defect{Note, f.Path,
					"the image has no driver that works: NVIDIA's container tools bring theirs when it starts (--gpus all)", ""}
			}
		}
		return
	}
	what := "it is " + value + ", without graphics: NVIDIA's container tools bring no Vulkan driver"
	if !set || value == "" {
		what = "it is not set, which stands for utility,compute: NVIDIA's container tools bring no Vulkan driver"
	}
	severity := Warning
	if !slices.ContainsFunc(v.Drivers, func(d Driver) bool { return d.Added }) {
		severity = Problem
		v.Findings = slices.DeleteFunc(v.Findings,
			func(f Defect) bool { return f.Severity == Problem && f.Path == path.Clean(icdPlace) })
	}
	v.addDefect(severity, drivers.NvidiaCapabilities, what, setCapabilities)
}
