package search

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/variables"
)

// Names of Windows. The names of keys and adapter values are indexed by Kind; a kind with an empty name is not
// searched.
const (
	registryRoot  = `SOFTWARE\Khronos\Vulkan\`
	settingsKey   = registryRoot + "LoaderSettings"
	settingsName  = "vk_loader_settings.json"
	mappingLayers = "Microsoft.D3DMappingLayers_8wekyb3d8bbwe"
	component     = "{5c4c3332-344d-483c-8739-259e934c9cc8}" // the class of software components
	maxPath       = 260                                      // MAX_PATH, in UTF-16 units, with the NUL
)

var (
	adapterValues = [...]string{Drivers: "VulkanDriverName", ImplicitLayers: "VulkanImplicitLayers",
		ExplicitLayers: "VulkanExplicitLayers"}
	registryKeys = [...]string{Drivers: registryRoot + "Drivers", ImplicitLayers: registryRoot + "ImplicitLayers",
		ExplicitLayers: registryRoot + "ExplicitLayers"}
)

// Windows returns the platform of vulkan-1.dll. bits is the word size of the process, "32" or "64"; empty: of this
// build.
func Windows(bits string) Platform {
	p := Platform{
		Steps:    []Step{appPackage, adapters, machineKey, userKey, warnNoExplicitLayers}, // WIN-014, WIN-048, WIN-049
		Settings: windowsSettings,
		Rights:   windowsRights,
		Mixed:    true, // the app package
		Sources:  true,
	}
	p.Style = pathname.Backslash
	p.Bits = bits
	p.Surfaces = windowsSurfaces
	return p
}

var windowsSurfaces = []string{"VK_KHR_win32_surface"}

// isElevated reports whether the process has more rights than the user's other processes (WIN-051, WIN-057, WIN-058).
func isElevated(f *facts.Store) bool {
	process, _ := f.Process()
	return process.Known && process.Level >= facts.HighIntegrity
}

// windowsRights ignores the secure variables in an elevated process (WIN-057).
func windowsRights(_ *Platform, f *facts.Store) (said []Message) {
	if !isElevated(f) {
		return nil
	}
	f.SetRights(facts.NoRights)
	variables.Decisive(func(v variables.ID) {
		if v.Secure() && f.OwnVariable(v).Set {
			said = append(said, Message{Flags: diag.Info, Code: diag.VariableElevated, Subject: v.Name(),
				Text: v.Name() +
					" is ignored: the process is elevated"})
		}
	})
	return said
}

// appPackage adds the directory of the package of mapping layers (WIN-044 to WIN-046).
func appPackage(b *Builder) {
	if b.Kind == ExplicitLayers {
		return
	}
	paths := b.Facts.Packages(mappingLayers)
	if len(paths) > 0 && paths[0] != "" && units(paths[0]) < maxPath {
		b.Place(paths[0], false, "the app package "+mappingLayers)
	}
}

// units returns the number of UTF-16 units of a UTF-8 text.
func units(text string) int {
	n := 0
	for _, r := range text {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

// adapters adds the files in the registry values of display adapters. If the kernel returns no value, the values in the
// software keys of the devices are used (WIN-018 to WIN-035).
func adapters(b *Builder) {
	name := adapterValues[b.Kind]
	process, known := b.Facts.Process()
	if !known {
		return
	}
	if process.WOW64 { // WIN-019, WIN-050
		name += "Wow"
	}
	all, known := b.Facts.Adapters(name)
	if !known {
		return
	}
	any := false
	for i := range all.List {
		a := &all.List[i]
		if a.Status == facts.AdapterBroken { // WIN-027
			break
		}
		if a.Status == facts.AdapterValue && b.texts(a.Type, a.Data, "a display adapter's "+name) {
			any = true
		}
	}
	if any { // WIN-024
		return
	}
	devices, known := b.Facts.Devices(name)
	if known {
		b.devices(&devices, name)
	}
}

// devices adds the files in the software keys of display devices and their software components. A bad device does not
// affect the others (WIN-034).
func (b *Builder) devices(all *facts.Devices, name string) {
	passed := false // the last display device is skipped, with its children
	for i := range all.List {
		d := &all.List[i]
		if d.Child && passed {
			continue
		}
		passed = !d.Child
		switch {
		case d.Status == facts.DeviceLost:
			b.say(diag.Error, diag.DeviceUnread, d.ID, "", "The device "+d.ID+" cannot be located")
			continue
		case d.Status == facts.DeviceMute:
			b.say(diag.Error, diag.DeviceUnread, d.ID, "", "The state of the device "+d.ID+" cannot be read")
			continue
		case d.Problem == facts.NeedsRestart: // WIN-030
			b.say(diag.Info, diag.DeviceUnread, d.ID, "", "The device "+d.ID+" needs a restart: it is passed over")
			continue
		case d.Child && !document.EqualFold(d.Class, component): // WIN-032
			b.say(diag.Debug, diag.None, d.ID, "", "The device "+d.ID+" is no software component: it is passed over")
			continue
		}
		if !d.Child {
			passed = false
		}
		b.softwareValue(d, name)
	}
}

// softwareValue adds the files in a value of a device's software key (WIN-033, WIN-035).
func (b *Builder) softwareValue(d *facts.Device, name string) {
	from := name + " of the device " + d.ID
	switch d.Value {
	case facts.SoftwareValue:
		if !b.texts(d.Type, d.Data, from) && d.Type != facts.RegSZ && d.Type != facts.RegMultiSZ {
			b.say(diag.Error, diag.DeviceUnread, d.ID, "", "The value "+from+" is not text")
		}
	case facts.SoftwareNoValue:
		b.say(diag.Info, diag.None, d.ID, "", "The device "+d.ID+" has no value "+name)
	default:
		b.say(diag.Debug, diag.DeviceUnread, d.ID, "", "The value "+from+" cannot be read")
	}
}

// texts adds the paths of a value, one or a list. It returns false if there is none (WIN-020, WIN-033).
func (b *Builder) texts(kind uint32, data, from string) (any bool) {
	if kind != facts.RegSZ && kind != facts.RegMultiSZ {
		return false
	}
	for data != "" {
		text, rest, _ := strings.Cut(data, "\x00")
		if text != "" { // WIN-023
			b.add(text, "", from)
			any = true
		}
		if kind == facts.RegSZ {
			break
		}
		data = rest
	}
	return any
}

// machineKey adds the files in the machine's registry key. A driver with a known vendor is added only if that vendor
// has an adapter (WIN-036 to WIN-042). DXGI is queried only then: it takes milliseconds, and may itself use Vulkan.
func machineKey(b *Builder) {
	told := false
	b.key(facts.LocalMachine, func(name string) bool {
		if b.Kind != Drivers { // WIN-056
			return true
		}
		vendor := b.vendorOf(name)
		if vendor == 0 { // WIN-041
			b.say(diag.Info, diag.None, name, name, name+
				" is not a known driver: it is not asked which adapters it is for")
			return true
		}
		dxgi, known := b.Facts.DXGI()
		if !known {
			return false
		}
		if !dxgi.Made { // WIN-040: for example in services, and on machines without a display
			if !told {
				b.say(diag.Warn, diag.AdaptersUnknown, b.registryKey(), "",
					"The adapters of DXGI cannot be listed: the drivers of HKEY_LOCAL_MACHINE\\"+b.registryKey()+
						" are used, whether their vendor has an adapter here or not")
			}
			told = true
			return true
		}
		return b.hasAdapter(name, vendor, &dxgi)
	})
}

// userKey adds the layers in the user's registry key, unless the process is elevated (WIN-037, WIN-048, WIN-051).
func userKey(b *Builder) {
	if b.Kind != Drivers && !isElevated(b.Facts) {
		b.key(facts.CurrentUser, func(string) bool { return true })
	}
}

func (b *Builder) registryKey() string { return registryKeys[b.Kind] }

// key adds the enabled values of a registry key: their data is four bytes of 0 (WIN-036).
func (b *Builder) key(hive facts.Hive, wanted func(name string) bool) {
	from := hive.String() + `\` + b.registryKey()
	values, named := b.Facts.Registry(hive, b.registryKey()).Values, false
	for i := range values {
		v := &values[i]
		if v.Name == "" {
			continue
		}
		if v.Data != "\x00\x00\x00\x00" {
			code := diag.LayerRegistryOff
			if b.Kind == Drivers {
				code = diag.DriverRegistryOff
			}
			b.Said = append(b.Said,
				Message{Code: code, Cause: diag.RegistryValue, Subject: v.Name, Path: v.Name, Detail: from})
			continue
		}
		if named = true; wanted(v.Name) {
			b.say(diag.Info, diag.None, v.Name, v.Name, "Located json file \""+v.Name+"\" from registry \""+from+"\"")
			b.add(v.Name, "", from)
		}
	}
	if !named && !b.Facts.Missing() {
		b.say(diag.Info, diag.None, from, "", "The registry key \""+from+"\" names no file")
	}
}

// vendors lists drivers with a known vendor, by the end of the manifest's name (WIN-039).
var vendors = [...]struct {
	bits, end string
	vendor    uint32
}{
	{"64", "igvk64.json", 0x8086}, {"64", "nv-vk64.json", 0x10de}, {"64", "amd-vulkan64.json", 0x1002}, {"64",
		"amdvlk64.json", 0x1002},
	{"32", "igvk32.json", 0x8086}, {"32", "nv-vk32.json", 0x10de}, {"32", "amd-vulkan32.json", 0x1002}, {"32",
		"amdvlk32.json", 0x1002},
}

// vendorOf returns the vendor of a driver from the name of its manifest, or 0 (WIN-041).
func (b *Builder) vendorOf(name string) uint32 {
	bits := b.Platform.WordSize()
	for i := range vendors {
		v := &vendors[i]
		if v.bits == bits && strings.HasSuffix(name, v.end) {
			return v.vendor
		}
	}
	return 0
}

// hasAdapter reports whether a driver's vendor has an adapter on this machine (WIN-039).
func (b *Builder) hasAdapter(name string, vendor uint32, dxgi *facts.DXGI) bool {
	if slices.ContainsFunc(dxgi.List, func(d facts.Display) bool { return d.Vendor == vendor }) {
		return true
	}
	b.say(diag.Info, diag.DriverVendor, name, name, "Driver "+name+" is not used: its vendor has no adapter here")
	return false
}

// warnNoExplicitLayers warns if there is no location for explicit layers (WIN-054).
func warnNoExplicitLayers(b *Builder) {
	if b.Kind == ExplicitLayers && len(b.List) == 0 && !b.Facts.Missing() {
		b.say(diag.Warn, diag.None, "", "", "The registry names no explicit layer")
	}
}

// windowsSettings returns the settings files in the user's and the machine's registry keys: from each key the first
// value with that file name, regardless of its data (WIN-081 to WIN-085).
func windowsSettings(p *Platform, f *facts.Store) (list []string) {
	first := func(hive facts.Hive) {
		values := f.Registry(hive, settingsKey).Values
		for i := range values {
			if p.Style.Base(values[i].Name) == settingsName {
				list = append(list, values[i].Name)
				return
			}
		}
	}
	if !isElevated(f) {
		first(facts.CurrentUser)
	}
	first(facts.LocalMachine)
	return list
}
