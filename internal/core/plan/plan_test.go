package plan

import (
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/reasons"
	"vkloader/test/lib/inmemory"
)

// world is a tree that holds manifests in the usual places.
type world struct {
	inmemory.Tree
	app     App
	drivers []Driver
	memory  *Memory

	terminator bool // asked from below the layers
}

func newWorld() *world {
	return &world{Tree: inmemory.Tree{
		Vars: map[string]string{"HOME": "/h"}, Files: map[string]string{}, Directories: map[string][]string{},
		Broken: map[string]facts.FileStatus{}, Program: "/bin/program",
	}}
}

const (
	implicitDirectory = "/usr/share/vulkan/implicit_layer.d/"
	explicitDirectory = "/usr/share/vulkan/explicit_layer.d/"
	driverDirectory   = "/usr/share/vulkan/icd.d/"
)

func (w *world) driver(name string, more string) *world {
	w.Files[driverDirectory+name] = `{"file_format_version":"1.0.1","ICD":{"library_path":"lib` + name + `.so","api_version":"1.3.0"` + more + `}}`
	return w
}

// Files of a directory come as the source of facts gives them.
//
// holds: PATH-18
func TestOrderOfDirectories(t *testing.T) {
	w := newWorld()
	for _, name := range []string{"m.json", "z.json", "a.json", "q.json"} {
		w.driver(name, "")
		w.Directories[driverDirectory[:len(driverDirectory)-1]] = append(w.Directories[driverDirectory[:len(driverDirectory)-1]], name)
	}
	var got []string
	for _, d := range Resolve(&Question{Kind: Instance, Platform: search.Linux()}, w).Drivers {
		got = append(got, search.BaseName(d.Path))
	}
	if text := strings.Join(got, " "); text != "m.json z.json a.json q.json" {
		t.Errorf("drivers: %s", text)
	}
}

func layerText(version, name, more string) string {
	return `{"file_format_version":"` + version + `","layer":{"name":"` + name + `","type":"INSTANCE","api_version":"1.3.0",` +
		`"implementation_version":"2","description":"d of ` + name + `"` + more + `}}`
}

func (w *world) explicit(file, name, more string) *world {
	w.Files[explicitDirectory+file] = layerText("1.2.0", name, `,"library_path":"lib`+name+`.so"`+more)
	return w
}

func (w *world) implicit(file, name, more string) *world {
	w.Files[implicitDirectory+file] = layerText("1.2.0", name, `,"library_path":"lib`+name+`.so","disable_environment":{"NO_`+name+`":"1"}`+more)
	return w
}

func (w *world) meta(file, name, components string, more string) *world {
	w.Files[explicitDirectory+file] = layerText("1.2.0", name, `,"component_layers":[`+components+`]`+more)
	return w
}

func (w *world) implicitMeta(file, name, components string, more string) *world {
	w.Files[implicitDirectory+file] = layerText("1.2.0", name, `,"component_layers":[`+components+`],"disable_environment":{"NO_`+name+`":"1"}`+more)
	return w
}

// platform has the usual places.
var platform = linux("/usr/local/etc", "/etc", "/etc/xdg", "/usr/local/share:/usr/share")

// linux is Linux with other directories.
func linux(sysConf, extra, configDirs, dataDirs string) search.Platform {
	p := search.Linux()
	p.SysConfDir, p.ExtraSysConfDir, p.ConfigDirs, p.DataDirs = sysConf, extra, configDirs, dataDirs
	return p
}

func (w *world) ask(t *testing.T, kind Kind, layer Name) *Answer {
	t.Helper()
	q := &Question{Kind: kind, LayerName: layer, App: w.app, Drivers: w.drivers, Memory: w.memory, Explain: true, Terminator: w.terminator,
		Platform: platform}
	a := Resolve(q, &w.Tree)
	if a == nil {
		t.Fatal("never decided")
	}
	reasons.Fill(a.Diagnostics)
	return a
}

func (w *world) wants(layers ...string) *world {
	for _, l := range layers {
		w.app.Layers = append(w.app.Layers, Name{l, true})
	}
	w.app.LayerCount = uint32(len(w.app.Layers))
	return w
}

func (w *world) enables(names ...string) *world {
	for _, n := range names {
		w.app.Extensions = append(w.app.Extensions, Name{n, true})
	}
	w.app.ExtensionCount = uint32(len(w.app.Extensions))
	return w
}

func listed(a *Answer) string {
	var out []string
	for _, l := range a.Layers {
		out = append(out, l.Name)
	}
	return strings.Join(out, " ")
}

func active(a *Answer) string {
	var out []string
	for _, l := range a.Active {
		out = append(out, a.Layers[l.Layer].Name)
	}
	return strings.Join(out, " ")
}

func extensions(a *Answer) string {
	var out []string
	for _, e := range a.Extensions {
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

func flagText(flags uint32) string {
	var parts []string
	for _, f := range []struct {
		bit  uint32
		name string
	}{{diag.Fatal, "FATAL"}, {diag.Error, "ERROR"}, {diag.Warn, "WARN"}, {diag.Info, "INFO"}, {diag.Debug, "DEBUG"}, {diag.Driver, "DRIVER"}, {diag.Layer, "LAYER"}} {
		if flags&f.bit != 0 {
			parts = append(parts, f.name)
		}
	}
	return strings.Join(parts, "|")
}

func logText(a *Answer) string {
	var b strings.Builder
	for _, s := range a.Steps {
		switch s.Kind {
		case StepLog:
			b.WriteString(flagText(s.Flags) + ": " + s.Text + "\n")
		case StepDriver:
			b.WriteString("<open " + a.Drivers[s.Driver].Library + ">\n")
		case StepDirect:
			b.WriteString("<direct>\n")
		}
	}
	return b.String()
}

func drivers(a *Answer) string {
	var out []string
	for _, d := range a.Drivers {
		out = append(out, search.BaseName(d.Path))
	}
	return strings.Join(out, " ")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func expectLog(t *testing.T, a *Answer, lines ...string) {
	t.Helper()
	log := logText(a)
	for _, l := range lines {
		if !strings.Contains(log, l+"\n") {
			t.Errorf("no line %q in\n%s", l, log)
		}
	}
}

func refuseLog(t *testing.T, a *Answer, parts ...string) {
	t.Helper()
	log := logText(a)
	for _, p := range parts {
		if strings.Contains(log, p) {
			t.Errorf("%q in\n%s", p, log)
		}
	}
}

// The whole order of vkCreateInstance's lines in a plain world.
//
// holds: LOG-16 LOG-17 LOG-18 SET-8 PATH-4 INS-031 INS-032 LAY-99 DRV-010 DRV-019
func TestInstanceLines(t *testing.T) {
	w := newWorld().driver("a.json", "").explicit("e.json", "VK_LAYER_e", "").wants("VK_LAYER_e")
	w.app.Name, w.app.Version, w.app.API = Name{"MyApp", true}, 42, 1<<22|2<<12
	w.app.Engine, w.app.EngineVersion = Name{"MyEngine", true}, 7
	a := w.ask(t, Instance, Name{})
	expect(t, "log", logText(a), `INFO: vkCreateInstance: applicationName: "MyApp", applicationVersion: 42, engineName: "MyEngine", engineVersion: 7, apiVersion: 1.2.0
INFO: vkCreateInstance: Requested 1 instance layer(s):
INFO:    VK_LAYER_e
INFO: vkCreateInstance: Requested 0 instance extension(s):
INFO: No valid vk_loader_settings.json file found, no loader settings will be active
LAYER: Searching for implicit layer manifest files
LAYER:    In following locations:
LAYER:       /h/.config/vulkan/implicit_layer.d
LAYER:       /etc/xdg/vulkan/implicit_layer.d
LAYER:       /usr/local/etc/vulkan/implicit_layer.d
LAYER:       /etc/vulkan/implicit_layer.d
LAYER:       /h/.local/share/vulkan/implicit_layer.d
LAYER:       /usr/local/share/vulkan/implicit_layer.d
LAYER:       /usr/share/vulkan/implicit_layer.d
LAYER:    Found no files
LAYER: Searching for explicit layer manifest files
LAYER:    In following locations:
LAYER:       /h/.config/vulkan/explicit_layer.d
LAYER:       /etc/xdg/vulkan/explicit_layer.d
LAYER:       /usr/local/etc/vulkan/explicit_layer.d
LAYER:       /etc/vulkan/explicit_layer.d
LAYER:       /h/.local/share/vulkan/explicit_layer.d
LAYER:       /usr/local/share/vulkan/explicit_layer.d
LAYER:       /usr/share/vulkan/explicit_layer.d
LAYER:    Found the following files:
LAYER:       /usr/share/vulkan/explicit_layer.d/e.json
INFO: Found manifest file /usr/share/vulkan/explicit_layer.d/e.json (file version 1.2.0)
DRIVER: Searching for driver manifest files
DRIVER:    In following locations:
DRIVER:       /h/.config/vulkan/icd.d
DRIVER:       /etc/xdg/vulkan/icd.d
DRIVER:       /usr/local/etc/vulkan/icd.d
DRIVER:       /etc/vulkan/icd.d
DRIVER:       /h/.local/share/vulkan/icd.d
DRIVER:       /usr/local/share/vulkan/icd.d
DRIVER:       /usr/share/vulkan/icd.d
DRIVER:    Found the following files:
DRIVER:       /usr/share/vulkan/icd.d/a.json
DRIVER: Found ICD manifest file /usr/share/vulkan/icd.d/a.json, version 1.0.1
DEBUG|DRIVER: Searching for ICD drivers named liba.json.so
<open liba.json.so>
`)
	expect(t, "active", active(a), "VK_LAYER_e")
	w.drivers = []Driver{{Usable: true, Path: "/x/a.so"}}
	a = w.ask(t, InstanceDrivers, Name{})
	expect(t, "log after the drivers", logText(a), "")
}

// holds: PATH-5 PATH-6 PATH-8 PATH-10 PATH-11 PATH-12 PATH-13 PATH-14 ENV-2 ENV-5 ENV-7 ENV-8 ENV-9 ENV-10 ENV-28
func TestLocations(t *testing.T) {
	p := linux("/S", "/X", "/C", "/D:/E")
	for _, c := range []struct {
		kind     search.Kind
		vars     map[string]string
		elevated bool
		want     string
	}{
		{search.Drivers, nil, false, "/C/vulkan/icd.d /S/vulkan/icd.d /X/vulkan/icd.d /D/vulkan/icd.d /E/vulkan/icd.d"},
		{search.Drivers, map[string]string{"HOME": ""}, false, "/.config/vulkan/icd.d /C/vulkan/icd.d /S/vulkan/icd.d /X/vulkan/icd.d /.local/share/vulkan/icd.d /D/vulkan/icd.d /E/vulkan/icd.d"},
		{search.Drivers, map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_DIRS": "oops.json:/a/:/a"}, false, "/c/vulkan/icd.d /C/vulkan/icd.d /S/vulkan/icd.d /X/vulkan/icd.d /h/.local/share/vulkan/icd.d oops.json /a/vulkan/icd.d"},
		{search.Drivers, map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, true, "/C/vulkan/icd.d /S/vulkan/icd.d /X/vulkan/icd.d /D/vulkan/icd.d /E/vulkan/icd.d"},
		{search.Drivers, map[string]string{"VK_DRIVER_FILES": "/a:/b.json:/a::/a", "VK_ICD_FILENAMES": "/z", "VK_ADD_DRIVER_FILES": "/y"}, false, "/a /b.json"},
		{search.Drivers, map[string]string{"VK_ICD_FILENAMES": "/z", "VK_ADD_DRIVER_FILES": "/y"}, false, "/z"},
		{search.Drivers, map[string]string{"VK_DRIVER_FILES": "", "VK_ICD_FILENAMES": "/z"}, false, ""},
		{search.Drivers, map[string]string{"VK_ADD_DRIVER_FILES": "/y"}, false, "/y /C/vulkan/icd.d /S/vulkan/icd.d /X/vulkan/icd.d /D/vulkan/icd.d /E/vulkan/icd.d"},
		{search.ExplicitLayers, map[string]string{"VK_LAYER_PATH": ":/srv/a:::/:/srv/b c/::/srv/d:"}, false, "/srv/a / /srv/b c/ /srv/d"},
		{search.ImplicitLayers, map[string]string{"VK_LAYER_PATH": "/q", "XDG_CONFIG_DIRS": "::/srv/p:::/srv/q/::"}, false, "/srv/p/vulkan/implicit_layer.d /srv/q/vulkan/implicit_layer.d /S/vulkan/implicit_layer.d /X/vulkan/implicit_layer.d /D/vulkan/implicit_layer.d /E/vulkan/implicit_layer.d"},
	} {
		tree := &inmemory.Tree{Vars: c.vars, Elevated: c.elevated}
		var got search.Locations
		facts.Resolve(facts.NewStore(), tree, func(s *facts.Store) { got = search.Build(&p, c.kind, s, false, nil) })
		var paths []string
		for _, l := range got.List {
			paths = append(paths, l.Path)
		}
		expect(t, "locations", strings.Join(paths, " "), c.want)
	}
}

// holds: ENV-15 ENV-18 ENV-19 ENV-20 ENV-21 ENV-22 ENV-35 ENV-36 ENV-37 ENV-38 ENV-39 ENV-40 ENV-43 SYS-014
func TestDriverFilters(t *testing.T) {
	const unset = "\x00"
	for _, c := range []struct{ choose, refuse, used, disabled, unselected string }{
		{unset, unset, "alpha_drv.json alto_drv.json bass_drv.json", "", ""},
		{",,", "", "alpha_drv.json alto_drv.json bass_drv.json", "", ""},
		{"alpha_drv.json", unset, "alpha_drv.json", "", "alto bass"},
		{"ALP*", unset, "alpha_drv.json", "", "alto bass"},
		{"*pha_drv.json", unset, "alpha_drv.json", "", "alto bass"},
		{"*al*", unset, "alpha_drv.json alto_drv.json", "", "bass"},
		{"~ALL~", unset, "alpha_drv.json alto_drv.json bass_drv.json", "", ""},
		{"**", unset, "alpha_drv.json alto_drv.json bass_drv.json", "", ""},
		{"alpha_drv", unset, "", "", "alpha alto bass"},
		{"a*json", unset, "", "", "alpha alto bass"},
		{" alpha*", unset, "", "", "alpha alto bass"},
		{"~implicit~", unset, "", "", "alpha alto bass"},
		{unset, "alp*", "alto_drv.json bass_drv.json", "alpha", ""},
		{unset, "*", "", "alpha alto bass", ""},
		{"alto*", "*al*", "alto_drv.json", "alpha", "bass"},
		{"*al*", "*", "alpha_drv.json alto_drv.json", "bass", ""},
		{"*", "*", "alpha_drv.json alto_drv.json bass_drv.json", "", ""},
	} {
		w := newWorld().driver("alpha_drv.json", "").driver("alto_drv.json", "").driver("bass_drv.json", "")
		if c.choose != unset {
			w.Vars["VK_LOADER_DRIVERS_SELECT"] = c.choose
		}
		if c.refuse != unset {
			w.Vars["VK_LOADER_DRIVERS_DISABLE"] = c.refuse
		}
		a := w.ask(t, Instance, Name{})
		expect(t, "used with "+c.choose+" "+c.refuse, drivers(a), c.used)
		for _, n := range strings.Fields(c.disabled) {
			expectLog(t, a, `WARN|DRIVER: Driver "`+n+`_drv.json" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'`)
		}
		for _, n := range strings.Fields(c.unselected) {
			expectLog(t, a, `WARN|DRIVER: Driver "`+n+`_drv.json" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'`)
		}
		if n := strings.Count(logText(a), "ignored because"); n != len(strings.Fields(c.disabled+" "+c.unselected)) {
			t.Errorf("%d lines for %q %q", n, c.choose, c.refuse)
		}
	}
}

// holds: DRV-035 INS-038 INS-039 INS-040 INS-041 INS-042 INS-043 INS-029
func TestPortability(t *testing.T) {
	w := newWorld().driver("p.json", `,"is_portability_driver":true`)
	a := w.ask(t, InstanceDrivers, Name{})
	expectLog(t, a, "ERROR|DRIVER: vkCreateInstance: Found no drivers!")
	if !strings.Contains(logText(a), "bit in the VkInstanceCreateInfo flags and enable the VK_KHR_portability_enumeration instance extension.") || a.Result != IncompatibleDriver {
		t.Error(a.Result, logText(a))
	}
	w.app.Flags = 1
	a = w.ask(t, InstanceDrivers, Name{})
	if !strings.Contains(logText(a), "VUID-VkInstanceCreateInfo-flags-06559 ]Applications") {
		t.Error(logText(a))
	}
	w.enables("VK_KHR_portability_enumeration")
	a = w.ask(t, Instance, Name{})
	expect(t, "drivers", drivers(a), "p.json")
	expectLog(t, a, "INFO: Portability enumeration bit was set, enumerating portability drivers.")
	w.app.Flags = 0
	a = w.ask(t, InstanceDrivers, Name{})
	if !strings.Contains(logText(a), "bit in the VkInstanceCreateInfo flags.\n") {
		t.Error(logText(a))
	}
	w.driver("q.json", "")
	w.drivers = []Driver{{Usable: true}}
	a = w.ask(t, InstanceDrivers, Name{})
	expect(t, "log", logText(a), "")
}

// holds: DRV-006 DRV-008 DRV-009 DRV-011 DRV-013 DRV-014 DRV-016 DRV-017 DRV-027 DRV-031 DRV-037 DRV-002 LOG-19
func TestDriverManifests(t *testing.T) {
	const path = driverDirectory + "x.json"
	other := "32" // a word size that the process does not have
	if (&manifest.System{}).WordSize() == other {
		other = "64"
	}
	for _, c := range []struct{ text, line string }{
		{`{}`, "WARN|DRIVER: loader_parse_icd_manifest: ICD JSON " + path + " does not have a 'file_format_version' field. Skipping ICD JSON."},
		{`[]`, "WARN|DRIVER: loader_parse_icd_manifest: ICD JSON " + path + " does not have a 'file_format_version' field. Skipping ICD JSON."},
		{`{"file_format_version":1}`, "WARN|DRIVER: loader_parse_icd_manifest: Failed retrieving ICD JSON " + path + " 'file_format_version' field. Skipping ICD JSON"},
		{`{"file_format_version":"1.0.0"}`, "WARN|DRIVER: loader_parse_icd_manifest: Can not find 'ICD' object in ICD JSON file " + path + ". Skipping ICD JSON"},
		{`{"file_format_version":"1.0.0","ICD":3}`, "WARN|DRIVER: loader_parse_icd_manifest: Failed to find 'library_path' object in ICD JSON file " + path + ". Skipping ICD JSON."},
		{`{"file_format_version":"1.0.0","icd":{"Library_Path":""}}`, "WARN|DRIVER: loader_parse_icd_manifest: ICD JSON " + path + " 'library_path' field is empty. Skipping ICD JSON."},
		{`{"file_format_version":"1.0.0","ICD":{"library_path":"x"}}`, "WARN|DRIVER: loader_parse_icd_manifest: ICD JSON " + path + " does not have an 'api_version' field. Skipping ICD JSON."},
		{`{"file_format_version":"1.0.0","ICD":{"library_path":"x","api_version":"-1.1.0"}}`, "INFO|DRIVER: loader_parse_icd_manifest: Driver's ICD JSON " + path + " 'api_version' field contains a non-zero variant value of 7.  Skipping ICD JSON."},
		{`{"file_format_version":"1.0.0","ICD":{"library_path":"x","api_version":"1.1","library_arch":"` + other + `bit"}}`, "INFO: loader_parse_icd_manifest: Driver library architecture doesn't match the current running architecture, skipping this driver"},
		{`{"k":"v", "m": [], },`, "ERROR: loader_get_json: Invalid JSON file " + path + "."},
	} {
		w := newWorld()
		w.Files[path] = c.text
		a := w.ask(t, Instance, Name{})
		expectLog(t, a, c.line)
		expect(t, c.text, drivers(a), "")
	}
	w := newWorld()
	w.Files[path] = `{"file_format_version":"1.0.0","layers":[]}`
	refuseLog(t, w.ask(t, Instance, Name{}), "WARN")
	w.Files[path] = `{"file_format_version":"100.222.111","ICD":{"library_path":"./x.so","api_version":"0.1.3.0"}}`
	a := w.ask(t, Instance, Name{})
	expectLog(t, a, "INFO|DRIVER: loader_parse_icd_manifest: "+path+" has unknown icd manifest file version 100.222.111. May cause errors.",
		"<open "+driverDirectory+"./x.so>")
	if a.Drivers[0].API != 1<<22|3<<12 {
		t.Errorf("%#x", a.Drivers[0].API)
	}
	w.Broken[path] = facts.FileNotRead
	expectLog(t, w.ask(t, Instance, Name{}), "ERROR: loader_get_json: Failed to read entire JSON file "+path)
	w.Broken[path] = facts.FileNotOpened
	delete(w.Files, path)
	expectLog(t, w.ask(t, Instance, Name{}), "ERROR: loader_get_json: Failed to open JSON file x.json") // PATH-19
	w.Vars["VK_DRIVER_FILES"] = path
	expectLog(t, w.ask(t, Instance, Name{}), "ERROR: loader_get_json: Failed to open JSON file "+path)
}

// TestMemory checks that a file is parsed once in a call, for each kind of manifest. An answer contains each parsed layer once;
// a file read again, or a meta-layer, yields copies.
func TestMemory(t *testing.T) {
	s := facts.File{Content: layerText("1.2.0", "E", `,"library_path":"x"`)}
	d := newDecision(&Question{Memory: &Memory{turn: 1}}, facts.NewStore())
	p := d.files.parse("/x", s, search.ExplicitLayers)
	if d.files.parse("/x", s, search.ExplicitLayers) != p {
		t.Error("parsed twice")
	}
	if d.files.parse("/y", s, search.ExplicitLayers) == p || d.files.parse("/x", s, search.ImplicitLayers) == p {
		t.Error("another file's parse was used")
	}
	d.f.SetFile("/x", s)
	d.f.SetFile("/m", facts.File{Content: layerText("1.2.0", "M", `,"component_layers":[]`)})
	list := d.files.add(nil, "/x", false, search.ExplicitLayers)
	list = d.files.add(list, "/x", false, search.ExplicitLayers)
	list = d.files.add(list, "/m", false, search.ExplicitLayers)
	parsed := d.files.parse("/m", facts.File{}, search.ExplicitLayers).layers.Layers[0]
	if len(list) != 3 || list[0] == list[1] || list[0].Name != "E" || list[1].Name != "E" || list[2] == parsed {
		t.Errorf("%v", list)
	}
	d.m.turn++
	if again := d.files.add(nil, "/x", false, search.ExplicitLayers); again[0] != list[0] {
		t.Error("copied without need")
	}
}
