package android

import "strings"

// Results of the API, by name.
const (
	Success           = "VK_SUCCESS"
	InitFailed        = "VK_ERROR_INITIALIZATION_FAILED"
	OutOfHostMemory   = "VK_ERROR_OUT_OF_HOST_MEMORY"
	LayerNotPresent   = "VK_ERROR_LAYER_NOT_PRESENT"
	ExtensionMissing  = "VK_ERROR_EXTENSION_NOT_PRESENT"
	IncompatibleDrive = "VK_ERROR_INCOMPATIBLE_DRIVER"
)

// Libraries are the names that are tried for a driver, in order (AND-003).
func (f *Facts) Libraries() (names []string) {
	for _, property := range []string{"ro.hardware.vulkan", "ro.board.platform"} {
		if word := f.property(property); word != "" {
			names = append(names, "vulkan."+word+".so")
		}
	}
	return names
}

// Origin is where a driver comes from.
type Origin string

// Origins, in the order in which they are tried (AND-004).
const (
	Updatable Origin = "the updatable driver"
	APEX      Origin = "the driver's APEX"
	BuiltIn   Origin = "the system's own driver"
	Stub      Origin = "the loader's stub, which has no device"
)

// Opened is what opening a library gave.
type Opened uint8

// Outcomes of opening.
const (
	NotFound Opened = iota
	Invalid         // it has no HAL information, or is of another module
	Mute            // the module opens, its device vk0 does not
	Works
)

// Driver is the driver that a process gets.
type Driver struct {
	Origin    Origin
	Library   string
	Namespace string // of the dynamic linker
	Failed    bool   // its device does not open: nothing works (AND-009)
	Abort     string // not empty: the process ends with this message (AND-005)
}

// Choose finds the driver. updatable is the namespace of an updatable one, "" without; open tries a library in a
// namespace, where no namespace of that name counts as not found (AND-003 to AND-009).
func (f *Facts) Choose(updatable, path string, open func(namespace, library string) Opened) Driver {
	places := []Driver{{Origin: BuiltIn, Namespace: "sphal"}}
	if apex := f.property("ro.vulkan.apex"); apex != "" { // AND-006
		places = append([]Driver{{Origin: APEX, Namespace: strings.ReplaceAll(apex, ".", "_")}}, places...)
	}
	if updatable != "" {
		places = append([]Driver{{Origin: Updatable, Namespace: updatable}}, places...)
	}
	for _, d := range places {
		outcome := NotFound
		for _, d.Library = range f.Libraries() {
			if outcome = open(d.Namespace, d.Library); outcome != NotFound {
				break
			}
		}
		switch {
		case outcome == Works:
			return d
		case outcome == Mute:
			d.Failed = true
			return d
		case d.Origin == Updatable: // AND-005: neither library there, or no driver
			d.Abort = "there is no Vulkan driver that works in " + path
			return d
		case outcome == Invalid: // AND-007, AND-008
			return Driver{Origin: Stub}
		}
	}
	return Driver{Origin: Stub}
}

// stubInstances is how many instances of the stub there may be (AND-011).
const stubInstances = 32

// Create is the result of vkCreateInstance by what the driver is, with so many instances of it alive.
func (d Driver) Create(alive int) string {
	if d.Failed || d.Origin == Stub && alive >= stubInstances {
		return InitFailed
	}
	return Success
}

// Enumerate is the result of the global enumerations and of vkEnumerateInstanceVersion (AND-009).
func (d Driver) Enumerate() string {
	if d.Failed {
		return OutOfHostMemory
	}
	return Success
}

// Devices says whether there may be devices: the stub has none, and any command but those for instances ends the process
// (AND-011).
func (d Driver) Devices() bool { return d.Origin != Stub && !d.Failed }

// Process is what a process has of the loader.
type Process struct {
	pid    int
	Driver Driver
	set    bool
	path   string // of the updatable driver
}

// SetUpdatable says where an updatable driver is; the first time counts (AND-024).
func (p *Process) SetUpdatable(path string) {
	if !p.set {
		p.set, p.path = true, path
	}
}

// Enter is called by vkCreateInstance and the global functions: the first of them in a process begins, and in a forked
// child the first one again (AND-002). A built-in driver makes room for an updatable one that has come since (AND-010);
// closed is then what was closed.
func (p *Process) Enter(pid int, f *Facts, open func(namespace, library string) Opened) (began bool, closed *Driver) {
	if p.pid == pid {
		return false, nil
	}
	before := p.Driver
	first := p.pid == 0
	p.pid = pid
	if !first && !(before.Origin == BuiltIn && p.path != "") {
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
