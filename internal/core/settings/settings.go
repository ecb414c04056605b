package settings

import "slices"

// Control of a layer entry (SET-37).
type Control uint8

// Controls.
const (
	Auto Control = iota
	On
	Off
	Unordered
)

// String returns the control as written in the file.
func (c Control) String() string {
	switch c {
	case On:
		return "on"
	case Off:
		return "off"
	case Unordered:
		return "unordered_layer_location"
	}
	return "auto"
}

// LayerEntry is an entry of the layers list.
type LayerEntry struct {
	Name, Path string
	Control    Control
	Implicit   bool
}

// Device is an entry of the device configurations.
type Device struct {
	DeviceUUID, DriverUUID       [16]byte
	DriverVersion                uint32
	DeviceName, DriverName       string
	HasDeviceName, HasDriverName bool
}

// Hardware is the policy for drivers without hardware, the value of HardwareMember.
type Hardware uint8

// Policies.
const (
	AnyHardware     Hardware = iota // every driver is opened
	PresentHardware                 // only drivers with a device
	AwakeHardware                   // only drivers with a device that is not suspended
)

// HardwareMember is the member of a settings object with the hardware policy. Other loaders ignore it.
const HardwareMember = "vkloader_driver_hardware"

// String returns the policy as written in the file.
func (h Hardware) String() string {
	switch h {
	case PresentHardware:
		return "present"
	case AwakeHardware:
		return "awake"
	}
	return "any"
}

// LogFileMember is the member of a settings object with the path of a log file. Other loaders ignore it.
const LogFileMember = "vkloader_log_file"

// maxLogFile is the longest path of a log file, in bytes.
const maxLogFile = 4000

// MaxDrivers is the largest number of additional_drivers. Each driver is opened and gets an instance, regardless of the
// size of its entry.
const MaxDrivers = 64

// Settings is the settings object in force.
type Settings struct {
	File           string
	HasLevel       bool
	Level          uint32 // LOG_* bits for standard error
	ControlsLayers bool   // layers is present and well-formed (SET-39, SET-40)
	Layers         []LayerEntry
	Exclusively    bool // additional_drivers_use_exclusively
	Drivers        []string
	Hardware       Hardware
	LogFile        string // instances also log to this file; "": none
	HasDevices     bool   // device configurations are active (SET-92)
	Devices        []Device
}

// Merged reports whether the ordinary layer search is included (SET-46).
func (s *Settings) Merged() bool {
	return slices.ContainsFunc(s.Layers, func(e LayerEntry) bool { return e.Control == Unordered })
}
