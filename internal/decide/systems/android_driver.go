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

// Libraries are the names that are tried for a driver, in order (AND-003).
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

// androidOpened is what opening a library gave.
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

// Choose finds the driver. updatable is the namespace of an updatable one, "" without; open tries a library in a
// namespace, where no namespace of that name counts as not found (AND-003 to AND-009).
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

// stubInstances is how many instances of the stub there may be (AND-011).
const stubInstances = 32

// Create is the result of vkCreateInstance by what the driver is, with so many instances of it alive.
func (d androidDriver) Create(alive int) string {
	if d.Failed || d.Origin == androidStub && alive >= stubInstances {
		return androidInitFailed
	}
	return androidSuccess
}

// Enumerate is the result of the global enumerations and of vkEnumerateInstanceVersion (AND-009).
func (d androidDriver) Enumerate() string {
	if d.Failed {
		return androidOutOfHostMemory
	}
	return androidSuccess
}

// Devices says whether there may be devices: the stub has none, and any command but those for instances ends the process
// (AND-011).
func (d androidDriver) Devices() bool { return d.Origin != androidStub && !d.Failed }

// androidProcess is what a process has of the loader.
type androidProcess struct {
	pid    int
	Driver androidDriver
	set    bool
	path   string // of the updatable driver
}

// SetUpdatable says where an updatable driver is; the first time counts (AND-024).
func (p *androidProcess) SetUpdatable(path string) {
	if !p.set {
		p.set, p.path = true, path
	}
}

// Enter is called by vkCreateInstance and the global functions: the first of them in a process begins, and in a forked
// child the first one again (AND-002). A built-in driver makes room for an updatable one that has come since (AND-010);
// closed is then what was closed.
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
