package system

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// valueName returns the name of the adapters' value with drivers, for a process of this word size on a 64-bit system.
func valueName() string {
	if world.Narrow() {
		return "VulkanDriverNameWow"
	}
	return "VulkanDriverName"
}

// drivers creates drivers whose manifests nothing names yet, and returns their paths.
func drivers(w *world.World, names ...string) map[string]string {
	paths := map[string]string{}
	for _, name := range names {
		paths[name] = w.Driver(name).MoveManifest(name + ".json").ManifestPath
	}
	w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1")
	return paths
}

// wantDrivers creates an instance, and checks its drivers and their order.
func wantDrivers(t *testing.T, w *world.World, names string) *world.Host {
	t.Helper()
	h := w.Start()
	if names == "" {
		if a := h.Do("create_instance"); a.Result() != incompatibleDriver {
			t.Errorf("without a driver: %v", a)
		}
		h.Quit()
	} else {
		h.OK("create_instance")
		finish(h)
	}
	made := slices.DeleteFunc(w.Log().Fn("vkCreateInstance").Who(), func(who string) bool { return strings.HasPrefix(who, "VK_LAYER_") })
	if got := strings.Join(made, " "); got != names {
		t.Errorf("drivers are %q, want %q\n%s", got, names, h.Stderr())
	}
	return h
}

// holds: WIN-018 WIN-019 WIN-020 WIN-021 WIN-024
//
// The kernel's adapters name drivers with a list of paths or with one path. An adapter without the value is skipped. All adapters are closed.
// The drivers in the device tree then do not count.
func TestAdapters(t *testing.T) {
	w := newWorld(t)
	path, name := drivers(w, "a", "b", "c", "tree"), valueName()
	w.SystemFake(world.FakeAdapters, "gdi32.dll", "adapter", "adapter "+name+" list "+path["a"]+" "+path["b"], "adapter Other one "+path["tree"],
		"adapter "+name+" one "+path["c"])
	w.SystemFake(world.FakeDevices, "cfgmgr32.dll", "device ROOT\\D "+name+" "+path["tree"])
	h := wantDrivers(t, w, "a b c")
	for _, driver := range []string{"a", "b", "c"} {
		said(t, h, path[driver]+" (a display adapter's "+name+")", true)
	}
	var asked []string
	for _, call := range w.Log().Fn("D3DKMTQueryAdapterInfo") {
		if call.Int("query") != 48 || call.Int("key") != 1 || call.Int("flags") != 1 { // of the registry, the adapter's key, a path translated
			t.Errorf("asked by %v", call)
		}
		if value := call.Text("name"); strings.Contains(value, "DriverName") && !slices.Contains(asked, value) {
			asked = append(asked, value)
		}
	}
	want(t, "values", asked, name)
	var closed []int64
	for _, call := range w.Log().Fn("D3DKMTCloseAdapter") {
		closed = append(closed, call.Int("adapter"))
	}
	if len(closed) < 4 || len(closed)%4 != 0 || !slices.Equal(closed[:4], []int64{1, 2, 3, 4}) {
		t.Errorf("closed: %v", closed)
	}
}

// holds: WIN-022 WIN-023
//
// A path may have any length, and is read completely as UTF-8, in which it is longer. Invalid text in a list is
// skipped.
func TestPathsOfAdapters(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat(strings.Repeat("日", 60)+"/", 8)
	f := w.Driver("long").MoveManifest(long + "long.json")
	other := w.Driver("other").MoveManifest("other.json")
	w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1")
	w.SystemFake(world.FakeAdapters, "gdi32.dll", "adapter "+valueName()+" one "+f.ManifestPath, "adapter "+valueName()+" list ! "+other.ManifestPath+" !",
		"adapter "+valueName()+" one !")
	wantDrivers(t, w, "long other")
}

// holds: WIN-025 WIN-026 WIN-027 WIN-028
//
// If no adapter names a driver, the device tree is used: the adapters cannot be listed, the system lacks the function, or no adapter has the
// value. If an adapter's value cannot be read completely, the following adapters are not asked.
func TestAdaptersThatSayNothing(t *testing.T) {
	const broken, named, other = "NAME breaks", "NAME one PATH", "NAME one OTHER"
	for _, c := range []struct {
		name     string
		adapters []string // none: the library lacks the functions
		want     string
	}{
		{"no function", nil, "tree"},
		{"no list", []string{"enumerate fails", "adapter " + named}, "tree"},
		{"no value", []string{"adapter", "adapter"}, "tree"},
		{"none", []string{}, "tree"},
		{"broken", []string{"adapter " + broken, "adapter " + named}, "tree"},
		{"broken behind one", []string{"adapter " + named, "adapter " + broken, "adapter " + other}, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			path := drivers(w, "a", "b", "tree")
			w.SystemFake(world.FakeDevices, "cfgmgr32.dll", "device ROOT\\D "+valueName()+" "+path["tree"])
			if c.adapters == nil {
				w.Setup("library", "gdi32.dll", w.Copy(world.Layer, "other"))
			} else {
				lines := strings.NewReplacer("NAME", valueName(), "PATH", path["a"], "OTHER", path["b"]).Replace(strings.Join(c.adapters, "\n"))
				w.SystemFake(world.FakeAdapters, "gdi32.dll", strings.Split(lines, "\n")...)
			}
			h := wantDrivers(t, w, c.want)
			said(t, h, path["tree"]+" ("+valueName()+" of the device ROOT/D)", c.want == "tree") // a case has slashes
		})
	}
}

// holds: WIN-028 WIN-030 WIN-031 WIN-032 WIN-033 WIN-034 WIN-035
//
// In the device tree, display devices and their software components count. A damaged entry does not affect the
// others.
func TestDevicesAndTheirComponents(t *testing.T) {
	w := newWorld(t)
	path, name := drivers(w, "a", "b", "c", "d", "no"), valueName()
	of := func(driver string) string { return " " + name + " " + path[driver] }
	w.Env["VK_LOADER_DEBUG"] = "all"
	w.SystemFake(world.FakeDevices, "cfgmgr32.dll", "device ROOT\\1"+of("a"), "child ROOT\\1 SWC\\1 component"+of("b"), "child ROOT\\1 USB\\1 other"+of("no"),
		"child ROOT\\1 SWC\\2 component nokey", "child ROOT\\1 SWC\\3 component"+of("c"), "device ROOT\\2"+of("no")+" problem=14", "child ROOT\\2 SWC\\4 component"+of("no"),
		"device gone"+of("no"), "device ROOT\\3 "+name+" number", "device ROOT\\4 none", "child ROOT\\4 SWC\\5 component"+of("d"),
		"child ROOT\\4 SWC\\6 component"+of("no")+" problem=14")
	h := wantDrivers(t, w, "a b c d")
	for _, line := range []string{`INFO:           The device ROOT\2 needs a restart: it is passed over`, `ERROR:          The device gone cannot be located`,
		`ERROR:          The value ` + name + ` of the device ROOT\3 is not text`, `INFO:           The device ROOT\4 has no value ` + name,
		`DEBUG:          The device USB\1 is no software component: it is passed over`, `INFO:           The device SWC\6 needs a restart: it is passed over`} {
		said(t, h, line, true)
	}
	said(t, h, `SWC\4`, false)
}

const mappingLayers = "Microsoft.D3DMappingLayers_8wekyb3d8bbwe"

// holds: WIN-044
//
// The first package of the family is searched for drivers and implicit layers.
func TestAppPackages(t *testing.T) {
	w := newWorld(t)
	root, second := w.Path("package"), w.Path("second")
	w.Driver("mapped").MoveManifest("package/mapped.json")
	w.Driver("second").MoveManifest("second/second.json")
	w.ImplicitLayer("VK_LAYER_mapped").MoveManifest("package/layer.json")
	w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1")
	w.Setup("package", "Somebody.Else", second)
	w.Setup("package", mappingLayers, root)
	w.Setup("package", mappingLayers, second)
	h := wantDrivers(t, w, "mapped")
	said(t, h, root+" (the app package "+mappingLayers+")", true)
	said(t, h, `Insert instance layer "VK_LAYER_mapped"`, true)
}

// holds: WIN-046
//
// A package with a path that is too long, missing or not terminated is ignored.
func TestAppPackagesWithoutPath(t *testing.T) {
	for name, path := range map[string]string{"unwritten": "unwritten", "unended": "unended", "too long": "C:\\" + strings.Repeat("x", 300)} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Driver("a")
			w.Setup("package", mappingLayers, path)
			h := wantDrivers(t, w, "a")
			said(t, h, "the app package", false)
			if len(calls(w, "GetPackagePathByFullName")) == 0 {
				t.Error("nobody asked for the path")
			}
		})
	}
}
