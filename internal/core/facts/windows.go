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
	machine, user table[Key]
	adapters      table[Adapters]
	devices       table[Devices]
	packages      table[[]string]
	dxgi          fact[DXGI]
	process       fact[Process]
}

func (w *windows) keys(h Hive) *table[Key] {
	if h == CurrentUser {
		return &w.user
	}
	return &w.machine
}

// SetRegistry adds a registry key.
func (s *Store) SetRegistry(h Hive, key string, k Key) { s.windows.keys(h).fact(key).set(k) }

// SetAdapters adds the display adapters' values of a name.
func (s *Store) SetAdapters(name string, a Adapters) { s.windows.adapters.fact(name).set(a) }

// SetDevices adds the display devices' values of a name.
func (s *Store) SetDevices(name string, d Devices) { s.windows.devices.fact(name).set(d) }

// SetPackages adds the paths of a package family.
func (s *Store) SetPackages(family string, paths []string) {
	s.windows.packages.fact(family).set(paths)
}

// SetDXGI adds the adapters of DXGI.
func (s *Store) SetDXGI(d DXGI) { s.windows.dxgi.set(d) }

// SetProcess adds the privileges of the process.
func (s *Store) SetProcess(p Process) { s.windows.process.set(p) }

// Registry reads the values of a key. A missing key counts as one that cannot be opened.
func (s *Store) Registry(h Hive, key string) Key {
	k, _ := ask(s, s.windows.keys(h).fact(key), Need{Kind: KindRegistry, Name: key, Hive: h})
	return k
}

// Adapters reads a value of the display adapters. It returns false while the fact is missing.
func (s *Store) Adapters(name string) (Adapters, bool) {
	return ask(s, s.windows.adapters.fact(name), Need{Kind: KindAdapters, Name: name})
}

// Devices reads a value of the display devices. It returns false while the fact is missing.
func (s *Store) Devices(name string) (Devices, bool) {
	return ask(s, s.windows.devices.fact(name), Need{Kind: KindDevices, Name: name})
}

// Packages returns the paths of a package family.
func (s *Store) Packages(family string) []string {
	paths, _ := ask(s, s.windows.packages.fact(family), Need{Kind: KindPackages, Name: family})
	return paths
}

// DXGI lists the adapters of DXGI. It returns false while the fact is missing.
func (s *Store) DXGI() (DXGI, bool) { return ask(s, &s.windows.dxgi, Need{Kind: KindDXGI}) }

// Process returns the privileges of the process. It returns false while the fact is missing.
func (s *Store) Process() (Process, bool) { return ask(s, &s.windows.process, Need{Kind: KindProcess}) }
