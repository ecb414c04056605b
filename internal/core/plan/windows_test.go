package plan

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/test/lib/inmemory"
)

const (
	machineRoot = `HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\`
	userRoot    = `HKEY_CURRENT_USER\SOFTWARE\Khronos\Vulkan\`
	mapping     = "Microsoft.D3DMappingLayers_8wekyb3d8bbwe"
	zero        = "\x00\x00\x00\x00"
	component   = "{5C4C3332-344D-483C-8739-259E934C9CC8}"
)

// pc is a machine with Windows. Files without a text are driver manifests or layer manifests, by their names: l and a
// digit at the end make a layer of that name.
type pc struct {
	inmemory.Tree
	bits string
	app  App
}

func newPC(files ...string) *pc {
	p := &pc{bits: "64"}
	p.Backslashes, p.Vars, p.Files = true, map[string]string{}, map[string]string{}
	p.Other = &inmemory.Foreign{Keys: map[string][]facts.Value{}, AdapterValues: map[string]facts.Adapters{}, DeviceValues: map[string][]facts.Device{},
		PackagePaths: map[string][]string{}, Displays: facts.DXGI{Made: true}}
	return p.with(files...)
}

func (p *pc) with(files ...string) *pc {
	for _, path := range files {
		base := strings.TrimSuffix(path[strings.LastIndexAny(path, `\/`)+1:], ".json")
		if base[0] == 'l' {
			p.Files[path] = layerText("1.2.0", "VK_LAYER_"+base, `,"disable_environment":{"NO":"1"},"library_path":".\\`+base+`.dll"`)
		} else {
			p.Files[path] = `{"file_format_version":"1.0.1","ICD":{"library_path":".\\` + base + `.dll","api_version":"1.3.0"}}`
		}
	}
	return p
}

// on switches entries of a key on.
func (p *pc) on(key string, names ...string) *pc {
	for _, name := range names {
		p.Other.Keys[key] = append(p.Other.Keys[key], facts.Value{Name: name, Type: facts.RegDWORD, Data: zero})
	}
	return p
}

// adapter adds an adapter that has a value.
func (p *pc) adapter(name string, kind uint32, data string) *pc {
	a := p.Other.AdapterValues[name]
	a.List = append(a.List, facts.Adapter{Type: kind, Data: data})
	p.Other.AdapterValues[name] = a
	return p
}

func (p *pc) device(name string, d facts.Device) *pc {
	p.Other.DeviceValues[name] = append(p.Other.DeviceValues[name], d)
	return p
}

func (p *pc) ask(t *testing.T, kind Kind) *Answer {
	t.Helper()
	a, _ := p.asked(t, kind)
	return a
}

// asked returns the answer and the requested facts.
func (p *pc) asked(t *testing.T, kind Kind) (a *Answer, needs []facts.Need) {
	t.Helper()
	store := facts.NewStore()
	q := &Question{Kind: kind, App: p.app, Platform: search.Windows(p.bits), Explain: true}
	for range 32 {
		a = Decide(q, store)
		if len(a.Needs) == 0 {
			return a, needs
		}
		needs = append(needs, a.Needs...)
		store.Fetch(store.TakeNeeds(), &p.Tree)
	}
	t.Fatal("never decided")
	return nil, nil
}

func wasAsked(needs []facts.Need, kind facts.Kind, name string) bool {
	return slices.ContainsFunc(needs, func(n facts.Need) bool { return n.Kind == kind && (name == "" || n.Name == name) })
}

// found are the paths of the drivers that are opened.
func found(a *Answer) string {
	var out []string
	for _, d := range a.Drivers {
		out = append(out, d.Path)
	}
	return strings.Join(out, " ")
}

// Drivers come from the variable that adds, the app package, the adapters and the key of the machine, in this order; a
// path counts once.
//
// holds: WIN-014 WIN-017 WIN-044 WIN-047 WIN-074 WIN-088
func TestWindowsDriverOrder(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\add\a.json`, `C:\pkg\p2.json`, `C:\pkg\p1.json`, `C:\pkg\sub\q.json`, `C:\card\c.json`, `D:\reg\r.json`).
		on(machineRoot+"Drivers", `C:\card\c.json`, `D:\reg\r.json`).adapter("VulkanDriverName", facts.RegSZ, "C:\\card\\c.json\x00")
	p.Files[`C:\pkg\X.JSON`] = p.Files[`C:\pkg\p1.json`]
	p.Directories = map[string][]string{`C:\pkg`: {"p2.json", "p1.json"}}
	p.Other.PackagePaths[mapping] = []string{`C:\pkg`, `C:\other`}
	p.Vars["VK_ADD_DRIVER_FILES"] = `C:\add\a.json`
	a := p.ask(t, Instance)
	expect(t, "drivers", found(a), `C:\add\a.json C:\pkg\p2.json C:\pkg\p1.json C:\card\c.json D:\reg\r.json`)
	expect(t, "library", a.Drivers[0].Library, `C:\add\.\a.dll`)
}

// TestWindowsSources checks that the log names the origin of a location; a variable is its own origin.
//
// holds: WIN-089
func TestWindowsSources(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\add\a.json`, `C:\pkg\p.json`, `C:\c.json`, `D:\r.json`, `D:\l.json`, `D:\u.json`, `D:\e.json`).
		on(machineRoot+"Drivers", `D:\r.json`).on(machineRoot+"ImplicitLayers", `D:\l.json`).on(userRoot+"ImplicitLayers", `D:\u.json`).
		on(machineRoot+"ExplicitLayers", `D:\e.json`).adapter("VulkanDriverName", facts.RegSZ, "C:\\c.json\x00")
	p.Other.PackagePaths[mapping] = []string{`C:\pkg`}
	p.Vars["VK_ADD_DRIVER_FILES"] = `C:\add\a.json`
	a := p.ask(t, Instance)
	expectLog(t, a, `DRIVER:       C:\add\a.json`, `DRIVER:       C:\pkg (the app package `+mapping+`)`,
		`DRIVER:       C:\c.json (a display adapter's VulkanDriverName)`, `DRIVER:       D:\r.json (HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\Drivers)`,
		`LAYER:       D:\l.json (HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\ImplicitLayers)`,
		`LAYER:       D:\u.json (HKEY_CURRENT_USER\SOFTWARE\Khronos\Vulkan\ImplicitLayers)`,
		`LAYER:       D:\e.json (HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\ExplicitLayers)`)
	p = newPC(`C:\d.json`)
	p.Other.AdapterValues["VulkanDriverName"] = facts.Adapters{Status: facts.AdaptersEnumerated}
	p.device("VulkanDriverName", facts.Device{ID: "PCI\\VEN_1002", Class: "{4d36e968-e325-11ce-bfc1-08002be10318}", Type: facts.RegSZ, Data: `C:\d.json`})
	expectLog(t, p.ask(t, Instance), `DRIVER:       C:\d.json (VulkanDriverName of the device PCI\VEN_1002)`)
}

// TestWindowsRegistryLines checks the line about each manifest of a registry key, and about a key without one. Tools look for the
// words of the first.
//
// holds: WIN-090
func TestWindowsRegistryLines(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\c.json`, `D:\l.json`, `D:\u.json`, `D:\e.json`).on(machineRoot+"Drivers", `C:\c.json`).on(machineRoot+"ImplicitLayers", `D:\l.json`).
		on(userRoot+"ImplicitLayers", `D:\u.json`).on(machineRoot+"ExplicitLayers", `D:\e.json`).adapter("VulkanDriverName", facts.RegSZ, "C:\\c.json\x00")
	a := p.ask(t, Instance)
	expect(t, "drivers", found(a), `C:\c.json`)
	expectLog(t, a, `INFO: Located json file "C:\c.json" from registry "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\Drivers"`,
		`INFO: Located json file "D:\l.json" from registry "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\ImplicitLayers"`,
		`INFO: Located json file "D:\u.json" from registry "HKEY_CURRENT_USER\SOFTWARE\Khronos\Vulkan\ImplicitLayers"`,
		`INFO: Located json file "D:\e.json" from registry "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\ExplicitLayers"`,
		`INFO: The registry key "HKEY_CURRENT_USER\SOFTWARE\Khronos\Vulkan\ExplicitLayers" names no file`)
	expectLog(t, newPC().ask(t, Instance), `INFO: The registry key "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\Drivers" names no file`,
		`INFO: The registry key "HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\ImplicitLayers" names no file`)
}

// holds: WIN-015
func TestWindowsDriverVariables(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\a.json`, `C:\d\b.json`, `C:\c.json`, `D:\r.json`, `C:\e.json`).on(machineRoot+"Drivers", `D:\r.json`)
	p.Vars["VK_ICD_FILENAMES"], p.Vars["VK_ADD_DRIVER_FILES"] = `C:\c.json`, `C:\e.json`
	a, needs := p.asked(t, Instance)
	expect(t, "by the old name", found(a), `C:\c.json`)
	p.Vars["VK_DRIVER_FILES"] = `C:\a.json;C:\d`
	a, more := p.asked(t, Instance)
	expect(t, "by the new name", found(a), `C:\a.json C:\d\b.json`)
	for _, n := range append(needs, more...) {
		if n.Kind == facts.KindRegistry && strings.HasSuffix(n.Name, "Drivers") || n.Kind == facts.KindAdapters && n.Name == "VulkanDriverName" {
			t.Errorf("asked for %+v", n)
		}
	}
}

// holds: WIN-016
func TestWindowsWithoutDrivers(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\add\a.json`)
	p.Vars["VK_ADD_DRIVER_FILES"] = `C:\add`
	expect(t, "the registry has no such key", found(p.ask(t, Instance)), `C:\add\a.json`)
	p = newPC()
	p.app = App{}
	a := p.ask(t, InstanceDrivers)
	if a.Result != IncompatibleDriver || !strings.Contains(logText(a), "ERROR|DRIVER: vkCreateInstance: Found no drivers!") {
		t.Errorf("%d\n%s", a.Result, logText(a))
	}
}

// holds: WIN-018 WIN-019 WIN-020 WIN-021 WIN-022 WIN-023 WIN-024 WIN-027
func TestWindowsAdapters(t *testing.T) {
	t.Parallel()
	long := `C:\` + strings.Repeat(`d\`, 2500) + `x.json`
	p := newPC(`C:\a.json`, `C:\b.json`, `C:\c.json`, `C:\w.json`, `C:\späť.json`, `C:\n.json`).
		adapter("VulkanDriverName", facts.RegMultiSZ, "C:\\a.json\x00\x00C:\\b.json\x00\x00").
		adapter("VulkanDriverName", facts.RegSZ, "C:\\c.json\x00C:\\n.json\x00").
		adapter("VulkanDriverName", facts.RegSZ, "C:\\späť.json").
		adapter("VulkanDriverNameWow", facts.RegSZ, "C:\\w.json\x00")
	names := p.Other.AdapterValues["VulkanDriverName"]
	names.List = append([]facts.Adapter{{Status: facts.AdapterNoValue}}, names.List...)
	names.List = append(names.List, facts.Adapter{Status: facts.AdapterBroken}, facts.Adapter{Type: facts.RegSZ, Data: `C:\n.json`})
	p.Other.AdapterValues["VulkanDriverName"] = names
	a, needs := p.asked(t, Instance)
	expect(t, "drivers", found(a), `C:\a.json C:\b.json C:\c.json C:\späť.json`)
	if wasAsked(needs, facts.KindDevices, "VulkanDriverName") || wasAsked(needs, facts.KindAdapters, "VulkanDriverNameWow") {
		t.Error("asked for more than is needed")
	}
	p.bits, p.Other.Token.WOW64 = "32", true
	a, needs = p.asked(t, Instance)
	expect(t, "of a 32-bit process", found(a), `C:\w.json`)
	if wasAsked(needs, facts.KindAdapters, "VulkanDriverName") {
		t.Error("the plain name was asked for")
	}
	// A path of any length is looked for as a directory; as a file it is too long (PATH-21).
	p = newPC().adapter("VulkanDriverName", facts.RegSZ, strings.TrimSuffix(long, ".json")+"\x00")
	if _, needs = p.asked(t, Instance); !wasAsked(needs, facts.KindDirectory, strings.TrimSuffix(long, ".json")) {
		t.Error("a long path is cut")
	}
}

// holds: WIN-025 WIN-026 WIN-028 WIN-030 WIN-031 WIN-032 WIN-033 WIN-034 WIN-035
func TestWindowsDevices(t *testing.T) {
	t.Parallel()
	display := func(id string, d facts.Device) facts.Device {
		d.ID, d.Class = id, "{4d36e968-e325-11ce-bfc1-08002be10318}"
		return d
	}
	child := func(id, data string, d facts.Device) facts.Device {
		d.ID, d.Child, d.Class, d.Type, d.Data = id, true, component, facts.RegSZ, data
		return d
	}
	for _, status := range []facts.AdaptersStatus{facts.AdaptersEnumerated, facts.AdaptersFailed, facts.AdaptersUnknown} {
		p := newPC(`C:\a.json`, `C:\b.json`, `C:\c.json`, `C:\d.json`, `C:\e.json`, `C:\f.json`, `C:\n.json`)
		p.Other.AdapterValues["VulkanDriverName"] = facts.Adapters{Status: status}
		p.device("VulkanDriverName", display("D1", facts.Device{Type: facts.RegMultiSZ, Data: "C:\\a.json\x00C:\\b.json"})).
			device("VulkanDriverName", child("C1", `C:\c.json`, facts.Device{})).
			device("VulkanDriverName", facts.Device{ID: "C2", Child: true, Class: "{other}", Type: facts.RegSZ, Data: `C:\n.json`}).
			device("VulkanDriverName", child("C3", "", facts.Device{Value: facts.SoftwareNoKey})).
			device("VulkanDriverName", child("C4", `C:\d.json`, facts.Device{})).
			device("VulkanDriverName", display("D2", facts.Device{Problem: facts.NeedsRestart, Type: facts.RegSZ, Data: `C:\n.json`})).
			device("VulkanDriverName", child("C5", `C:\n.json`, facts.Device{})).
			device("VulkanDriverName", display("D3", facts.Device{Status: facts.DeviceLost})).
			device("VulkanDriverName", display("D4", facts.Device{Status: facts.DeviceMute})).
			device("VulkanDriverName", display("D5", facts.Device{Type: facts.RegDWORD, Data: zero})).
			device("VulkanDriverName", child("C6", `C:\e.json`, facts.Device{})).
			device("VulkanDriverName", display("D6", facts.Device{Value: facts.SoftwareNoValue})).
			device("VulkanDriverName", child("C7", `C:\f.json`, facts.Device{Problem: 3})).
			device("VulkanDriverName", child("C8", "", facts.Device{Value: facts.SoftwareNoValue})).
			device("VulkanDriverName", child("C9", `C:\n.json`, facts.Device{Problem: facts.NeedsRestart}))
		a := p.ask(t, Instance)
		expect(t, "drivers", found(a), `C:\a.json C:\b.json C:\c.json C:\d.json C:\e.json C:\f.json`)
		expectLog(t, a, "DEBUG: The device C2 is no software component: it is passed over", "INFO: The device D2 needs a restart: it is passed over",
			"ERROR: The device D3 cannot be located", "ERROR: The state of the device D4 cannot be read",
			"ERROR: The value VulkanDriverName of the device D5 is not text", "INFO: The device D6 has no value VulkanDriverName",
			"INFO: The device C8 has no value VulkanDriverName", "INFO: The device C9 needs a restart: it is passed over")
		refuseLog(t, a, "C5")
	}
}

// holds: WIN-036 WIN-037 WIN-038 WIN-041 WIN-042 WIN-043 WIN-087
func TestWindowsDriversKey(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\a.json`, `C:\b.json`, `C:\c.json`, `C:\d\e.json`, `C:\f.json`, `rel.json`, `C:\u.json`, `C:\s.json`).on(userRoot+"Drivers", `C:\u.json`)
	key := machineRoot + "Drivers"
	p.Other.Keys[key] = []facts.Value{{Name: `C:\a.json`, Type: facts.RegDWORD, Data: zero}, {Name: `C:\b.json`, Type: facts.RegDWORD, Data: "\x01\x00\x00\x00"},
		{Name: `C:\c.json`, Type: facts.RegDWORD, Data: zero}, {Name: `C:\s.json`, Type: facts.RegSZ, Data: "0\x00"}, {Name: "", Type: facts.RegDWORD, Data: zero},
		{Name: `C:\` + strings.Repeat("x", 2050) + `.json`, Type: facts.RegDWORD, Data: zero}}
	p.on(key, `C:\d`, `C:\f.json;rel.json`)
	for _, high := range []bool{false, true} {
		p.Other.Token = facts.Process{Known: high, Level: facts.HighIntegrity}
		a, needs := p.asked(t, Instance)
		expect(t, "drivers", found(a), `C:\a.json C:\c.json C:\d\e.json C:\f.json rel.json`)
		expectLog(t, a, `INFO: C:\a.json is not a known driver: it is not asked which adapters it is for`)
		for _, n := range needs {
			if n.Kind == facts.KindRegistry && n.Hive == facts.CurrentUser && strings.HasSuffix(n.Name, `\Drivers`) {
				t.Error("the user's key of drivers is read")
			}
			if n.Kind == facts.KindRegistry && !strings.HasPrefix(n.Name, `SOFTWARE\Khronos\Vulkan\`) { // WIN-038: the system chooses the view
				t.Errorf("asked for %s", n.Name)
			}
		}
		off := 0
		for _, f := range a.Diagnostics {
			if f.Code.String() == "driver-registry-off" {
				off++
			}
		}
		if off != 2 {
			t.Errorf("%d values are found to be off", off)
		}
	}
}

// holds: WIN-039 WIN-040
func TestWindowsVendors(t *testing.T) {
	t.Parallel()
	names := []string{`C:\igvk64.json`, `C:\x-nv-vk64.json`, `C:\amd-vulkan64.json`, `C:\amdvlk64.json`, `C:\NV-VK64.json`, `C:\igvk32.json`,
		`C:\nv-vk32.json`, `C:\amd-vulkan32.json`, `C:\amdvlk32.json`}
	for _, c := range []struct {
		bits   string
		vendor uint32
		want   string
	}{
		{"64", 0x8086, "0 4 5 6 7 8"}, {"64", 0x10de, "1 4 5 6 7 8"}, {"64", 0x1002, "2 3 4 5 6 7 8"}, {"64", 0x1414, "4 5 6 7 8"},
		{"32", 0x8086, "0 1 2 3 4 5"}, {"32", 0x10de, "0 1 2 3 4 6"}, {"32", 0x1002, "0 1 2 3 4 7 8"},
	} {
		p := newPC(names...).on(machineRoot+"Drivers", names...)
		p.bits, p.Other.Displays.List = c.bits, []facts.Display{{Vendor: 1}, {Vendor: c.vendor}}
		var want []string
		for _, digit := range strings.Fields(c.want) {
			want = append(want, names[digit[0]-'0'])
		}
		a := p.ask(t, Instance)
		expect(t, c.bits, found(a), strings.Join(want, " "))
		if c.vendor == 0x1414 {
			expectLog(t, a, `INFO: Driver C:\igvk64.json is not used: its vendor has no adapter here`)
		}
		p.Other.Displays.Made = false
		a = p.ask(t, Instance)
		expect(t, "without a factory", found(a), strings.Join(names, " "))
		expectLog(t, a, `WARN: The adapters of DXGI cannot be listed: the drivers of HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\Drivers are used, whether their vendor has an adapter here or not`)
	}
}

// holds: WIN-040 WIN-041
//
// DXGI is asked only where the registry names a driver whose vendor is known.
func TestWindowsAsksDXGI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{`C:\a.json`: 0, `C:\igvk64.json`: 1, `C:\igvk32.json`: 0} {
		p := newPC(name).on(machineRoot+"Drivers", name)
		p.bits = "64"
		_, needs := p.asked(t, Instance)
		asked := 0
		for _, n := range needs {
			if n.Kind == facts.KindDXGI {
				asked++
			}
		}
		if asked != want {
			t.Errorf("with %s DXGI is asked %d times, want %d", name, asked, want)
		}
	}
}

// holds: WIN-044 WIN-045 WIN-046
func TestWindowsPackage(t *testing.T) {
	t.Parallel()
	long := `C:\` + strings.Repeat("ä", 256) // 259 units, which fit
	for _, c := range []struct {
		path   string
		places int
	}{{`C:\pkg`, 2}, {long, 2}, {long + "x", 0}, {`C:\` + strings.Repeat("𝄞", 129), 0}, {"", 0}} {
		p := newPC(`C:\pkg\l1.json`)
		p.Other.PackagePaths[mapping] = []string{c.path}
		_, needs := p.asked(t, Instance)
		asked := 0
		for _, n := range needs {
			if n.Kind == facts.KindDirectory && n.Name == c.path {
				asked++
			}
		}
		if (asked > 0) != (c.places > 0) {
			t.Errorf("%d characters: asked for %d times", len(c.path), asked)
		}
	}
	p := newPC(`C:\pkg\l1.json`, `C:\pkg\d.json`)
	p.Other.PackagePaths[mapping] = []string{`C:\pkg`, `C:\second`}
	a := p.ask(t, Layers)
	expect(t, "layers", listed(a), "VK_LAYER_l1")
	if !a.Layers[0].Implicit {
		t.Error("the package has explicit layers")
	}
	for _, at := range a.Searched[search.ExplicitLayers].List {
		t.Errorf("explicit layers are searched in %s", at.Path)
	}
	if a = newPC().ask(t, Instance); strings.Contains(logText(a), "package") {
		t.Error("a system without packages says something")
	}
}

// holds: WIN-048 WIN-049 WIN-050 WIN-051 WIN-056 WIN-058
func TestWindowsLayers(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\add\l1.json`, `C:\pkg\l2.json`, `C:\l3.json`, `C:\l4.json`, `C:\l5.json`, `C:\igvk64.json`, `C:\add\l6.json`, `C:\l7.json`, `C:\l8.json`, `C:\l9.json`,
		`C:\lw.json`, `C:\lx.json`, `C:\ly.json`)
	p.Vars["VK_ADD_IMPLICIT_LAYER_PATH"], p.Vars["VK_ADD_LAYER_PATH"] = `C:\add\l1.json`, `C:\add\l6.json`
	p.Other.PackagePaths[mapping] = []string{`C:\pkg`}
	p.adapter("VulkanImplicitLayers", facts.RegSZ, `C:\l3.json`).adapter("VulkanExplicitLayers", facts.RegSZ, `C:\l7.json`).
		adapter("VulkanImplicitLayersWow", facts.RegSZ, `C:\lw.json`).adapter("VulkanExplicitLayersWow", facts.RegSZ, `C:\lx.json`).
		on(machineRoot+"ImplicitLayers", `C:\l4.json`).on(userRoot+"ImplicitLayers", `C:\l5.json`).
		on(machineRoot+"ExplicitLayers", `C:\l8.json`).on(userRoot+"ExplicitLayers", `C:\l9.json`)
	p.Other.Keys[machineRoot+"ImplicitLayers"] = append(p.Other.Keys[machineRoot+"ImplicitLayers"],
		facts.Value{Name: `C:\ly.json`, Type: facts.RegDWORD, Data: "\x01\x00\x00\x00"})
	layers := func() string { return strings.ReplaceAll(listed(p.ask(t, Layers)), "VK_LAYER_l", "") }
	expect(t, "layers", layers(), "1 2 3 4 5 6 7 8 9")
	p.Other.Token = facts.Process{Known: true, Level: 0x2fff}
	expect(t, "below high integrity", layers(), "1 2 3 4 5 6 7 8 9")
	p.Other.Token = facts.Process{Level: 0x4000}
	expect(t, "a token that cannot be read", layers(), "1 2 3 4 5 6 7 8 9")
	p.Other.Token = facts.Process{Known: true, Level: 0x3000}
	expect(t, "elevated", layers(), "2 3 4 7 8")
	p.Other.Token = facts.Process{WOW64: true}
	expect(t, "a 32-bit process", layers(), "1 2 w 4 5 6 x 8 9")
}

// holds: WIN-052
func TestWindowsLayerVariables(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\l1.json`, `C:\l2.json`, `C:\l3.json`, `C:\l4.json`).on(machineRoot+"ImplicitLayers", `C:\l1.json`).on(machineRoot+"ExplicitLayers", `C:\l2.json`)
	for _, c := range []struct{ variable, want, key, name string }{
		{"VK_LAYER_PATH", "VK_LAYER_l1 VK_LAYER_l3", "ExplicitLayers", "VulkanExplicitLayers"},
		{"VK_IMPLICIT_LAYER_PATH", "VK_LAYER_l3 VK_LAYER_l2", "ImplicitLayers", "VulkanImplicitLayers"},
	} {
		p.Vars = map[string]string{c.variable: `C:\l3.json`}
		a, needs := p.asked(t, Layers)
		expect(t, c.variable, listed(a), c.want)
		if wasAsked(needs, facts.KindRegistry, `SOFTWARE\Khronos\Vulkan\`+c.key) || wasAsked(needs, facts.KindAdapters, c.name) {
			t.Errorf("%s: the registry or adapters are asked", c.variable)
		}
	}
}

// holds: WIN-053
func TestWindowsOverrideLayer(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\l1.json`, `C:\l2.json`, `C:\paths\l3.json`, `D:\paths\l4.json`).on(machineRoot+"ImplicitLayers", `C:\o.json`).on(machineRoot+"ExplicitLayers", `C:\l2.json`)
	p.Files[`C:\o.json`] = layerText("1.2.0", "VK_LAYER_LUNARG_override", `,"disable_environment":{"NO":"1"},"component_layers":["VK_LAYER_l3"],`+
		`"override_paths":["C:\\paths;D:\\paths"]`)
	p.Vars["VK_LAYER_PATH"] = `C:\l1.json`
	a := p.ask(t, Layers)
	expect(t, "layers", listed(a), "VK_LAYER_LUNARG_override VK_LAYER_l3 VK_LAYER_l4")
	expectLog(t, a, `INFO|LAYER: Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes priority. VK_LAYER_PATH is set to C:\l1.json`)
}

// holds: WIN-054 WIN-055
func TestWindowsWithoutLayers(t *testing.T) {
	t.Parallel()
	a := newPC().ask(t, Layers)
	if a.Result != Success || len(a.Layers) != 0 || strings.Count(logText(a), "WARN") != 1 || !strings.Contains(logText(a), "WARN: The registry names no explicit layer") {
		t.Errorf("%d\n%s", a.Result, logText(a))
	}
	p := newPC(`C:\new\l1.json`).on(machineRoot+"ExplicitLayers", `C:\old\l1.json`, `C:\new\l1.json`)
	expect(t, "after a stale entry", listed(p.ask(t, Layers)), "VK_LAYER_l1")
	p = newPC(`C:\new\l1.json`).on(machineRoot+"ImplicitLayers", `C:\old\l1.json`, `C:\new\l1.json`)
	expect(t, "an implicit one", listed(p.ask(t, Layers)), "VK_LAYER_l1")
}

// holds: WIN-057
func TestWindowsElevated(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\a.json`, `C:\l1.json`, `D:\r.json`).on(machineRoot+"Drivers", `D:\r.json`)
	names := []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH",
		"VK_ADD_IMPLICIT_LAYER_PATH"}
	for _, name := range names {
		p.Vars[name] = `C:\a.json`
		if strings.Contains(name, "LAYER") {
			p.Vars[name] = `C:\l1.json`
		}
	}
	p.Other.Token = facts.Process{Known: true, Level: 0x3000}
	for _, kind := range []Kind{Instance, Layers, Extensions, Version} {
		a := p.ask(t, kind)
		for _, name := range names {
			if got := strings.Count(logText(a), "INFO: "+name+" is ignored: the process is elevated\n"); got != 1 {
				t.Errorf("%s: %d lines in an answer of kind %d", name, got, kind)
			}
		}
		if kind == Instance {
			expect(t, "drivers", found(a), `D:\r.json`)
			expect(t, "layers", listed(a), "")
		}
	}
	p.Other.Token.Level = 0x2000
	a := p.ask(t, Instance)
	expect(t, "not elevated", found(a), `C:\a.json`)
	refuseLog(t, a, "elevated")
}

// holds: WIN-081 WIN-082 WIN-083 WIN-084 WIN-085 WIN-086
func TestWindowsSettings(t *testing.T) {
	t.Parallel()
	const name = `\vk_loader_settings.json`
	const driver = `{"file_format_version":"1.0.0","settings":{"additional_drivers_use_exclusively":true,"additional_drivers":[{"path":"C:\\a.json"}]}}`
	for _, c := range []struct {
		user, machine, files string // names and files by the letters of their directories
		elevated             bool
		want                 string
	}{
		{"u", "m", "um", false, "u"}, {"u", "m", "um", true, "m"}, {"u", "m", "m", false, "m"}, {"uv", "m", "vm", false, "m"}, {"", "m", "m", false, "m"},
		{"u", "", "u", true, ""}, {"u", "", "u", false, "u"}, {"u", "m", "", false, ""}, {"", "", "x", false, ""},
	} {
		p := newPC(`C:\a.json`)
		fill := func(key, letters string) {
			values := []facts.Value{{Name: "x", Type: facts.RegSZ}, {Name: `C:\some\other.json`, Type: facts.RegDWORD, Data: zero},
				{Name: `C:\z` + name + "x", Type: facts.RegDWORD, Data: zero}}
			for i := range len(letters) {
				values = append(values, facts.Value{Name: `C:\` + letters[i:i+1] + name, Type: facts.RegDWORD, Data: "\x01\x00\x00\x00"})
			}
			p.Other.Keys[key] = values
		}
		fill(userRoot+"LoaderSettings", c.user)
		fill(machineRoot+"LoaderSettings", c.machine)
		fill(`HKEY_CURRENT_USER\Software\LunarG\vkconfig`, "x")
		for i := range len(c.files) {
			p.Files[`C:\`+c.files[i:i+1]+name] = driver
		}
		p.Files[`C:\Users\me\AppData\Local\LunarG\vkconfig\override`+name] = driver
		p.Other.Token = facts.Process{Known: c.elevated, Level: 0x3000}
		a := p.ask(t, Instance)
		got := ""
		if a.Settings != nil {
			got = strings.TrimSuffix(strings.TrimPrefix(a.Settings.File, `C:\`), name)
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The window system of Windows is Win32 alone.
func TestWindowsSurfaces(t *testing.T) {
	t.Parallel()
	q := &Question{Platform: search.Windows("")}
	if !q.knows("VK_KHR_win32_surface") || q.knows("VK_KHR_xcb_surface") || !q.knows("VK_KHR_surface") {
		t.Error("window systems")
	}
}

// holds: WIN-013
func TestWindowsLists(t *testing.T) {
	t.Parallel()
	p := newPC(`C:\l1.json`, `C:\l2.json`).on(machineRoot+"ExplicitLayers", `C:\l1.json`, `C:\l2.json`)
	p.Vars["VK_INSTANCE_LAYERS"] = "VK_LAYER_l2;VK_LAYER_l1"
	expect(t, "active", active(p.ask(t, Instance)), "VK_LAYER_l2 VK_LAYER_l1")
}
