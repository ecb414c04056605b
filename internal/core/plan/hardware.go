package plan

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/family"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/settings"
)

// presence says whether the machine has a device for a driver.
type presence uint8

const (
	absent  presence = iota
	foreign          // a device of the vendor, bound to another kernel driver
	asleep
	awake
)

// present returns the presence of a driver's devices. kernel is the other kernel driver that is bound to a device.
func (s *driverSearch) present(f *family.Driver, g facts.Graphics) (best presence, kernel string) {
	for i, text := range g.Devices {
		has, vendor := deviceOf(text)
		switch {
		case f.Opens(has, vendor) && i < len(g.Power) && g.Power[i] == "suspended":
			best = max(best, asleep)
		case f.Opens(has, vendor):
			best = awake
		case best == absent && f.Made(vendor):
			best, kernel = foreign, has
		}
	}
	for _, node := range f.Nodes {
		if best <= foreign && s.f.Exists(node.Path) {
			best = awake
		}
	}
	return best, kernel
}

// deviceOf parses the kernel driver and PCI vendor from a device's uevent.
func deviceOf(uevent string) (kernel, vendor string) {
	for uevent != "" {
		line, rest, _ := strings.Cut(uevent, "\n")
		uevent = rest
		if id, ok := strings.CutPrefix(line, "PCI_ID="); ok && len(id) > 4 { // PCI_ID=1002:73BF
			vendor = id[:4]
		}
		if name, ok := strings.CutPrefix(line, "DRIVER="); ok && name != "" {
			kernel = name
		}
	}
	return kernel, vendor
}

// excludedDriver is a driver that the hardware policy excludes.
type excludedDriver struct {
	driver *manifest.Driver
	code   diag.Code
	reason string
	from   origin
}

// hardwareExclusion reports whether the settings' hardware policy excludes a driver, and why (docs/tool.md, policy). It
// excludes none if the kernel does not list its devices.
func (s *driverSearch) hardwareExclusion(driver *manifest.Driver) (left excludedDriver, out bool) {
	if s.file.set == nil || s.file.set.Hardware == settings.AnyHardware || !s.q.Platform.Linux {
		return left, false
	}
	f := family.DriverOf(driver.Library)
	if f == nil || f.Software() {
		return left, false
	}
	g, known := s.f.Graphics()
	if !known || !g.Listed && !s.f.Exists("/sys/class") {
		return left, false
	}
	switch there, kernel := s.present(f, g); {
	case there == absent:
		reason := "no " + f.Hardware + " device is present"
		return excludedDriver{driver: driver, code: diag.DriverNoHardware, reason: reason}, true
	case there == foreign:
		reason := "the " + f.Hardware + " device has the kernel driver " + kernel + ", not " + f.Kernel[0]
		return excludedDriver{driver: driver, code: diag.DriverNoHardware, reason: reason}, true
	case there == asleep && s.file.set.Hardware == settings.AwakeHardware:
		reason := "the " + f.Hardware + " device is asleep"
		return excludedDriver{driver: driver, code: diag.DriverAsleep, reason: reason}, true
	}
	return left, false
}

// applyPolicy logs the drivers that the hardware policy excludes. If it would exclude all drivers, it is ignored.
func (s *driverSearch) applyPolicy(left []excludedDriver) {
	if len(left) > 0 && len(s.list) == 0 {
		s.say(diag.Info|diag.Driver, diag.DriverPolicy, s.file.set.File, s.file.set.File, "The hardware policy of "+
			s.file.set.File+
			" would leave no driver, and is ignored")
		for i := range left {
			s.use(left[i].driver, left[i].from)
		}
		return
	}
	for i := range left {
		l := &left[i]
		name := s.q.base(l.driver.Path)
		s.say(diag.Info|diag.Driver, l.code, name, l.driver.Path, "Driver \""+name+"\" ignored because "+l.reason+
			" (hardware policy of "+s.file.set.File+")")
	}
}
