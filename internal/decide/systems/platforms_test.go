package systems

import (
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/test/lib/inmemory"
)

// platformWorld is the environment of a program on another system, and the program's requests.
type platformWorld struct {
	inmemory.Tree
	app      plan.App
	platform search.Platform
}

func newOn(p search.Platform) *platformWorld {
	return &platformWorld{platform: p, Tree: inmemory.Tree{Vars: map[string]string{}, Files: map[string]string{}, Other: &inmemory.Foreign{}}}
}

func (o *platformWorld) enables(name string) {
	o.app.Extensions = append(o.app.Extensions, plan.Name{Text: name, Set: true})
	o.app.ExtensionCount = uint32(len(o.app.Extensions))
}

func layerText(name, more string) string {
	return `{"file_format_version":"1.2.0","layer":{"name":"` + name + `","type":"INSTANCE","api_version":"1.3.0",` +
		`"implementation_version":"2","description":"d of ` + name + `"` + more + `}}`
}

func driversOf(a *plan.Answer) string {
	var out []string
	for _, d := range a.Drivers {
		out = append(out, search.BaseName(d.Path))
	}
	return strings.Join(out, " ")
}

func listedOf(a *plan.Answer) string {
	var out []string
	for _, l := range a.Layers {
		out = append(out, l.Name)
	}
	return strings.Join(out, " ")
}

func activeOf(a *plan.Answer) string {
	var out []string
	for _, l := range a.Active {
		out = append(out, a.Layers[l.Layer].Name)
	}
	return strings.Join(out, " ")
}

// logOf returns the lines of the log, each with its severity.
func logOf(a *plan.Answer) string {
	words := map[uint32]string{diag.Error: "ERROR", diag.Error | diag.Driver: "ERROR|DRIVER", diag.Warn: "WARN", diag.Info: "INFO"}
	var b strings.Builder
	for _, s := range a.Steps {
		if s.Kind == plan.StepLog {
			b.WriteString(words[s.Flags] + ": " + s.Text + "\n")
		}
	}
	return b.String()
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// driverAt adds a driver manifest.
func (o *platformWorld) driverAt(path, more string) *platformWorld {
	o.Files[path] = `{"file_format_version":"1.0.1","ICD":{"library_path":"lib.so","api_version":"1.3.0"` + more + `}}`
	return o
}

func (o *platformWorld) layerAt(path, name string) *platformWorld {
	o.Files[path] = layerText(name, `,"library_path":"l.so","disable_environment":{"NO_`+name+`":"1"}`)
	return o
}

func (o *platformWorld) ask(t *testing.T, kind plan.Kind) *plan.Answer {
	t.Helper()
	a := plan.Resolve(&plan.Question{Kind: kind, App: o.app, Platform: o.platform, Explain: true}, &o.Tree)
	if a == nil {
		t.Fatal("never decided")
	}
	return a
}

// places returns the places of a search without the suffix of its kind.
func (o *platformWorld) places(t *testing.T, kind search.Kind) string {
	t.Helper()
	var out []string
	for _, l := range o.ask(t, plan.Instance).Searched[kind].List {
		suffix := [...]string{"/vulkan/icd.d", "/vulkan/implicit_layer.d", "/vulkan/explicit_layer.d"}[kind]
		out = append(out, strings.TrimSuffix(l.Path, suffix))
	}
	return strings.Join(out, " ")
}

const (
	resources = "/A.app/Contents/Resources"
	xdg       = "/etc/xdg /usr/local/etc /etc /usr/local/share /usr/share"
)

// holds: MAC-002 MAC-003 MAC-004 MAC-005 MAC-011 MAC-012 MAC-026
func TestBundles(t *testing.T) {
	t.Parallel()
	for _, p := range []search.Platform{search.MacOS()} {
		o := newOn(p)
		for kind := range search.Kind(3) {
			o.Other.Program, o.Vars = facts.Bundle{}, map[string]string{}
			expect(t, "no bundle", o.places(t, kind), xdg)
			o.Other.Program.Resources = resources
			expect(t, "a bundle", o.places(t, kind), resources+" "+xdg)
			o.Vars = map[string]string{"HOME": "/h", "XDG_CONFIG_DIRS": "/c", "XDG_DATA_HOME": "/d"}
			expect(t, "variables", o.places(t, kind), resources+" /h/.config /c /usr/local/etc /etc /d /usr/local/share /usr/share")
			more := [...]string{"VK_ADD_DRIVER_FILES", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_ADD_LAYER_PATH"}[kind]
			o.Vars = map[string]string{more: "/add"}
			expect(t, more, o.places(t, kind), "/add "+resources+" "+xdg)
		}
		o.Vars = map[string]string{}
		o.driverAt(resources+"/vulkan/icd.d/a.json", "").driverAt(resources+"/vulkan/icd.d/b.json", "").driverAt("/x.json", "")
		o.driverAt("/etc/vulkan/icd.d/c.json", "")
		expect(t, "drivers", driversOf(o.ask(t, plan.Instance)), "a.json b.json c.json")
		o.Vars["VK_DRIVER_FILES"] = "/x.json"
		expect(t, "the variable's alone", driversOf(o.ask(t, plan.Instance)), "x.json")
		o.Vars = map[string]string{}
		o.enables("VK_LUNARG_direct_driver_loading")
		o.app.DirectList, o.app.DirectCount = true, 1
		if a := o.ask(t, plan.Instance); driversOf(a) != "" || a.Searched[search.Drivers].List != nil {
			t.Errorf("exclusive direct loading searches %v", a.Searched[search.Drivers].List)
		}
	}
}

// Both drivers are opened, the bundle's first. Devices are listed in the reverse order of the drivers, as on all of these
// systems.
//
// holds: MAC-006 MAC-007 MAC-008 MAC-009 MAC-010 MAC-013
func TestOnlyInBundle(t *testing.T) {
	t.Parallel()
	o := newOn(search.MacOS()).driverAt(resources+"/vulkan/icd.d/bundled.json", "").driverAt("/usr/share/vulkan/icd.d/system.json", "").
		layerAt("/usr/share/vulkan/implicit_layer.d/i.json", "VK_LAYER_i").layerAt("/usr/share/vulkan/explicit_layer.d/e.json", "VK_LAYER_e")
	o.Other.Program.Resources = resources
	a := o.ask(t, plan.Instance)
	expect(t, "drivers", driversOf(a), "bundled.json system.json")
	expect(t, "layers", listedOf(a), "VK_LAYER_i VK_LAYER_e")
	for _, value := range []string{"1", "", "0", "no"} {
		o.Vars["VK_LOADER_SEARCH_ONLY_IN_BUNDLE"] = value
		a = o.ask(t, plan.Instance)
		expect(t, "drivers of the bundle", driversOf(a), "bundled.json")
		expect(t, "layers of the bundle", listedOf(a), "")
	}
	o.Elevated = true // as the source reports if real and effective ids differ
	expect(t, "in a set-uid process", driversOf(o.ask(t, plan.Instance)), "bundled.json system.json")
	o.Elevated, o.Other.Program.Resources = false, ""
	expect(t, "without a bundle", driversOf(o.ask(t, plan.Instance)), "")
}

// holds: MAC-014
func TestBundledLibraries(t *testing.T) {
	t.Parallel()
	o := newOn(search.MacOS())
	o.Other.Program.Resources = resources
	for library, want := range map[string]string{"../../../Frameworks/x.dylib": resources + "/vulkan/icd.d/../../../Frameworks/x.dylib", "x.dylib": "x.dylib",
		"/opt/x.dylib": "/opt/x.dylib"} {
		o.Files[resources+"/vulkan/icd.d/a.json"] = `{"file_format_version":"1.0.1","ICD":{"library_path":"` + library + `","api_version":"1.3.0"}}`
		expect(t, library, o.ask(t, plan.Instance).Drivers[0].Library, want)
	}
}

// holds: MAC-017 MAC-018 MAC-019
func TestPortabilityOnMacOS(t *testing.T) {
	t.Parallel()
	const flagMissing = "Found drivers that contain devices which support the portability subset, but the instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must set the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
	for _, c := range []struct {
		extension, flag bool
		line            string
	}{
		{false, false, flagMissing + " and enable the VK_KHR_portability_enumeration instance extension."},
		{true, false, flagMissing + "."},
		{false, true, "the list of enabled extensions in ppEnabledExtensionNames must contain VK_KHR_portability_enumeration"},
		{true, true, ""},
	} {
		o := newOn(search.MacOS()).driverAt("/etc/vulkan/icd.d/m.json", `,"is_portability_driver":true`)
		if c.extension {
			o.enables("VK_KHR_portability_enumeration")
		}
		if c.flag {
			o.app.Flags = 1
		}
		a := o.ask(t, plan.Instance)
		if c.line == "" {
			expect(t, "both", driversOf(a), "m.json")
			continue
		}
		expect(t, "skipped", driversOf(a), "")
		a = o.ask(t, plan.InstanceDrivers)
		if a.Result != plan.IncompatibleDriver || !strings.Contains(logOf(a), "ERROR|DRIVER: ") || !strings.Contains(logOf(a), c.line) {
			t.Errorf("%+v: %d\n%s", c, a.Result, logOf(a))
		}
	}
	o := newOn(search.MacOS()).driverAt("/etc/vulkan/icd.d/m.json", `,"is_portability_driver":true`)
	expect(t, "before there is an instance", driversOf(o.ask(t, plan.Extensions)), "m.json")
}

func TestWindowSystems(t *testing.T) {
	t.Parallel()
	all := strings.Fields("VK_KHR_xlib_surface VK_KHR_xcb_surface VK_KHR_wayland_surface VK_EXT_acquire_xlib_display VK_EXT_directfb_surface " +
		"VK_KHR_win32_surface VK_MVK_macos_surface VK_MVK_ios_surface VK_EXT_metal_surface VK_QNX_screen_surface VK_FUCHSIA_imagepipe_surface VK_OHOS_surface")
	const unix = "VK_KHR_xlib_surface VK_KHR_xcb_surface VK_KHR_wayland_surface VK_EXT_acquire_xlib_display"
	for _, c := range []struct {
		platform search.Platform
		want     string
	}{
		{search.MacOS(), "VK_MVK_macos_surface VK_EXT_metal_surface"}, {search.Linux(), unix},
		{fuchsiaUpstream(), "VK_FUCHSIA_imagepipe_surface"},
	} {
		var got []string
		for _, name := range all {
			if c.platform.Knows(name) && !c.platform.MissingWindowSystem(name) {
				got = append(got, name)
			}
		}
		expect(t, "window systems", strings.Join(got, " "), c.want)
	}
}

// holds: MAC-025 FUC-014
func TestSettingsPlaces(t *testing.T) {
	t.Parallel()
	const rest = "/vulkan//loader_settings.d/vk_loader_settings.json"
	for _, c := range []struct {
		platform search.Platform
		vars     map[string]string
		want     string
	}{
		{search.MacOS(), map[string]string{"HOME": "/h"}, "/h/.config /h/.local/share /etc/xdg /usr/local/etc /etc /usr/local/share"},
		{fuchsiaUpstream(), map[string]string{"HOME": "/h"}, "/h/.config /h/.local/share /config /pkg/data"},
		{fuchsiaUpstream(), map[string]string{"XDG_CONFIG_DIRS": "/c", "XDG_DATA_DIRS": "/d"}, "/c /config /pkg/data /d"},
	} {
		var got []string
		facts.Resolve(facts.NewStore(), &inmemory.Tree{Vars: c.vars, Other: &inmemory.Foreign{Program: facts.Bundle{Resources: resources}}},
			func(s *facts.Store) { got = c.platform.Settings(&c.platform, s) })
		for i := range got {
			got[i] = strings.TrimSuffix(got[i], rest)
		}
		expect(t, "places", strings.Join(got, " "), c.want)
	}
}

// holds: FUC-001 FUC-002 FUC-003 FUC-004 FUC-010 FUC-013
func TestFuchsia(t *testing.T) {
	t.Parallel()
	o := newOn(fuchsiaUpstream())
	for kind := range search.Kind(3) {
		o.Vars, o.Elevated = map[string]string{"XDG_CONFIG_DIRS": "", "XDG_DATA_DIRS": ""}, false
		expect(t, "nothing set", o.places(t, kind), "/config /pkg/data")
		o.Vars, o.Elevated = map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d"}, true // this system does not check rights
		expect(t, "variables", o.places(t, kind), "/h/.config /config /pkg/data /d")
	}
	if log := logOf(o.ask(t, plan.Instance)); !strings.Contains(log, "WARN: This loader honors variables with paths in every process") {
		t.Error(log)
	}
	o = newOn(fuchsiaPlatform()).driverAt(fuchsiaManifests+"/d.json", "").driverAt("/pkg/data/vulkan/icd.d/not.json", "")
	expect(t, "layers of the platform's own", o.places(t, search.ExplicitLayers), "/vulkan-loader-configuration /pkg/data")
	expect(t, "its drivers", driversOf(o.ask(t, plan.Instance)), "d.json")
}

// holds: FUC-005
func TestSystemsWithoutProgramPaths(t *testing.T) {
	t.Parallel()
	const rest = `"additional_drivers_use_exclusively":true,"additional_drivers":[{"path":"/x.json"}]}`
	for _, p := range []search.Platform{fuchsiaUpstream()} {
		o := newOn(p).layerAt("/x", "VK_LAYER_c")
		directory := p.SysConfDir
		o.Files[directory+"/vulkan//loader_settings.d/vk_loader_settings.json"] = `{"file_format_version":"1.0.0","settings_array":[{"app_keys":["/bin/p"],` + rest + `,{` + rest + `]}`
		if a := o.ask(t, plan.Instance); a.Settings == nil {
			t.Error("the global object after one for a program does not count")
		}
		o = newOn(p).layerAt(directory+"/vulkan/explicit_layer.d/c.json", "VK_LAYER_c")
		o.Files[directory+"/vulkan/implicit_layer.d/o.json"] = layerText("VK_LAYER_LUNARG_override",
			`,"component_layers":["VK_LAYER_c"],"app_keys":["/bin/p"],"disable_environment":{"NO":"1"}`)
		expect(t, "an override layer with keys", activeOf(o.ask(t, plan.Instance)), "VK_LAYER_c VK_LAYER_LUNARG_override")
	}
}
