package systems

import "strings"

// Libraries returns the names of a driver's library, in the order in which the loader tries them (AND-003).
func (a *Android) Libraries() (names []string) {
	for _, property := range []string{"ro.hardware.vulkan", "ro.board.platform"} {
		if word := a.Properties[property]; word != "" {
			names = append(names, "vulkan."+word+".so")
		}
	}
	return names
}

// androidOrigin is the source of a driver.
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
	androidWorks
)

// androidDriver is the driver that a process gets.
type androidDriver struct {
	Origin    androidOrigin
	Library   string
	Namespace string // of the dynamic linker
	Abort     string // not empty: the process ends with this message (AND-005)
}

// Choose returns the driver of a process (AND-003 to AND-008). path is the path of an updatable driver; "": none. open
// opens a library in a namespace; it returns androidNotFound if the namespace does not exist.
func (a *Android) Choose(path string, open func(namespace, library string) androidOpened) androidDriver {
	places := []androidDriver{{Origin: androidBuiltIn, Namespace: "sphal"}}
	if apex := a.Properties["ro.vulkan.apex"]; apex != "" { // AND-006
		places = append([]androidDriver{{Origin: androidAPEX, Namespace: strings.ReplaceAll(apex, ".", "_")}},
			places...)
	}
	if path != "" {
		places = append([]androidDriver{{Origin: androidUpdatable, Namespace: "updatable"}}, places...)
	}
	for _, d := range places {
		outcome := androidNotFound
		for _, d.Library = range a.Libraries() {
			if outcome = open(d.Namespace, d.Library); outcome != androidNotFound {
				break
			}
		}
		switch {
		case outcome == androidWorks:
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
