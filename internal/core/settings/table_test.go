package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/reasons"
)

// show writes down everything that reading a file gave.
func show(t *testing.T, text string, exe facts.Exe) string {
	t.Helper()
	doc, fault := document.Parse(text)
	if fault != nil {
		t.Fatalf("%s: %v", text, fault)
	}
	s, outcome, lines := Read(doc, "/s.json", pathname.Slash, func() facts.Exe { return exe })
	out := []string{map[ReadResult]string{In: "in", Kept: "kept", None: "none"}[outcome]}
	for _, l := range lines {
		if l.Code != diag.SettingsIgnored {
			t.Errorf("%s: code %v", text, l.Code)
		}
		text := l.Text
		if text == "" {
			f := l.Diagnostic("")
			text = reasons.Of(&f)
		}
		out = append(out, fmt.Sprintf("%d:%d %#x %s", l.Line, l.Column, l.Flags, strings.TrimPrefix(text, "Loader settings file from /s.json ")))
	}
	if s != nil {
		out = append(out, fmt.Sprintf("level %v %#x layers %v %v drivers %v %v devices %v %v", s.HasLevel, s.Level, s.ControlsLayers,
			s.Layers, s.Exclusively, s.Drivers, s.HasDevices, s.Devices))
		if s.File != "/s.json" {
			t.Errorf("%s: file %q", text, s.File)
		}
	}
	return strings.Join(out, "\n")
}

// What every shape of a settings file says.
//
// holds: SET-20 SET-21 SET-23 SET-24 SET-25 SET-28 SET-29 SET-30 SET-33 SET-34 SET-35 SET-36 SET-37 SET-38 SET-39 SET-40
// holds: SET-76 SET-83 SET-84 SET-85 SET-86 SET-87 SET-90 SET-91 SET-92
func TestFile(t *testing.T) {
	t.Parallel()
	const (
		ids   = `[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]`
		id    = "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]"
		inert = " - no loader settings will be active"
		off   = "1:1 0x10 missing global settings and none of the app specific settings matched the current application" + inert
		empty = `vk_loader_settings.json file found at "/s.json" but did not contain any valid settings.`
		quiet = " layers false [] drivers false [] devices false []"
	)
	named := func(object string) string { return `{"file_format_version":"1.0.0","settings":` + object + `}` }
	device := func(more string) string {
		return named(`{"device_configurations":[{"deviceUUID":` + ids + `,"driverUUID":` + ids + more + `}]}`)
	}
	known := facts.Exe{Path: "/bin/p", Known: true}
	for _, c := range []struct {
		text string
		exe  facts.Exe
		want string
	}{
		{`[]`, known, "none\n1:1 0x0 the top-level value is not an object"},
		{`{}`, known, "kept\n1:1 0x10 missing required field file_format_version" + inert},
		{`{"file_format_version":1,"settings":{}}`, known, "kept\n1:1 0x10 missing required field file_format_version" + inert},
		{"\n {\"file_format_version\":\"\"}", known, "kept\n2:2 0x10 missing required settings objects: Either one of the \"settings\" or " +
			"\"settings_array\" objects must be present" + inert},
		{named(`{}`), known, "none\n1:43 0x1 " + empty},
		{named("[]"), known, "none\n1:43 0x10 has a settings element that is not an object\n" + off},
		{`{"file_format_version":"1","settings_array":[]}`, known, "none\n" + off},
		{`{"file_format_version":"1","settings_array":[5,{"stderr_log":["warn"]}]}`, known,
			"none\n1:46 0x10 has a settings element that is not an object\n" + off},
		{`{"file_format_version":"1","settings_array":[{"stderr_log":["warn"]},5]}`, known,
			"in\n1:70 0x10 has a settings element that is not an object\nlevel true 0x2" + quiet},
		{`{"file_format_version":"1","settings_array":[{"stderr_log":["warn"]},{"stderr_log":["error"]}]}`, known, "in\nlevel true 0x2" + quiet},
		{`{"file_format_version":"1","settings_array":[{"stderr_log":["warn"]},{"app_keys":["/x","/bin/p"],"stderr_log":["error"]},` +
			`{"app_keys":["/bin/p"],"stderr_log":["perf"]}]}`, known, "in\nlevel true 0x8" + quiet},
		{`{"file_format_version":"1","settings_array":[{"app_keys":[1,"/bin/P"],"stderr_log":["error"]}]}`, known, "none\n" + off},
		{`{"file_format_version":"1","settings_array":[{"app_keys":["/bin/p"]},{"stderr_log":["warn"]}]}`, facts.Exe{Path: "/bin/p"}, "none\n" + off},
		{named(`{"app_keys":["/bin/p"],"stderr_log":["error"]}`), known, "in\nlevel true 0x8" + quiet},
		{named(`{"app_keys":["/x"]},"more":{"stderr_log":["error"]}`), known, "in\nlevel true 0x8" + quiet},
		{named(`{"stderr_log":["all"]}`), known, "in\nlevel true 0xff" + quiet},
		{named(`{"stderr_log":["error","info"]}`), known, "in\nlevel true 0x9" + quiet},
		{named(`{"stderr_log":["debug","layer"]}`), known, "in\nlevel true 0x30" + quiet},
		{named(`{"stderr_log":["driver","validation"]}`), known, "in\nlevel true 0xc0" + quiet},
		{named(`{"stderr_log":["warn",1,"error","perf"]}`), known, "in\nlevel true 0x2" + quiet},
		{named(`{"stderr_log":["perf","Error"]}`), known, "in\nlevel true 0x4" + quiet},
		{named(`{"stderr_log":"error"}`), known, "none\n1:43 0x1 " + empty},
		{named(`{"stderr_log":["nothing"]}`), known, "none\n1:43 0x1 " + empty},
		{named(`{"layers":[]}`), known, "in\nlevel false 0x0 layers true [] drivers false [] devices false []"},
		{named(`{"layers":[{"name":"a","path":"/a","control":"on"},{"name":"b","path":"/b","control":"off","treat_as_implicit_manifest":true},` +
			`{"control":"unordered_layer_location"},{"name":"c","path":"","control":"auto","treat_as_implicit_manifest":1},` +
			`{"name":"d","path":"/d","control":"?"}]}`), known, "in\nlevel false 0x0 layers true [{a /a on false} {b /b off true} " +
			"{  unordered_layer_location false} {c  auto false} {d /d auto false}] drivers false [] devices false []"},
		{named(`{"stderr_log":["warn"],"layers":[{"name":"a","path":"/a","control":"on"},{"path":"/b","control":"on"}]}`), known, "in\nlevel true 0x2" + quiet},
		{named(`{"stderr_log":["warn"],"layers":[{"name":"a","control":"on"}]}`), known, "in\nlevel true 0x2" + quiet},
		{named(`{"stderr_log":["warn"],"layers":[{"name":"a","path":"/a"}]}`), known, "in\nlevel true 0x2" + quiet},
		{named(`{"additional_drivers":[{"path":"/d"},{"path":"/e"}]}`), known, "in\nlevel false 0x0 layers false [] drivers false [/d /e] devices false []"},
		{named(`{"additional_drivers_use_exclusively":true,"additional_drivers":[{"path":"/d"}]}`), known,
			"in\nlevel false 0x0 layers false [] drivers true [/d] devices false []"},
		{named(`{"additional_drivers_use_exclusively":true,"additional_drivers":[{"path":"/d"},{"path":1}]}`), known, "none\n1:43 0x1 " + empty},
		{named(`{"device_configurations":[]}`), known, "in\nlevel false 0x0 layers false [] drivers false [] devices true []"},
		{named(`{"device_configurations":{}}`), known, "none\n1:43 0x1 " + empty},
		{named(`{"device_configurations":[5]}`), known, "none\n1:43 0x1 " + empty},
		{device(`,"driverVersion":7,"deviceName":"n","driverName":""`), known,
			"in\nlevel false 0x0" + strings.Replace(quiet, "devices false []", "devices true [{"+id+" "+id+" 7 n  true true}]", 1)},
		{device(`,"driverVersion":3e9,"deviceName":1`), known,
			"in\nlevel false 0x0" + strings.Replace(quiet, "devices false []", "devices true [{"+id+" "+id+" 2147483647   false false}]", 1)},
		{device(`,"driverVersion":-3e9`), known,
			"in\nlevel false 0x0" + strings.Replace(quiet, "devices false []", "devices true [{"+id+" "+id+" 2147483648   false false}]", 1)},
		{device(`,"driverVersion":-1.5`), known,
			"in\nlevel false 0x0" + strings.Replace(quiet, "devices false []", "devices true [{"+id+" "+id+" 4294967295   false false}]", 1)},
		{device(`,"driverVersion":"7"`), known, "in\nlevel false 0x0" + strings.Replace(quiet, "devices false", "devices true", 1)},
	} {
		if got := show(t, c.text, c.exe); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// TestIdentity checks UUIDs: 16 numbers that are bytes.
//
// holds: SET-90
func TestIdentity(t *testing.T) {
	t.Parallel()
	const rest = `,1,2,3,4,5,6,7,8,9,10,11,12,13,14]`
	for text, want := range map[string]bool{
		`[0,0` + rest: true, `[255,255` + rest: true, `[255.9,-0.5` + rest: true, `[256,0` + rest: false, `[-1,0` + rest: false,
		`["0",0` + rest: false, `[0` + rest: false, `[0,0,0` + rest: false, `"0"`: false, `{}`: false, `[]`: false,
	} {
		doc, fault := document.Parse(text)
		if fault != nil {
			t.Fatal(fault)
		}
		if uuid(doc.Top(), new([16]byte)) != want {
			t.Errorf("%s: not %v", text, want)
		}
	}
}

// TestDump checks the log lines about the settings in force.
//
// holds: SET-81
func TestDump(t *testing.T) {
	t.Parallel()
	const end = "---------------------------------"
	ascending := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xfe}
	for _, c := range []struct {
		s    Settings
		want []string
	}{
		{Settings{}, nil},
		{Settings{Level: diag.Validation}, nil},
		{Settings{Level: 0xff}, []string{"Loader Settings Filters for Logging to Standard Error: ERROR | WARNING | INFO | DEBUG | PERF | DRIVER | LAYER"}},
		{Settings{Level: diag.Perf | diag.Warn}, []string{"Loader Settings Filters for Logging to Standard Error: WARNING | PERF"}},
		{Settings{ControlsLayers: true}, []string{"Layer Configurations count = 0"}},
		{Settings{ControlsLayers: true, Layers: []LayerEntry{{Control: Unordered}, {Name: "a", Path: "/a", Control: Off, Implicit: true},
			{Name: "b", Path: "/b"}, {Name: "c", Path: "/c", Control: On}}}, []string{"Layer Configurations count = 4",
			"---- Layer Configuration [0] ----", "Control: unordered_layer_location",
			"---- Layer Configuration [1] ----", "Name: a", "Path: /a", "Layer Type: Implicit", "Control: off",
			"---- Layer Configuration [2] ----", "Name: b", "Path: /b", "Layer Type: Explicit", "Control: auto",
			"---- Layer Configuration [3] ----", "Name: c", "Path: /c", "Layer Type: Explicit", "Control: on"}},
		{Settings{Exclusively: true}, nil},
		{Settings{Exclusively: true, Drivers: []string{"/d", "/e"}}, []string{"----", "Use Additional Drivers Exclusively = true",
			"Additional Driver Configurations count = 2", "---- Driver Configuration [0] ----", "Path: /d", "---- Driver Configuration [1] ----", "Path: /e"}},
		{Settings{Drivers: []string{"/d"}}, []string{"----", "Use Additional Drivers Exclusively = false",
			"Additional Driver Configurations count = 1", "---- Driver Configuration [0] ----", "Path: /d"}},
		{Settings{HasDevices: true}, []string{"----", "Device Configurations count = 0"}},
		{Settings{HasDevices: true, Devices: []Device{{DeviceUUID: ascending, DriverVersion: 1 << 31},
			{DriverUUID: ascending, DeviceName: "n", HasDeviceName: true, DriverName: "m", HasDriverName: true}}}, []string{
			"----", "Device Configurations count = 2",
			"---- Device Configuration [0] ----", "deviceUUID: 00010203-0405-0607-0809-0a0b0c0d0efe",
			"driverUUID: 00000000-0000-0000-0000-000000000000", "driverVersion: -2147483648",
			"---- Device Configuration [1] ----", "deviceUUID: 00000000-0000-0000-0000-000000000000",
			"driverUUID: 00010203-0405-0607-0809-0a0b0c0d0efe", "driverVersion: 0", "deviceName: n", "driverName: m"}},
	} {
		if got := c.s.Dump(); !slices.Equal(got, append(c.want, end)) {
			t.Errorf("%+v:\n%s", c.s, strings.Join(got, "\n"))
		}
	}
}

// Two files are the same when every field is.
//
// holds: SET-14
func TestSame(t *testing.T) {
	t.Parallel()
	base := func() *Settings {
		return &Settings{File: "/f", HasLevel: true, Level: 2, ControlsLayers: true, Layers: []LayerEntry{{Name: "a"}, {Name: "b"}},
			Exclusively: true, Drivers: []string{"/d", "/e"}, HasDevices: true, Devices: []Device{{DriverVersion: 1}, {DriverVersion: 2}}}
	}
	if !base().Same(base()) {
		t.Error("the same is not the same")
	}
	var none *Settings
	if !none.Same(nil) || none.Same(base()) || base().Same(nil) {
		t.Error("nothing")
	}
	fields := map[string]bool{}
	for i, change := range []func(*Settings){
		func(s *Settings) { s.HasLevel, s.Level = false, 0 },
		func(s *Settings) { s.Hardware = PresentHardware },
		func(s *Settings) { s.LogFile = "/log" },
		func(s *Settings) { s.File = "/g" }, func(s *Settings) { s.Level = 4 }, func(s *Settings) { s.ControlsLayers = false },
		func(s *Settings) { s.Layers = s.Layers[:1] }, func(s *Settings) { s.Layers[1].Name = "c" }, func(s *Settings) { s.Exclusively = false },
		func(s *Settings) { s.Drivers = s.Drivers[:1] }, func(s *Settings) { s.Drivers[1] = "/f" }, func(s *Settings) { s.HasDevices = false },
		func(s *Settings) { s.Devices = s.Devices[:1] }, func(s *Settings) { s.Devices[1].DriverVersion = 3 },
	} {
		s := base()
		if change(s); s.Same(base()) || base().Same(s) {
			t.Errorf("Same does not compare what change %d changes: %+v", i, *s)
		}
		was := reflect.ValueOf(*base())
		for f := range was.NumField() {
			if !reflect.DeepEqual(was.Field(f).Interface(), reflect.ValueOf(*s).Field(f).Interface()) {
				fields[was.Type().Field(f).Name] = true
			}
		}
	}
	for f := range reflect.TypeFor[Settings]().NumField() {
		if name := reflect.TypeFor[Settings]().Field(f).Name; !fields[name] {
			t.Errorf("no change of this test changes Settings.%s", name)
		}
	}
	merged := base()
	merged.Layers[1].Control = Unordered
	if again := *merged; merged.Same(&again) {
		t.Error("a list that asks for the ordinary search is the same")
	}
}
