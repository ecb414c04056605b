package facts

// String returns the usual name of the hive.
func (h Hive) String() string {
	if h == CurrentUser {
		return "HKEY_CURRENT_USER"
	}
	return "HKEY_LOCAL_MACHINE"
}

// Types of registry values.
const (
	RegSZ      uint32 = 1
	RegDWORD   uint32 = 4
	RegMultiSZ uint32 = 7
)

// Value is a registry value.
type Value struct {
	Name string
	Type uint32
	Data string // text types as UTF-8, including every NUL
}

// Key is the result of enumerating a registry key.
type Key struct {
	Opened bool
	Values []Value
}

// Adapter is the registry value of a display adapter.
type Adapter struct {
	Status AdapterStatus
	Type   uint32
	Data   string
}

// Adapters are the registry values of one name, one for each of the kernel's display adapters.
type Adapters struct {
	Status AdaptersStatus
	List   []Adapter
}

// NeedsRestart is the problem code of a device that needs a restart.
const NeedsRestart = 14

// Device is a display device of the plug-and-play tree, or a child of one.
type Device struct {
	ID      string // of the instance, for messages
	Child   bool   // a child of the display device before it
	Status  DeviceStatus
	Problem uint32
	Class   string // GUID in braces; empty: none
	Value   SoftwareStatus
	Type    uint32
	Data    string
}

// Devices are the display devices, each followed by its children.
type Devices struct {
	Listed bool
	List   []Device
}

// Display is an adapter of DXGI.
type Display struct {
	Description    string
	Vendor, Device uint32
	LUIDLow        uint32
	LUIDHigh       int32
}

// DXGI are the adapters that DXGI lists.
type DXGI struct {
	Made    bool // there is a factory
	Ordered bool // the factory orders them
	List    []Display
}

// Process holds the privileges and the environment of the process.
type Process struct {
	Known bool   // the integrity level of its token was read
	Level uint32 // that level
	WOW64 bool   // a 32-bit process under a 64-bit system
}

// HighIntegrity is the lowest level of an elevated process (WIN-051).
const HighIntegrity = 0x3000

// windows holds the facts that only Windows has.
type windows struct {
	machine, user           table[Key]
	adapters                table[Adapters]
	devices                 table[Devices]
	packages                table[[]string]
	dxgi                    DXGI
	hasDXGI                 bool
	process                 Process
	hasProcess              bool
	dxgiAsked, processAsked uint32 // the rounds in which they were requested
}

func (w *windows) keys(h Hive) *table[Key] {
	if h == CurrentUser {
		return &w.user
	}
	return &w.machine
}

// SetRegistry adds a registry key.
func (s *Store) SetRegistry(h Hive, key string, k Key) { s.windows.keys(h).set(key, k) }

// SetAdapters adds the display adapters' values of a name.
func (s *Store) SetAdapters(name string, a Adapters) { s.windows.adapters.set(name, a) }

// SetDevices adds the display devices' values of a name.
func (s *Store) SetDevices(name string, d Devices) { s.windows.devices.set(name, d) }

// SetPackages adds the paths of a package family.
func (s *Store) SetPackages(family string, paths []string) { s.windows.packages.set(family, paths) }

// SetDXGI adds the adapters of DXGI.
func (s *Store) SetDXGI(d DXGI) { s.windows.dxgi, s.windows.hasDXGI = d, true }

// SetProcess adds the privileges of the process.
func (s *Store) SetProcess(p Process) { s.windows.process, s.windows.hasProcess = p, true }

// Registry reads the values of a key. A missing key counts as one that cannot be opened.
func (s *Store) Registry(h Hive, key string) Key {
	e, isNew := s.windows.keys(h).get(key, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindRegistry, Name: key, Hive: h})
	}
	return e.value
}

// Adapters reads a value of the display adapters. It returns false while the fact is missing.
func (s *Store) Adapters(name string) (Adapters, bool) {
	e, isNew := s.windows.adapters.get(name, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindAdapters, Name: name})
	}
	return e.value, e.known
}

// Devices reads a value of the display devices. It returns false while the fact is missing.
func (s *Store) Devices(name string) (Devices, bool) {
	e, isNew := s.windows.devices.get(name, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindDevices, Name: name})
	}
	return e.value, e.known
}

// Packages returns the paths of a package family.
func (s *Store) Packages(family string) []string {
	e, isNew := s.windows.packages.get(family, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindPackages, Name: family})
	}
	return e.value
}

// DXGI lists the adapters of DXGI. It returns false while the fact is missing.
func (s *Store) DXGI() (DXGI, bool) {
	w := &s.windows
	if !w.hasDXGI && w.dxgiAsked != s.round+1 {
		w.dxgiAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindDXGI})
	}
	return w.dxgi, w.hasDXGI
}

// Process returns the privileges of the process. It returns false while the fact is missing.
func (s *Store) Process() (Process, bool) {
	w := &s.windows
	if !w.hasProcess && w.processAsked != s.round+1 {
		w.processAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindProcess})
	}
	return w.process, w.hasProcess
}
