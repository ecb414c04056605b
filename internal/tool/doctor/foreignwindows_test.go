package doctor_test

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/systems"
	"vkloader/internal/tool/doctor"
	"vkloader/test/lib/dlltest"
)

const (
	driverOf = `{"file_format_version":"1.0.1","ICD":{"library_path":".\\LIB","api_version":"1.3.0"}}`
	layerOf  = `{"file_format_version":"1.2.0","layer":{"name":"NAME","type":"GLOBAL","library_path":".\\l.dll","api_version":"1.3.0",
"implementation_version":"1","description":"d","disable_environment":{"NO_NAME":"1"}}}`

	driversOf64 = `[HKLM\SOFTWARE\Khronos\Vulkan\Drivers]` + "\n"
	driversOf32 = `[HKLM\SOFTWARE\WOW6432Node\Khronos\Vulkan\Drivers]` + "\n"
	layersOf64  = `[HKLM\SOFTWARE\Khronos\Vulkan\ImplicitLayers]` + "\n"
	layersUser  = `[HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers]` + "\n"

	display = `[HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0000]` + "\n"

	good64 = `"C:\\d\\a.json"=dword:0` + "\n"
	good32 = `"C:\\d\\b.json"=dword:0` + "\n"
)

func driverManifest(library string) string { return strings.ReplaceAll(driverOf, "LIB", library) }
func layerManifest(name string) string     { return strings.ReplaceAll(layerOf, "NAME", name) }

// Each usual fault of a machine with Windows gives one finding with the change that was tried.
//
// holds: WIN-036 WIN-037 WIN-038 WIN-051 WIN-055 WIN-056 WIN-057
func TestDoctorOfWindows(t *testing.T) {
	t.Parallel()
	layer64 := string(dlltest.Library(64, "vkNegotiateLoaderLayerInterfaceVersion"))
	files := map[string]string{
		"c/Windows/System32/x": "", "c/Windows/SysWOW64/x": "",
		"c/d/a.json": driverManifest("a.dll"), "c/d/a.dll": icd("64"), "c/d/b.json": driverManifest("b.dll"), "c/d/b.dll": icd("32"),
		"c/d/none.json": driverManifest("gone.dll"), "c/d/wrong.json": driverManifest("b.dll"), "c/d/text.json": driverManifest("x.json"), "c/d/x.json": "{}",
		"c/d/empty.json": driverManifest("empty.dll"), "c/d/empty.dll": string(dlltest.Library(64, "DllMain")),
		"c/Windows/SysWOW64/sys.json": driverManifest("sys.dll"), "c/Windows/SysWOW64/sys.dll": icd("32"), "c/Windows/System32/kernel32.dll": "",
		"c/d/a2.json": driverManifest("A.DLL"), "c/d/A.DLL": icd("64"), "c/d2/a3.json": driverManifest("..\\\\d\\\\a.dll"),
		"c/e/dzn.json": driverManifest("e.dll"), "c/e/e.dll": icd("64"),
		"c/d/needs.json": driverManifest("needs.dll"), "c/d/beside.dll": "",
		"c/d/needs.dll": string(dlltest.Needing(64, []string{"KERNEL32.dll", "beside.dll", "API-MS-Win-x.dll", "VCRUNTIME140.dll"}, "vk_icdGetInstanceProcAddr")),
		"c/l/l.json":    layerManifest("VK_LAYER_l"), "c/l/l.dll": layer64,
		"c/o/w.json": layerManifest("VK_LAYER_w"), "c/o/same.json": layerManifest("VK_LAYER_l"), "c/o/l.dll": string(dlltest.Library(32, "vkNegotiateLoaderLayerInterfaceVersion")),
		"c/game/game.exe": string(dlltest.Library(64)), "c/game/vulkan-1.dll": string(dlltest.Library(64, "vkCreateInstance")),
		"c/Program Files/WindowsApps/Microsoft.D3DMappingLayers_1.0_x64__8wekyb3d8bbwe/dzn.json": driverManifest("dzn.dll"),
		"c/Program Files/WindowsApps/Microsoft.D3DMappingLayers_1.0_x64__8wekyb3d8bbwe/dzn.dll":  icd("64"),
	}
	both := driversOf64 + good64 + driversOf32 + good32
	pack := "c/Program Files/WindowsApps"
	for _, c := range []struct {
		name, reg, without, bits, app string
		elevated                      bool
		environ                       []string
		whole                         bool
		want                          string // severity, code and subject of every finding
		do                            string // a part of the first finding's advice
		dont                          string // a text that the first finding's advice lacks
		what                          string // the whole text of the first finding
	}{
		{name: "nothing", reg: both, want: "", without: pack},
		{name: "stale", reg: driversOf64 + `"C:\\old\\gone.json"=dword:0` + "\n" + both, without: pack,
			want: `warning registry-stale C:\old\gone.json`,
			do:   `administrator: reg delete "HKLM\SOFTWARE\Khronos\Vulkan\Drivers" /v "C:\old\gone.json" /f /reg:64`},
		{name: "stale in the other view", reg: driversOf32 + `"C:\\old\\gone.json"=dword:0` + "\n" + both, without: pack,
			want: `warning registry-stale C:\old\gone.json`,
			do:   `reg delete "HKLM\SOFTWARE\Khronos\Vulkan\Drivers" /v "C:\old\gone.json" /f /reg:32`},
		{name: "stale layer of the user", reg: layersUser + `"C:\\old\\gone.json"=dword:0` + "\n" + both, without: pack,
			want: `warning registry-stale C:\old\gone.json`,
			do:   `reg delete "HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers" /v "C:\old\gone.json" /f`},
		{name: "settings that are gone", reg: `[HKCU\SOFTWARE\Khronos\Vulkan\LoaderSettings]` + "\n" + `"C:\\s\\vk_loader_settings.json"=dword:0` + "\n" + both, without: pack,
			want: `warning registry-stale C:\s\vk_loader_settings.json`,
			do:   `reg delete "HKCU\SOFTWARE\Khronos\Vulkan\LoaderSettings" /v "C:\s\vk_loader_settings.json" /f`},
		{name: "a text", reg: driversOf64 + `"C:\\d\\a.json"="0"` + "\n" + driversOf32 + good32, without: pack,
			want: "problem registry-off a.json, problem no-driver Windows, warning view-lacks-driver 64-bit programs", do: "reg add"},
		{name: "a text beside another driver", reg: layersOf64 + `"C:\\l\\l.json"="0"` + "\n" + both, without: pack,
			want: "warning registry-off l.json",
			do:   `reg add "HKLM\SOFTWARE\Khronos\Vulkan\ImplicitLayers" /v "C:\l\l.json" /t REG_DWORD /d 0 /f /reg:64`},
		{name: "a text that keeps a bad driver out", reg: driversOf64 + `"C:\\d\\wrong.json"="0"` + "\n" + both, without: pack,
			want: "warning registry-off wrong.json", dont: "reg add"},
		{name: "stale in both views", reg: layersOf64 + `"C:\\old\\gone.json"=dword:0` + "\n" + `[HKLM\SOFTWARE\WOW6432Node\Khronos\Vulkan\ImplicitLayers]` + "\n" +
			`"C:\\old\\gone.json"=dword:0` + "\n" + both, without: pack,
			want: `warning registry-stale C:\old\gone.json, warning registry-stale C:\old\gone.json`, do: "/f /reg:64", dont: "/reg:32"},
		{name: "System32 of 32-bit programs", reg: driversOf64 + good64 + driversOf32 + `"C:\\Windows\\System32\\sys.json"=dword:0` + "\n", bits: "32", without: pack, want: ""},
		{name: "a library that needs others", reg: driversOf64 + `"C:\\d\\needs.json"=dword:0` + "\n" + both, without: pack, whole: true,
			want: "problem library-needs needs.json, problem loader-absent vulkan-1.dll",
			what: "it needs VCRUNTIME140.dll: neither in its directory nor where the system searches"},
		{name: "a driver of the same name", reg: driversOf64 + `"C:\\e\\dzn.json"=dword:0` + "\n" + both, want: "warning driver-translates dzn.json", dont: "VK_LOADER"},
		{name: "a library of three manifests", reg: driversOf64 + `"C:\\d\\a.json"=dword:0` + "\n" + `"C:\\d\\a2.json"=dword:0` + "\n" + `"C:\\d2\\a3.json"=dword:0` + "\n" + driversOf32 + good32, without: pack,
			want: "warning library-twice a2.json, warning library-twice a3.json", do: `reg delete "HKLM\SOFTWARE\Khronos\Vulkan\Drivers" /v "C:\d\a2.json" /f /reg:64`},
		{name: "switched off", reg: layersOf64 + `"C:\\l\\l.json"=dword:1` + "\n" + both, without: pack, want: "note registry-switched-off l.json"},
		{name: "a driver of the user", reg: `[HKCU\SOFTWARE\Khronos\Vulkan\Drivers]` + "\n" + good64 + both, without: pack,
			want: `warning registry-unread C:\d\a.json`, do: `reg delete "HKCU\SOFTWARE\Khronos\Vulkan\Drivers" /v "C:\d\a.json" /f`},
		{name: "libraries", reg: driversOf64 + `"C:\\d\\none.json"=dword:0` + "\n" + `"C:\\d\\wrong.json"=dword:0` + "\n" + `"C:\\d\\text.json"=dword:0` + "\n" +
			`"C:\\d\\empty.json"=dword:0` + "\n" + both, without: pack,
			want: "problem library-missing none.json, problem library-foreign wrong.json, problem library-unreadable text.json, problem driver-interface empty.json"},
		{name: "for 64 bits alone", reg: driversOf64 + good64, without: pack, want: "note view-lacks-driver 32-bit programs"},
		{name: "for 64 bits alone, seen from 32", reg: driversOf64 + good64, bits: "32", without: pack,
			want: "problem no-driver Windows, warning view-lacks-driver 32-bit programs"},
		{name: "a layer in every program", reg: layersOf64 + `"C:\\l\\l.json"=dword:0` + "\n" + both, without: pack,
			want: ""},
		{name: "elevated", reg: layersUser + `"C:\\l\\l.json"=dword:0` + "\n" + both, elevated: true, environ: []string{`VK_DRIVER_FILES=C:\x.json`}, without: pack,
			want: `warning elevated-variable VK_DRIVER_FILES, warning elevated-user-key HKEY_CURRENT_USER\SOFTWARE\Khronos\Vulkan`},
		{name: "the Compatibility Pack", reg: both, want: "warning driver-translates dzn.json", do: `For a program in which it causes problems: set "VK_LOADER_DRIVERS_DISABLE=dzn.json"`},
		{name: "the Compatibility Pack and a filter", reg: both, environ: []string{"VK_LOADER_DRIVERS_DISABLE=none*"},
			want: "warning driver-translates dzn.json", do: `set "VK_LOADER_DRIVERS_DISABLE=none*,dzn.json"`},
		{name: "the Compatibility Pack alone", reg: driversOf32 + good32, want: ""},
		{name: "the package of a device lacks its manifest", reg: both + display + `"VulkanDriverName"="C:\\Windows\\System32\\DriverStore\\FileRepository\\i.inf\\igvk64.json"` + "\n",
			without: pack, want: "problem driver-package igvk64.json", do: "Install the driver of the graphics card again",
			what: `the display device {4d36e968-e325-11ce-bfc1-08002be10318}\0000 names C:\Windows\System32\DriverStore\FileRepository\i.inf\igvk64.json, which is not there`},
		{name: "the package of a device is whole", reg: both + display + `"VulkanDriverName"="C:\\d\\a.json"` + "\n", without: pack, want: ""},
		{name: "two devices, two drivers", reg: both + display + `"MatchingDeviceId"="PCI\\VEN_8086&DEV_1"` + "\n" + `"VulkanDriverName"="C:\\d\\a.json"` + "\n" +
			strings.Replace(display, "0000]", "0001]", 1) + `"MatchingDeviceId"="PCI\\VEN_10DE&DEV_2"` + "\n" + `"VulkanDriverName"="C:\\e\\nv.json"` + "\n",
			without: pack, want: "problem driver-package nv.json"},
		{name: "a 32-bit driver in the view of 64-bit programs", reg: driversOf64 + `"C:\\d\\b.json"=dword:0` + "\n" + both, without: pack,
			want: "problem library-foreign b.json", do: `administrator: reg delete "HKLM\SOFTWARE\Khronos\Vulkan\Drivers" /v "C:\d\b.json" /f /reg:64`},
		{name: "a 64-bit driver in the view of 32-bit programs", reg: both + driversOf32 + good64, bits: "32", without: pack,
			want: "problem library-foreign a.json", do: `reg delete "HKLM\SOFTWARE\Khronos\Vulkan\Drivers" /v "C:\d\a.json" /f /reg:32`},
		{name: "a layer of the user for the other word size", reg: layersUser + `"C:\\o\\w.json"=dword:0` + "\n" + both, without: pack,
			want: "note library-foreign VK_LAYER_w"},
		{name: "a layer in the wrong view before the right one", reg: layersOf64 + `"C:\\o\\same.json"=dword:0` + "\n" + layersUser + `"C:\\l\\l.json"=dword:0` + "\n" + both,
			without: pack, want: "note layer-architecture VK_LAYER_l"}, // the right one counts (LAY-104)
		{name: "the Compatibility Pack, seen from 32", reg: both, bits: "32", want: "note library-foreign dzn.json"},
		{name: "a loader beside the program", reg: both, app: `C:\game\game.exe`, without: pack, want: "warning loader-shadows vulkan-1.dll"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, "windows")
			there := map[string]string{}
			for name, text := range files {
				if c.without == "" || !strings.HasPrefix(name, c.without) {
					there[name] = text
				}
			}
			s.Machine = laid(t, there)
			s.Machine.Environ, s.Elevated, s.Program = c.environ, c.elevated, c.app
			if c.bits != "" {
				s.Bits = c.bits
			}
			r := examined(t, s, c.reg)
			if c.whole {
				var err error
				if r, err = doctor.ExamineWindows(wholeWindows(s)); err != nil {
					t.Fatal(err)
				}
			}
			if got := told(r); got != c.want {
				t.Errorf("%q\nwant %q\n%+v", got, c.want, r.Findings)
			}
			if c.dont != "" && strings.Contains(r.Findings[0].Do, c.dont) {
				t.Errorf("%+v", r.Findings)
			}
			if c.what != "" && r.Findings[0].What != c.what {
				t.Errorf("%+v", r.Findings)
			}
			if c.do != "" && (len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Do, c.do)) {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
}

// wholeWindows returns a machine with Windows with all of its files.
func wholeWindows(s *systems.Foreign) doctor.Windows {
	w := doctor.ForeignWindows(s)
	w.Whole, w.Seen = true, func(bits string) doctor.Windows { return wholeWindows(s.For(bits)) }
	return w
}

// examined returns the report on a machine with Windows with the registry reg.
func examined(t *testing.T, s *systems.Foreign, reg string) *doctor.Report {
	t.Helper()
	s.Keys = &systems.Registry{}
	if problems := s.Keys.Read("f.reg", []byte("Windows Registry Editor Version 5.00\n"+reg)); len(problems) > 0 {
		t.Fatal(problems)
	}
	answer, err := explain.Decide(s, explain.WithPlatform(s.System.Platform(s.Bits)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := doctor.ExamineForeign(s, answer)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told returns the findings without the usual notes about registry drivers.
func told(r *doctor.Report) string {
	var list []string
	for _, f := range r.Findings {
		if !slices.Contains([]string{"layer-listed", "driver-vendor"}, f.Code.String()) {
			list = append(list, f.Severity.String()+" "+f.Code.String()+" "+f.Subject)
		}
	}
	return strings.Join(list, ", ")
}

// For a registry without files, its values are judged; unreadable files give no finding.
func TestDoctorOfRegistry(t *testing.T) {
	t.Parallel()
	s := on(t, "windows")
	r := examined(t, s, driversOf64+`"C:\\d\\a.json"="0"`+"\n"+driversOf32+good32)
	if got := told(r); got != "warning registry-off a.json, warning view-lacks-driver 64-bit programs" ||
		r.Verdict != "The registry has no problems; no file was examined." {
		t.Errorf("%q %q", got, r.Verdict)
	}
}
