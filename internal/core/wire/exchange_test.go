package wire

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/core/search"
	"vkloader/test/lib/inmemory"
)

// linux is Linux with other directories.
func linux(sysConf, extra, configDirs, dataDirs string) search.Platform {
	p := search.Linux()
	p.SysConfDir, p.ExtraSysConfDir, p.ConfigDirs, p.DataDirs = sysConf, extra, configDirs, dataDirs
	return p
}

// text writes down a string, NULL told apart.
func text(s Str) string {
	if !s.Set {
		return "NULL"
	}
	return fmt.Sprintf("%q", s.Text)
}

// show writes down a record of an answer.
func show(rec Record) string {
	switch rec.ID {
	case IDAnswer:
		r, _ := rec.Answer()
		return fmt.Sprint("answer ", r.Status, r.Result)
	case IDLog:
		r, _ := rec.Log()
		return fmt.Sprintf("log %#x %s", r.Flags, text(r.Text))
	case IDLayer:
		r, _ := rec.Layer()
		return fmt.Sprintf("layer %d %s %#x %d %s %s %s flags %d functions %s %s %s variables %s %s=%s", r.Index, text(r.Name), r.SpecVersion,
			r.ImplVersion, text(r.Description), text(r.Manifest), text(r.Library), r.Flags, text(r.FnNegotiate), text(r.FnGipa), text(r.FnGdpa),
			text(r.DisableEnv), text(r.EnableEnv), text(r.EnableValue))
	case IDLayerExt:
		r, _ := rec.LayerExt()
		out := fmt.Sprintf("layer extension %d %s %d", r.Layer, text(r.Name), r.SpecVersion)
		for _, e := range r.Entrypoints {
			out += " " + text(e)
		}
		return out
	case IDActive:
		r, _ := rec.Active()
		return fmt.Sprintf("active %d %d %d", r.Layer, r.EnabledBy, r.AppNamed)
	case IDOpenDriver:
		r, _ := rec.OpenDriver()
		return fmt.Sprintf("open driver %s %s %#x %d %d", text(r.Manifest), text(r.Library), r.ApiVersion, r.Portability, r.HasSlash)
	case IDPreLayer:
		r, _ := rec.PreLayer()
		return fmt.Sprintf("pre-layer %s %s %s", text(r.Name), text(r.Library), text(r.Symbol))
	case IDExt:
		r, _ := rec.Ext()
		return fmt.Sprintf("extension %s %d", text(r.Name), r.SpecVersion)
	case IDDirect:
		r, _ := rec.Direct()
		return fmt.Sprintf("direct %d", r.Exclusive)
	case IDLogLevel:
		r, _ := rec.LogLevel()
		return fmt.Sprintf("level %#x", r.Level)
	case IDDropDriver:
		r, _ := rec.DropDriver()
		return fmt.Sprint("drop ", r.Driver)
	case IDDeviceConfigs:
		r, _ := rec.DeviceConfigs()
		return fmt.Sprintf("device configurations %d", r.Count)
	case IDDeviceConfig:
		r, _ := rec.DeviceConfig()
		return fmt.Sprintf("device configuration %s %s %d %s %s", text(r.DeviceUuid), text(r.DriverUuid), r.DriverVersion, text(r.DeviceName), text(r.DriverName))
	}
	return fmt.Sprint("record ", rec.ID)
}

// settle asks until it is decided, with the facts of a world, and writes down the answer: of the log, errors and the
// line about the program.
func settle(t *testing.T, q *Writer, world *inmemory.Tree) string {
	t.Helper()
	call := NewCall(linux("/s", "", "", ""))
	for range 20 {
		answer, ok := call.Decide(string(q.Bytes()))
		if !ok {
			t.Fatal("refused")
		}
		r, ok := Open(string(answer))
		rec, more := r.Next()
		if a, is := rec.Answer(); !ok || !more || !is {
			t.Fatal("no answer")
		} else if a.Status == AnswerDecided {
			lines := []string{}
			for ; more; rec, more = r.Next() {
				if l, ok := rec.Log(); !ok || l.Flags&8 != 0 || strings.Contains(l.Text.Text, "applicationName") {
					lines = append(lines, show(rec))
				}
			}
			if r.Bad() {
				t.Error("the answer is malformed")
			}
			return strings.Join(lines, "\n")
		}
		for rec, more := r.Next(); more; rec, more = r.Next() {
			supply(t, q, world, rec)
		}
	}
	t.Fatal("never decided")
	return ""
}

const (
	layerDirectory    = "/s/vulkan/implicit_layer.d/"
	explicitDirectory = "/s/vulkan/explicit_layer.d/"
	settingsPath      = "/s/vulkan//loader_settings.d/vk_loader_settings.json"
)

func layerText(name, more string) string {
	return `{"file_format_version":"1.2.0","layer":{"name":"` + name + `","type":"INSTANCE","api_version":"1.2.3","implementation_version":"4",` +
		`"description":"about ` + name + `",` + more + `}}`
}

// usual has everything that a message can say.
func usual() *inmemory.Tree {
	return &inmemory.Tree{Vars: map[string]string{"YES": "1"}, Program: "/bin/p", Files: map[string]string{
		layerDirectory + "a.json": layerText("A", `"library_path":"./a.so","disable_environment":{"NO_A":"1"},"enable_environment":{"YES":"1"},`+
			`"functions":{"vkNegotiateLoaderLayerInterfaceVersion":"n"},"pre_instance_functions":{"vkEnumerateInstanceVersion":"v"},`+
			`"device_extensions":[{"name":"VK_d","spec_version":"5","entrypoints":["vkX","vkY"]},{"name":"VK_e"}],`+
			`"instance_extensions":[{"name":"VK_i","spec_version":"6"}]`),
		layerDirectory + "o.json":    layerText("VK_LAYER_LUNARG_override", `"component_layers":["B"],"disable_environment":{"NO_O":"1"},"app_keys":["/bin/p"]`),
		explicitDirectory + "b.json": layerText("B", `"library_path":"/b.so","functions":{"vkGetInstanceProcAddr":"gi","vkGetDeviceProcAddr":"gd"}`),
		explicitDirectory + "m.json": layerText("M", `"component_layers":["B"]`),
		"/s/vulkan/icd.d/d.json":     `{"file_format_version":"1.0.0","ICD":{"library_path":"d.so","api_version":"1.3.9"}}`,
		"/s/vulkan/icd.d/e.json":     `{"file_format_version":"1.0.0","ICD":{"library_path":"./e.so","api_version":"1.1","is_portability_driver":true}}`,
	}}
}

// Every question comes as it was asked, and every answer says all that was decided.
//
// holds: LAY-68 LAY-75 SET-44 SET-92 DRV-026 INS-038
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range answers {
		w := &Writer{}
		w.PutQuestion(c.q)
		if c.more != nil {
			c.more(w)
		}
		world := usual()
		if c.change != nil {
			c.change(world)
		}
		if got := settle(t, w, world); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// raw makes bytes of numbers, of 32 bits each, and texts.
func raw(parts ...any) string {
	var out []byte
	for _, p := range parts {
		switch v := p.(type) {
		case int:
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		case string:
			out = append(out, v...)
		}
	}
	return string(out)
}

// TestMalformed checks that a malformed message or record is rejected at its first fault.
func TestMalformed(t *testing.T) {
	t.Parallel()
	if empty := (&Writer{}).Bytes(); string(empty) != raw(int(Magic), 8) {
		t.Errorf("a message of nothing: %q", empty)
	}
	for text, want := range map[string]bool{
		raw(int(Magic), 8): true, raw(int(Magic), 8, "behind it"): true, "": false, raw(int(Magic)): false, raw(int(Magic), 7): false,
		raw(int(Magic), 9): false, raw(int(Magic)+1, 8): false, raw(int(Magic), -1): false,
	} {
		r, ok := Open(text)
		if _, more := r.Next(); ok != want || more || r.Bad() == want {
			t.Errorf("%q: %v, a record: %v, bad: %v", text, ok, more, r.Bad())
		}
	}
	record := func(parts ...any) string { // a record with an id and a size, followed by another record
		first := raw(parts...)
		return raw(int(Magic), 8+len(first)+8) + first + raw(99, 8)
	}
	for _, c := range []struct {
		text string
		good int // records
		bad  bool
	}{
		{record(98, 8), 2, false}, {record(98, 16, 0, 0), 2, false}, {record(98, 0), 0, true}, {record(98, 4), 0, true}, {record(98, 12, 0), 0, true},
		{record(98, 16), 1, false}, {record(98, 24), 0, true}, {record(98, -8), 0, true}, {raw(int(Magic), 12, 98), 0, true},
		{raw(int(Magic), 20, 98, 8, 99), 1, true},
	} {
		r, ok := Open(c.text)
		n := 0
		for _, more := r.Next(); more; _, more = r.Next() {
			n++
		}
		if _, more := r.Next(); !ok || n != c.good || r.Bad() != c.bad || more {
			t.Errorf("%q: %d records, bad: %v", c.text, n, r.Bad())
		}
		records := string(question(1))[8:] + c.text[8:]
		if _, ok := decide(raw(int(Magic), 8+len(records)) + records); ok == c.bad {
			t.Errorf("%q: decided: %v", c.text, c.bad)
		}
	}
	const null = -1 // has the bits of the constant null, and fits into an int of 32 bits
	for _, c := range []struct {
		body string // of a variable: name, secure, value
		want string // "": refused
	}{
		{raw(1, "a\x00", 1, 0, "\x00", "\x00\x00"), `"a" 1 ""`}, {raw(1, "a\x00", 0, null, "\x00\x00"), `"a" 0 NULL`}, {raw(null, 0, null, 0), `NULL 0 NULL`},
		{raw(null, 0, null, 0, 0), ""}, {raw(null, 0, 3, "abc"), ""}, {raw(null, 0, 3, "abcd"), ""}, {raw(null, 0, 3, "abc\x00"), `NULL 0 "abc"`},
		{raw(null, 0, 4, "abc\x00"), ""}, {raw(null, 0, -2, "abc\x00"), ""}, {raw(null, 0), ""}, {raw(null), ""}, {raw(9, 0, 0), ""}, {"", ""}, {"abc", ""},
	} {
		rec := Record{ID: IDVar, body: c.body}
		got := ""
		if v, ok := rec.Var(); ok {
			got = fmt.Sprint(text(v.Name), " ", v.Secure, " ", text(v.Value))
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.body, got, c.want)
		}
	}
	for _, c := range []struct {
		body string // of a directory: path, status, names
		want int    // -1: refused
	}{
		{raw(null, 0, 0), 0}, {raw(null, 0, 1, null), 1}, {raw(null, 0, 2, null, null), 2}, {raw(null, 0, 2, null), -1}, {raw(null, 0, 1, 9, "a"), -1},
		{raw(null, 0, 2, 9, 9), -1}, {raw(null, 0, -1, null), -1}, {raw(null, 0), -1},
	} {
		got := -1
		if v, ok := (Record{ID: IDDirectory, body: c.body}).Directory(); ok {
			got = len(v.Names)
		}
		if got != c.want {
			t.Errorf("%q: %d names, want %d", c.body, got, c.want)
		}
	}
	for kind, want := range map[uint32]bool{0: false, 1: true, 6: true, 7: false, KindPanic - 1: false} {
		if answer, ok := decide(string(question(kind))); ok != want || (len(answer) > 8) != want {
			t.Errorf("a question of kind %d: not %v", kind, want)
		}
	}
	if _, ok := decide("no message"); ok {
		t.Error("what is no message was decided")
	}
	for id, want := range map[uint32]bool{IDVar: false, IDDirectory: false, IDFile: false, IDExists: false, IDApp: false, IDDriver: false, IDDriverExt: false,
		IDRemembered: false, 1000: true} {
		records := string(question(1))[8:] + raw(int(id), 16, 0, 0)
		if _, ok := decide(raw(int(Magic), 8+len(records)) + records); ok != want {
			t.Errorf("a record %d without fields: not %v", id, want)
		}
	}
}

// question is a message of nothing but a question.
func question(kind uint32) []byte {
	w := &Writer{}
	w.PutQuestion(Question{Kind: kind})
	return w.Bytes()
}

// The layers of the usual tree, and those active without a request.
const (
	allLayers = `layer 0 "A" 0x402003 4 "about A" NULL NULL flags 1 functions NULL NULL NULL variables NULL NULL=NULL
layer 1 "VK_LAYER_LUNARG_override" 0x402003 4 "about VK_LAYER_LUNARG_override" NULL NULL flags 7 functions NULL NULL NULL variables NULL NULL=NULL
layer 2 "B" 0x402003 4 "about B" NULL NULL flags 0 functions NULL NULL NULL variables NULL NULL=NULL
layer 3 "M" 0x402003 4 "about M" NULL NULL flags 2 functions NULL NULL NULL variables NULL NULL=NULL`
	activeLayers = `layer 0 "A" 0x402003 4 "about A" "/s/vulkan/implicit_layer.d/a.json" "/s/vulkan/implicit_layer.d/./a.so" flags 1 functions "n" "vkGetInstanceProcAddr" "vkGetDeviceProcAddr" variables "NO_A" "YES"="1"
layer extension 0 "VK_d" 5 "vkX" "vkY"
layer extension 0 "VK_e" 0
layer 1 "VK_LAYER_LUNARG_override" 0x402003 4 "about VK_LAYER_LUNARG_override" "/s/vulkan/implicit_layer.d/o.json" NULL flags 7 functions "vkNegotiateLoaderLayerInterfaceVersion" "vkGetInstanceProcAddr" "vkGetDeviceProcAddr" variables "NO_O" NULL=NULL
layer 2 "B" 0x402003 4 "about B" "/s/vulkan/explicit_layer.d/b.json" "/b.so" flags 0 functions "vkNegotiateLoaderLayerInterfaceVersion" "gi" "gd" variables NULL NULL=NULL`
	metaLayer = `
layer 3 "M" 0x402003 4 "about M" "/s/vulkan/explicit_layer.d/m.json" NULL flags 2 functions "vkNegotiateLoaderLayerInterfaceVersion" "vkGetInstanceProcAddr" "vkGetDeviceProcAddr" variables NULL NULL=NULL`
	idleMeta = `
layer 3 "M" 0x0 0 NULL NULL NULL flags 2 functions NULL NULL NULL variables NULL NULL=NULL`
	implicitActive = `active 0 1 0
active 2 5 0
active 1 1 0`
)

// withoutOverride leaves the line of the override layer out.
func withoutOverride(lines string) string {
	var out []string
	for _, line := range strings.Split(lines, "\n") {
		if !strings.Contains(line, "LUNARG_override") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// answers are those to questions about the usual world.
var answers = []struct {
	name   string
	q      Question
	more   func(*Writer)
	change func(*inmemory.Tree)
	want   string
}{
	{"version", Question{Kind: 1}, nil, nil, `answer 1 0
pre-layer "A" "/s/vulkan/implicit_layer.d/./a.so" "v"`},
	{"version from below", Question{Kind: 1, Terminator: 1}, nil, nil, `answer 1 0`},
	{"layers", Question{Kind: 2}, nil, nil, `answer 1 0
` + allLayers + ``},
	{"layers of an unknown program", Question{Kind: 2}, nil, func(w *inmemory.Tree) { w.Program = "" }, `answer 1 0
` + allLayers + ``},
	{"layers of another program", Question{Kind: 2}, nil, func(w *inmemory.Tree) { w.Program = "/bin/q" },
		"answer 1 0\n" + strings.NewReplacer("layer 2", "layer 1", "layer 3", "layer 2").Replace(withoutOverride(allLayers))},
	{"extensions", Question{Kind: 3}, nil, nil, `answer 1 0
open driver "/s/vulkan/icd.d/d.json" "d.so" 0x403009 0 0
open driver "/s/vulkan/icd.d/e.json" "/s/vulkan/icd.d/./e.so" 0x401000 1 1`},
	{"extensions of drivers", Question{Kind: 6}, func(w *Writer) {
		w.PutDriverExt(DriverExt{Driver: 0, Name: S("VK_KHR_display")}) // no driver's
		w.PutDriver(Driver{Index: 3, Usable: 0, Path: S("/no.so"), ExtResult: -1})
		w.PutDriverExt(DriverExt{Driver: 3, Name: S("VK_KHR_device_group_creation")})
		w.PutDriver(Driver{Index: 5, Usable: 1, Path: S("/d.so")})
		w.PutDriverExt(DriverExt{Driver: 5, Name: S("VK_KHR_surface"), SpecVersion: 25})
		w.PutDriverExt(DriverExt{Driver: 5, Name: S("VK_EXT_debug_utils"), SpecVersion: 9})
		w.PutDriverExt(DriverExt{Driver: 3, Name: S("VK_KHR_display")}) // not the last one's
	}, nil, `answer 1 0
extension "VK_KHR_surface" 25
extension "VK_EXT_debug_utils" 9
extension "VK_EXT_debug_report" 10
extension "VK_KHR_portability_enumeration" 1
extension "VK_LUNARG_direct_driver_loading" 1
extension "VK_i" 6`},
	{"extensions of drivers that fail", Question{Kind: 6}, func(w *Writer) {
		w.PutDriver(Driver{Index: 0, Usable: 1, Path: S("/d.so"), ExtResult: -4, ExtCall: 1})
	}, nil, `answer 1 -4
log 0x8 "loader_add_instance_extensions: Error getting Instance extension count from /d.so"`},
	{"extensions of drivers of which some fail", Question{Kind: 6}, func(w *Writer) {
		w.PutDriver(Driver{Index: 3, Usable: 1, Path: S("/d.so"), ExtResult: -4, ExtCall: 1})
		w.PutDriver(Driver{Index: 5, Usable: 1, Path: S("/e.so")})
		w.PutDriver(Driver{Index: 7, Usable: 1, Path: S("/f.so"), ExtResult: 2})
	}, nil, `answer 1 0
log 0x8 "loader_add_instance_extensions: Error getting Instance extension count from /d.so"
log 0x8 "loader_add_instance_extensions: Error getting Instance extensions from /f.so"
drop 3
drop 7
extension "VK_EXT_debug_report" 10
extension "VK_EXT_debug_utils" 2
extension "VK_KHR_portability_enumeration" 1
extension "VK_LUNARG_direct_driver_loading" 1
extension "VK_i" 6`},
	{"extensions of a layer", Question{Kind: 3, LayerName: S("A")}, nil, nil, `answer 1 0
extension "VK_i" 6`},
	{"an instance", Question{Kind: 4}, func(w *Writer) {
		w.PutApp(App{AppName: S("app"), AppVersion: 1, EngineName: S("engine"), EngineVersion: 2, ApiVersion: 1 << 29, LayerCount: 1, Layers: []Str{S("M")},
			ExtCount: 2, Exts: []Str{S("VK_KHR_portability_enumeration"), S("VK_LUNARG_direct_driver_loading")}, Flags: 1, DirectList: 1, DirectMode: 1,
			DirectCount: 1})
	}, func(w *inmemory.Tree) {
		w.Files[settingsPath] = `{"file_format_version":"1","settings":{"stderr_log":["error"],"device_configurations":[` +
			`{"deviceUUID":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],"driverUUID":[16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31],"driverVersion":7,"driverName":"n"}]}}`
	}, `answer 1 0
log 0x1 "vkCreateInstance: applicationName: \"app\", applicationVersion: 1, engineName: \"engine\", engineVersion: 2, apiVersion: 0.0.0"
level 0x8
` + activeLayers + metaLayer + `
` + implicitActive + `
active 3 4 1
device configurations 1
device configuration "\x00\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f" "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" 7 NULL "n"
direct 0
open driver "/s/vulkan/icd.d/d.json" "d.so" 0x403009 0 0
open driver "/s/vulkan/icd.d/e.json" "/s/vulkan/icd.d/./e.so" 0x401000 1 1`},
	{"an instance of direct drivers alone", Question{Kind: 4}, func(w *Writer) {
		w.PutApp(App{LayerCount: 0, ExtCount: 1, Exts: []Str{S("VK_LUNARG_direct_driver_loading")}, DirectList: 1, DirectCount: 1})
	}, nil, `answer 1 0
log 0x1 "vkCreateInstance: applicationName: \"\", applicationVersion: 0, engineName: \"\", engineVersion: 0, apiVersion: 0.0.0"
` + activeLayers + idleMeta + `
` + implicitActive + `
direct 1`},
	{"an instance of no direct drivers", Question{Kind: 4}, func(w *Writer) {
		w.PutApp(App{ExtCount: 1, Exts: []Str{S("VK_LUNARG_direct_driver_loading")}, DirectList: 1, DirectNull: 1})
	}, nil, `answer 1 0
log 0x1 "vkCreateInstance: applicationName: \"\", applicationVersion: 0, engineName: \"\", engineVersion: 0, apiVersion: 0.0.0"
` + activeLayers + idleMeta + `
` + implicitActive + ``},
	{"an instance with no list of layers", Question{Kind: 4}, func(w *Writer) { w.PutApp(App{LayerCount: 1, LayersNull: 1}) }, nil, `answer 1 -6
log 0x1 "vkCreateInstance: applicationName: \"\", applicationVersion: 0, engineName: \"\", engineVersion: 0, apiVersion: 0.0.0"
log 0x8 "loader_validate_layers: ppEnabledLayerNames is NULL but enabledLayerCount is greater than zero"`},
	{"an instance with no list of extensions", Question{Kind: 5}, func(w *Writer) {
		w.PutApp(App{ExtCount: 1, ExtsNull: 1})
		w.PutDriver(Driver{Usable: 1, Path: S("/d.so")})
	}, nil, `answer 1 -7
log 0x8 "loader_validate_instance_extensions: Instance ppEnabledExtensionNames is NULL but enabledExtensionCount is greater than zero"`},
	{"layers of one name", Question{Kind: 4}, nil, func(w *inmemory.Tree) {
		w.Files["/x.json"], w.Files["/y.json"] = layerText("X", `"library_path":"x.so"`), layerText("X", `"library_path":"y.so"`)
		w.Files[settingsPath] = `{"file_format_version":"1","settings":{"layers":[{"name":"X","path":"/x.json","control":"on"},` +
			`{"name":"X","path":"/y.json","control":"on"}]}}`
	}, `answer 1 0
log 0x1 "vkCreateInstance: applicationName: \"\", applicationVersion: 0, engineName: \"\", engineVersion: 0, apiVersion: 0.0.0"
layer 0 "X" 0x402003 4 "about X" "/x.json" "x.so" flags 8 functions "vkNegotiateLoaderLayerInterfaceVersion" "vkGetInstanceProcAddr" "vkGetDeviceProcAddr" variables NULL NULL=NULL
layer 1 "X" 0x402003 4 "about X" "/y.json" "y.so" flags 0 functions "vkNegotiateLoaderLayerInterfaceVersion" "vkGetInstanceProcAddr" "vkGetDeviceProcAddr" variables NULL NULL=NULL
active 0 6 0
active 1 6 0
open driver "/s/vulkan/icd.d/d.json" "d.so" 0x403009 0 0`},
}
