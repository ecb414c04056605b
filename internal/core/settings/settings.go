package settings

// Control of a layer entry (SET-37).
type Control uint8

// Controls.
const (
	Auto Control = iota
	On
	Off
	Unordered
)

// String is the control as it is written.
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

// Hardware is the policy about drivers whose hardware is not here, of HardwareMember.
type Hardware uint8

// Policies.
const (
	AnyHardware     Hardware = iota // every driver is opened
	PresentHardware                 // not those whose devices are not here
	AwakeHardware                   // nor those whose devices all sleep
)

// HardwareMember is the member of a settings object that holds the policy. Other loaders do not know it.
const HardwareMember = "vkloader_driver_hardware"

// String is the policy as it is written.
func (h Hardware) String() string {
	switch h {
	case PresentHardware:
		return "present"
	case AwakeHardware:
		return "awake"
	}
	return "any"
}

// Service is when the driver service is asked, of ServiceMember.
type Service uint8

// When it is asked.
const (
	ServiceLast   Service = iota // where nothing else gives a driver
	ServiceAlways                // beside the drivers that are found
	ServiceNever
)

// ServiceMember is the member of a settings object that says so. Other loaders do not know it.
const ServiceMember = "vkloader_driver_service"

// String is the word as it is written.
func (s Service) String() string {
	switch s {
	case ServiceAlways:
		return "always"
	case ServiceNever:
		return "never"
	}
	return "last"
}

// Compute is which implicit layers programs get that show nothing, of ComputeMember.
type Compute uint8

// Policies.
const (
	AllLayers  Compute = iota // the same as others
	NoOverlays                // none that is for showing pictures
)

// ComputeMember is the member of a settings object that says so. Other loaders do not know it.
const ComputeMember = "vkloader_compute_layers"

// String is the policy as it is written.
func (c Compute) String() string {
	if c == NoOverlays {
		return "no_overlays"
	}
	return "all"
}

// LogFileMember is the member of a settings object with the path of a file that gets the log. Other loaders do not know it.
const LogFileMember = "vkloader_log_file"

// maxLogFile is the longest path of such a file.
const maxLogFile = 4000

// MaxDrivers is how many additional_drivers count. Each is opened and gets an instance of its own, however few bytes its
// entry has.
const MaxDrivers = 64

// Settings is the settings object in force.
type Settings struct {
	File           string
	HasLevel       bool
	Level          uint32 // LOG_* bits for standard error
	ControlsLayers bool   // layers was there and well-formed (SET-39, SET-40)
	Layers         []LayerEntry
	Exclusively    bool // additional_drivers_use_exclusively
	Drivers        []string
	Hardware       Hardware
	Service        Service
	Compute        Compute
	LogFile        string // lines of instances go there, too; "": nowhere else
	HasDevices     bool   // device configurations are active (SET-92)
	Devices        []Device
}

// Merged tells whether the ordinary layer search takes part (SET-46).
func (s *Settings) Merged() bool {
	for i := range s.Layers {
		if s.Layers[i].Control == Unordered {
			return true
		}
	}
	return false
}
