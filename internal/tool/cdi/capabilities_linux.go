package cdi

import (
	"path"
	"slices"

	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/machine"
)

const setCapabilities = "In the image: ENV " + drivers.NvidiaCapabilities + "=all; or start the container with -e " + drivers.NvidiaCapabilities + "=all"

// Capabilities judges what an image asks of NVIDIA's container tools, which bring their driver when a container starts: an
// image that names their devices gets Vulkan only with the capability graphics. What it lacks otherwise is no problem then.
func (v *Verdict) Capabilities(image *machine.Machine) {
	value, set := image.Lookup(drivers.NvidiaCapabilities)
	devices, wanted := image.Lookup(drivers.NvidiaDevices)
	if !set && (!wanted || devices == "" || devices == "void" || devices == "none") {
		return
	}
	if drivers.GrantsGraphics(value) {
		for i := range v.Findings {
			if f := &v.Findings[i]; f.Severity == Problem && f.Path == path.Clean(icdPlace) {
				*f = Finding{Note, f.Path, "the image has no driver that works: NVIDIA's container tools bring theirs when it starts (--gpus all)", ""}
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
		v.Findings = slices.DeleteFunc(v.Findings, func(f Finding) bool { return f.Severity == Problem && f.Path == path.Clean(icdPlace) })
	}
	v.found(severity, drivers.NvidiaCapabilities, what, setCapabilities)
}
