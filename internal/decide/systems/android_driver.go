package systems

import "strings"

// Results of the API, by name.
const (
	androidSuccess           = "VK_SUCCESS"
	androidInitFailed        = "VK_ERROR_INITIALIZATION_FAILED"
	androidOutOfHostMemory   = "VK_ERROR_OUT_OF_HOST_MEMORY"
	androidLayerNotPresent   = "VK_ERROR_LAYER_NOT_PRESENT"
	androidExtensionMissing  = "VK_ERROR_EXTENSION_NOT_PRESENT"
	androidIncompatibleDrive = "VK_ERROR_INCOMPATIBLE_DRIVER"
)

// Libraries returns the names of a driver's library, in the order in which the loader tries them (AND-003).
func (f *androidFacts) Libraries() (names []string) {
	for _, property := range []string{"ro.hardware.vulkan", "ro.board.platform"} {
		if word := f.property(property); word != "" {
			names = append(names, "vulkan."+word+".so")
		}
	}
	return names
}

// androidOrigin is where a driver comes from.
type androidOrigin string

// Origins, in the order in which they are tried (AND-004).
const (
	androidUpdatable androidOrigin = "the updatable driver"
	androidAPEX      androidOrigin = "the driver's APEX"
	androidBuiltIn   androidOrigin = "the system's own driver"
	androidStub      androidOrigin = "the loader's stub, which has no device"
)

// androidOpened is the result of opening a library.
type androidOpened uint8

// Outcomes of opening.
const (
	androidNotFound androidOpened = iota
	androidInvalid                // it has no HAL information, or is of another module
	androidMute                   // the module opens, its device vk0 does not
	androidWorks
)

// androidDriver is the driver that a process gets.
type androidDriver struct {
	Origin    androidOrigin
	Library   string
	Namespace string // of the dynamic linker
	Failed    bool   // its device does not open: nothing works (AND-009)
	Abort     string // not empty: the process ends with this message (AND-005)
}

// Choose finds the driver. updatable is the namespace of an updatable driver, or "". open opens a library in a namespace; a
// missing namespace counts as a missing library (AND-003 to AND-009).
func (f *androidFacts) Choose(updatable, path string, open func(namespace, library string) androidOpened) androidDriver {
	places := []androidDriver{{Origin: androidBuiltIn, Namespace: "sphal"}}
	if apex := f.property("ro.vulkan.apex"); apex != "" { // AND-006
		places = append([]androidDriver{{Origin: androidAPEX, Namespace: strings.ReplaceAll(apex, ".", "_")}}, places...)
	}
	if updatable != "" {
		places = append([]androidDriver{{Origin: androidUpdatable, Namespace: updatable}}, places...)
	}
	for _, d := range places {
		outcome := androidNotFound
		for _, d.Library = range f.Libraries() {
			if outcome = open(d.Namespace, d.Library); outcome != androidNotFound {
				break
			}
		}
		switch {
		case outcome == androidWorks:
			return d
		case outcome == androidMute:
			d.Failed = true
			return d
		case d.Origin == androidUpdatable: // AND-005: neither library there, or no driver
			d.Abort = "there is no Vulkan driver that works in " + path
			return d
		case outcome == androidInvalid: // AND-007, AND-008
			return androidDriver{Origin: androidStub}
		}
	}
	return androidDriver{Origin: androidStub}
}

// stubInstances is the largest number of instances of the stub (AND-011).
const stubInstances = 32

// Create returns the driver's result of vkCreateInstance while alive other instances exist.
func (d androidDriver) Create(alive int) string {
	if d.Failed || d.Origin == androidStub && alive >= stubInstances {
		return androidInitFailed
	}
	return androidSuccess
}

// Enumerate returns the result of the global enumerations and of vkEnumerateInstanceVersion (AND-009).
func (d androidDriver) Enumerate() string {
	if d.Failed {
		return androidOutOfHostMemory
	}
	return androidSuccess
}

// Devices reports whether the driver can have devices. The stub has none; any command except the instance ones ends the
// process (AND-011).
func (d androidDriver) Devices() bool { return d.Origin != androidStub && !d.Failed }

// androidProcess is the loader's state in a process.
type androidProcess struct {
	pid    int
	Driver androidDriver
	set    bool
	path   string // of the updatable driver
}

// SetUpdatable sets the path of the updatable driver; only the first call counts (AND-024).
func (p *androidProcess) SetUpdatable(path string) {
	if !p.set {
		p.set, p.path = true, path
	}
}

// Enter runs at vkCreateInstance and the global functions. The first call in a process chooses the driver, and so does the
// first one in a forked child (AND-002). A built-in driver is closed and replaced if an updatable one has been set since
// (AND-010); closed is then the built-in one.
func (p *androidProcess) Enter(pid int, f *androidFacts, open func(namespace, library string) androidOpened) (began bool, closed *androidDriver) {
	if p.pid == pid {
		return false, nil
	}
	before := p.Driver
	first := p.pid == 0
	p.pid = pid
	if !first && !(before.Origin == androidBuiltIn && p.path != "") {
		return true, nil
	}
	namespace := ""
	if p.path != "" {
		namespace = "updatable"
	}
	p.Driver = f.Choose(namespace, p.path, open)
	if first {
		return true, nil
	}
	return true, &before
}
