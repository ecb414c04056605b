package probe

import (
	"fmt"
	"strings"

	"vkloader/internal/decide/vk"
)

// Result is the child's report of its run on the library.
type Result struct {
	Library    string      // real path of the library that was opened
	Version    uint32      // the result of vkEnumerateInstanceVersion
	Extensions []Extension // instance extensions
	Devices    []Device
	Phases     []Phase        // finished ones, in order
	Mapped     []string       // real paths of the loaded libraries, once there is an instance; nil: there was none
	Asked      []Interception // by layer, in the order of the question
	Unshown    []string       // reasons why no frame was shown, one for each platform; set by Present
	Log        string         // the child's standard error
	Signal     string         // the signal that ended the child
	Unfinished string         // the phase that did not end
	Problem    string         // the reason for a bad end; empty after a good one
	Outcome    Outcome

	began bool // the child has written a line
	ended bool // the child ended by itself
}

// Outcome is how a run ended.
type Outcome uint8

// Outcomes.
const (
	Fine    Outcome = iota
	Failed          // it ended by itself, and something did not work
	Crashed         // by a signal
	Hung            // it was ended at its limit
	Exited          // a driver or layer has called exit
	Cut             // ended by its context
)

// Extension is an instance extension.
type Extension struct {
	Name     string `json:"name"`
	Revision uint32 `json:"revision"`
}

// Device is a physical device as programs see it.
type Device struct {
	Index         uint32        `json:"index"`
	Name          string        `json:"name"`
	Type          vk.DeviceType `json:"type"`
	TypeText      string        `json:"type_text"` // in words, as discrete GPU
	APIVersion    vk.Version    `json:"api_version"`
	APIText       string        `json:"api_version_text"` // as 1.3.0
	DriverVersion uint32        `json:"driver_version"`
	DriverText    string        `json:"driver_version_text"` // as its maker packs it
	VendorID      uint32        `json:"vendor_id"`
	DeviceID      uint32        `json:"device_id"`
	DriverName    string        `json:"driver_name"`
	DriverInfo    string        `json:"driver_info"`
	DeviceUUID    string        `json:"device_uuid,omitempty"` // 32 hexadecimal digits; of devices from version 1.1 on
	DriverUUID    string        `json:"driver_uuid,omitempty"`
	DriverID      uint32        `json:"driver_id,omitempty"`
	// the version of the conformance test that the driver passed, as 1.3.0.0; of devices from version 1.2 on
	Conformance string `json:"conformance,omitempty"`
	// address on the bus, as 0000:01:00.0, if the driver reports it; decide.GPU.Name of the same device
	PCI  string `json:"pci,omitempty"`
	VRAM uint64 `json:"vram_bytes"` // size of the device's own heaps
	// of its driver, from the loader's log; discover.Probe leaves it empty
	Library string `json:"library,omitempty"`

	Extensions []string `json:"-"` // names of its device extensions
}

// ID returns a name of the device that is the same at every start of the machine, if its driver reports enough: its PCI
// address, else its UUID. Otherwise it is the device's number. Two drivers of one device give it the same ID.
func (d *Device) ID() string {
	switch {
	case d.PCI != "":
		return "pci-" + d.PCI
	case strings.Trim(d.DeviceUUID, "0") != "":
		return "uuid-" + d.DeviceUUID
	}
	return fmt.Sprintf("index-%d", d.Index)
}

// Interception lists the commands that a layer intercepts, as the layer has answered.
type Interception struct {
	Answered bool
	Commands []string
	Problem  string
}

// Died reports whether a driver or layer ended the child, or kept it from ending.
func (r *Result) Died() bool { return r.Outcome == Crashed || r.Outcome == Hung || r.Outcome == Exited }

func (r *Result) interception(layer int) *Interception {
	for len(r.Asked) <= layer {
		r.Asked = append(r.Asked, Interception{})
	}
	return &r.Asked[layer]
}

// Names of phases.
const (
	CreateInstance = "create instance"
	ListDevices    = "list devices"
)

// Phase is a finished step of the run, with its time and result.
type Phase struct {
	Name   string
	Round  int
	Micros float64
	Result vk.Result
}
