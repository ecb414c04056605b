package systems

import (
	"debug/elf"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
	"vkloader/test/lib/tree"
)

// laid writes files and returns a machine with them.
func laid(t *testing.T, files map[string]string) machine.Machine {
	t.Helper()
	m := machine.Machine{Root: t.TempDir()}
	tree.Lay(t, m.Root, files)
	return m
}

func on(t *testing.T, name string) *Foreign {
	t.Helper()
	system, ok := Find(name)
	if !ok {
		t.Fatal(name)
	}
	return &Foreign{System: system, Bits: "64"}
}

// Systems differ in the source of the program's path, the order of devices, and the loader's file name.
//
// holds: MAC-016 MAC-022 FUC-005 FUC-011
func TestSystems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, loader, program string
		order                 Order
	}{
		{"windows", `C:\Windows\System32\vulkan-1.dll`, "GetModuleFileNameW", ByDXGI},
		{"macos", "libvulkan.1.dylib", "the process ID", Reverse},
		{"fuchsia", "libvulkan.so", "", Reverse},
		{"fuchsia-upstream", "libvulkan.so", "", Reverse},
	} {
		s := on(t, c.name)
		if s.System.Loader != c.loader || s.System.Program != c.program || s.System.Order != c.order {
			t.Errorf("%s: %+v", c.name, s.System)
		}
		if exe := s.Exe(); exe.Known || exe.Path != "" {
			t.Errorf("%s: without a program %+v", c.name, exe)
		}
		s.Program = "/bin/" + strings.Repeat("p", 1018) // 1023 bytes
		if exe := s.Exe(); exe.Known != (c.program != "") {
			t.Errorf("%s: %+v", c.name, exe)
		}
		s.Program += "pp"
		if exe := s.Exe(); exe.Known {
			t.Errorf("%s: a long path: %+v", c.name, exe)
		}
	}
	if s, ok := Find("solaris"); ok {
		t.Error(s)
	}
}

// holds: FUC-006 FUC-007
func TestOpening(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system          string
		drivers, layers []OpenMethod
	}{
		{"macos", []OpenMethod{Linker}, []OpenMethod{Linker}},
		{"fuchsia-upstream", []OpenMethod{Service}, []OpenMethod{Linker, Service}},
		{"fuchsia", []OpenMethod{Cache, Service, Linker, File}, []OpenMethod{Linker, File}},
	} {
		if o := on(t, c.system).System.Opening; !slices.Equal(o.Drivers, c.drivers) || !slices.Equal(o.Layers, c.layers) {
			t.Errorf("%s: %+v", c.system, o)
		}
	}
}

// holds: FUC-012
func TestFirstCalls(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"fuchsia": "vk_icdInitializeOpenInNamespaceCallback", "fuchsia-upstream": "", "linux": ""} {
		if system, _ := Find(name); system.Opening.First != want {
			t.Errorf("%s: %q", name, system.Opening.First)
		}
	}
}

// Paths of Windows are found below the directory of their drive, in any letter case.
func TestPlaces(t *testing.T) {
	t.Parallel()
	s := on(t, "windows")
	s.Machine = laid(t, map[string]string{"C/Windows/x.json": "", "C/windows2/y": "", "d/Späť/a.json": "", "unc/server/Share/u.json": ""})
	for name, want := range map[string]string{
		`C:\windows\X.JSON`: "/C/Windows/x.json", `c:/Windows/x.json`: "/C/Windows/x.json", `\\?\C:\Windows\x.json`: "/C/Windows/x.json",
		`C:\Windows\..\Windows\x.json`: "/C/Windows/x.json", `C:\..\..\Windows\x.json`: "/C/Windows/x.json", `C:\`: "/C", `D:\spÄť\a.json`: "/d/Späť/a.json",
		`\\Server\share\u.json`: "/unc/server/Share/u.json", `C:\gone`: "", `E:\x`: "", "x.json": "", "": "", `\x`: "",
	} {
		if got, ok := s.Place(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q", name, got)
		}
	}
	s.Machine = laid(t, map[string]string{"drive_c/x": ""})
	if got, _ := s.Place(`C:\x`); got != "/drive_c/x" {
		t.Errorf("of Wine: %q", got)
	}
	s.Machine = laid(t, map[string]string{"Windows/x": ""})
	if got, _ := s.Place(`C:\windows\x`); got != "/Windows/x" {
		t.Errorf("of a drive: %q", got)
	}
	s.Machine = machine.Machine{}
	if got, ok := s.Place(`C:\windows`); ok || s.File(`C:\x`).Status != facts.FileNotOpened || s.Exists(`C:\`) || s.Directory(`C:\`).Listed {
		t.Errorf("without files: %q", got)
	}
}

// The registry has the facts that functions of the machine would return: devices, vendors, the view of 32-bit programs.
//
// holds: WIN-038 WIN-044
func TestRegistryOfAMachine(t *testing.T) {
	t.Parallel()
	s := on(t, "windows")
	if s.Registry(facts.LocalMachine, "x").Opened || s.Devices("x").Listed || len(s.DXGI().List) != 3 {
		t.Error("without a registry")
	}
	s.Keys = &Registry{}
	const class = `HKLM\SYSTEM\ControlSet001\Control\Class\`
	problems := s.Keys.Read("f.reg", []byte("Windows Registry Editor Version 5.00\n[HKLM\\SOFTWARE\\Khronos]\n\"a\"=\"b\"\n[HKLM\\SOFTWARE\\WOW6432Node\\Khronos]\n\"c\"=\"d\"\n"+
		"[HKCU\\SOFTWARE\\Khronos]\n\"e\"=\"f\"\n["+class+windows.DisplayClass+"\\0001]\n\"MatchingDeviceId\"=\"PCI\\\\VEN_10DE&DEV_1\"\n\"VulkanDriverName\"=\"x.json\"\n"+
		"["+class+windows.DisplayClass+"\\0000]\n\"MatchingDeviceId\"=\"pci\\\\ven_1414&dev_1\"\n["+class+windows.DisplayClass+"\\Properties]\n["+class+windows.ComponentClass+"\\0002]\n\"VulkanDriverName\"=\"y.json\"\n"))
	if problems != nil {
		t.Fatal(problems)
	}
	name := func(h facts.Hive) string {
		values := s.Registry(h, `SOFTWARE\Khronos`).Values
		if len(values) != 1 {
			return ""
		}
		return values[0].Name
	}
	if name(facts.LocalMachine) != "a" || name(facts.CurrentUser) != "e" {
		t.Error("the view of 64-bit programs")
	}
	var got []string
	for _, d := range s.Devices("VulkanDriverName").List {
		got = append(got, d.ID[strings.LastIndex(d.ID, `\`):]+" "+d.Data)
	}
	if strings.Join(got, ",") != "\\0000 ,\\0001 x.json\x00,\\0002 y.json\x00" {
		t.Errorf("%q", got)
	}
	if list := s.DXGI().List; len(list) != 1 || list[0].Vendor != 0x10de {
		t.Errorf("%+v", list)
	}
	s.Bits = "32"
	if name(facts.LocalMachine) != "c" || name(facts.CurrentUser) != "e" || !s.Process().WOW64 {
		t.Error("the view of 32-bit programs")
	}
}

// elfHead returns the header of a library.
func elfHead(class elf.Class) string {
	b := make([]byte, 64)
	copy(b, elf.ELFMAG)
	b[elf.EI_CLASS], b[elf.EI_DATA], b[elf.EI_VERSION] = byte(class), byte(elf.ELFDATA2LSB), 1
	b[20] = 1
	return string(b)
}

func TestProperties(t *testing.T) {
	t.Parallel()
	p := Properties{}
	problems := p.Read("f", "# a comment\n[ro.a]: [b c]\nx = y=z\nro.a=d\n\nnothing\n[open]: [x\n=v\n")
	if p["ro.a"] != "d" || p["x"] != "y=z" || len(p) != 2 || len(problems) != 3 || problems[0] != "f:6: neither [name]: [value] nor name=value" {
		t.Errorf("%v %v", p, problems)
	}
}
