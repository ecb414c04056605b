package facts

// String is the hive as people write it.
func (h Hive) String() string {
	if h == CurrentUser {
		return "HKEY_CURRENT_USER"
	}
	return "HKEY_LOCAL_MACHINE"
}

// Types of values of the registry.
const (
	RegSZ      uint32 = 1
	RegDWORD   uint32 = 4
	RegMultiSZ uint32 = 7
)

// Value is a value of the registry.
type Value struct {
	Name string
	Type uint32
	Data string // of text types UTF-8, with every NUL that it has
}

// Key is what enumerating a key of the registry gave.
type Key struct {
	Opened bool
	Values []Value
}

// Adapter is what a display adapter says to one name.
type Adapter struct {
	Status AdapterStatus
	Type   uint32
	Data   string
}

// Adapters are what the kernel's display adapters say to one name.
type Adapters struct {
	Status AdaptersStatus
	List   []Adapter
}

// NeedsRestart is the problem code of a device that works only after a restart.
const NeedsRestart = 14

// Device is a display device of the plug-and-play tree, or a child of one.
type Device struct {
	ID      string // of the instance, for messages
	Child   bool   // of the display device before it
	Status  DeviceStatus
	Problem uint32
	Class   string // GUID in braces, empty when it has none
	Value   SoftwareStatus
	Type    uint32
	Data    string
}

// Devices are the display devices with their children, each followed by its own.
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
	Ordered bool // it is one that orders them
	List    []Display
}

// Process is what the process may do, and where it runs.
type Process struct {
	Known bool   // the integrity level of its token was read
	Level uint32 // that level
	WOW64 bool   // a 32-bit process under a 64-bit system
}

// HighIntegrity is the level from which a process is elevated (WIN-051).
const HighIntegrity = 0x3000

// windows are the facts that only Windows has.
type windows struct {
	machine, user           table[Key]
	adapters                table[Adapters]
	devices                 table[Devices]
	packages                table[[]string]
	dxgi                    DXGI
	hasDXGI                 bool
	process                 Process
	hasProcess              bool
	dxgiAsked, processAsked uint32 // the rounds that they were asked for in
}

func (w *windows) keys(h Hive) *table[Key] {
	if h == CurrentUser {
		return &w.user
	}
	return &w.machine
}

// SetRegistry and the following add a fact of Windows.
func (s *Store) SetRegistry(h Hive, key string, k Key) { s.windows.keys(h).set(key, k) }

// SetAdapters adds what the display adapters say to a name.
func (s *Store) SetAdapters(name string, a Adapters) { s.windows.adapters.set(name, a) }

// SetDevices adds what the plug-and-play tree says to a name.
func (s *Store) SetDevices(name string, d Devices) { s.windows.devices.set(name, d) }

// SetPackages adds where the packages of a family are.
func (s *Store) SetPackages(family string, paths []string) { s.windows.packages.set(family, paths) }

// SetDXGI adds the adapters of DXGI.
func (s *Store) SetDXGI(d DXGI) { s.windows.dxgi, s.windows.hasDXGI = d, true }

// SetProcess adds what the process may do.
func (s *Store) SetProcess(p Process) { s.windows.process, s.windows.hasProcess = p, true }

// Registry reads the values of a key; one that is not known counts as one that cannot be opened.
func (s *Store) Registry(h Hive, key string) Key {
	e, isNew := s.windows.keys(h).get(key, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindRegistry, Name: key, Hive: h})
	}
	return e.value
}

// Adapters asks the display adapters for a value; false while what they say is not known.
func (s *Store) Adapters(name string) (Adapters, bool) {
	e, isNew := s.windows.adapters.get(name, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindAdapters, Name: name})
	}
	return e.value, e.known
}

// Devices asks the plug-and-play tree for a value; false while what it says is not known.
func (s *Store) Devices(name string) (Devices, bool) {
	e, isNew := s.windows.devices.get(name, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindDevices, Name: name})
	}
	return e.value, e.known
}

// Packages asks where the packages of a family are.
func (s *Store) Packages(family string) []string {
	e, isNew := s.windows.packages.get(family, s.round+1)
	if isNew {
		s.needs = append(s.needs, Need{Kind: KindPackages, Name: family})
	}
	return e.value
}

// DXGI lists the adapters of DXGI; false while they are not known.
func (s *Store) DXGI() (DXGI, bool) {
	w := &s.windows
	if !w.hasDXGI && w.dxgiAsked != s.round+1 {
		w.dxgiAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindDXGI})
	}
	return w.dxgi, w.hasDXGI
}

// Process asks what the process may do; false while it is not known.
func (s *Store) Process() (Process, bool) {
	w := &s.windows
	if !w.hasProcess && w.processAsked != s.round+1 {
		w.processAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindProcess})
	}
	return w.process, w.hasProcess
}
