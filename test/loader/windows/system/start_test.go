package system

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: WIN-005
//
// While the DLL is being loaded, it does nothing: it loads no other library, logs nothing, and reads variables only at the first call.
func TestAttach(t *testing.T) {
	for _, first := range []string{"instance_version", "instance_layers"} {
		t.Run(first, func(t *testing.T) {
			w := newWorld(t)
			w.Driver("a")
			h := w.StartIdle()
			all := []string{"match", "."}
			before := h.Do("maps", all...).Strings("maps")
			h.Do("open", "path", w.Loader)
			var come []string
			for _, path := range h.Do("maps", all...).Strings("maps") {
				if !slices.Contains(before, path) {
					come = append(come, strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:]))
				}
			}
			want(t, "libraries that have come", come, "vulkan-1.dll")
			if calls := strings.Join(w.CallLog(), "\n"); calls != "" || h.Stderr() != "" {
				t.Errorf("it calls %s and says %s", calls, h.Stderr())
			}
			h.Do("setenv", "name", "VK_LOADER_DEBUG", "value", "")
			h.OK(first)
			h.Quit()
			if read := calls(w, "GetEnvironmentVariableW"); h.Stderr() != "" || !slices.Contains(read, "VK_LOADER_DEBUG") {
				t.Errorf("it reads %q and says %s", read, h.Stderr())
			}
		})
	}
}

// holds: WIN-007 WIN-008
//
// Libraries with the names of the system's in the program's directory are not loaded.
func TestLibrariesOfTheSystem(t *testing.T) {
	for _, hostile := range []string{"gdi32.dll", "dxgi.dll", "cfgmgr32.dll"} {
		t.Run(hostile, func(t *testing.T) {
			w := newWorld(t)
			w.Driver("a").MoveManifest(w.SystemPath("/etc/vulkan/icd.d"))
			intel(w, w.Driver("b"))    // a driver for which DXGI is queried, with any adapters of Wine
			if hostile == "dxgi.dll" { // Wine's dxgi.dll needs gdi32 itself
				w.Setup("library", "dxgi.dll", `C:\windows\system32\dxgi.dll`)
			}
			// as on Windows, the program's directory precedes
			w.Env["WINEDLLOVERRIDES"] = strings.TrimSuffix(hostile, ".dll") + "=n,b"
			program := w.CopyHost("program/host.exe")
			beside := w.DirectDriver("beside", "log_load")
			for _, end := range []string{"", ".script"} {
				if err := os.Rename(beside.Library+end, filepath.Join(filepath.Dir(program), hostile+end)); err != nil {
					t.Fatal(err)
				}
			}
			h := w.StartProgram(program, w.Loader)
			h.OK("create_instance")
			finish(h)
			if log := w.Log().By("beside"); len(log) > 0 {
				t.Errorf("it is loaded:\n%s", log)
			}
			asked := about(calls(w, "LoadLibraryExW"), hostile+" ")
			for _, a := range asked { // LOAD_WITH_ALTERED_SEARCH_PATH
				if strings.ToLower(a) != `c:\windows\system32\`+hostile+" 0x8" {
					t.Errorf("asked for %s", a)
				}
			}
			if len(asked) == 0 {
				t.Error("nobody asked")
			}
			for _, path := range calls(w, "LoadLibraryW") {
				if !strings.HasSuffix(path, "/a.so") && !strings.HasSuffix(path, "/b.so") {
					t.Errorf("asked for %q", path)
				}
			}
			h = w.StartProgram(program)
			h.Do("open", "path", hostile)
			h.Quit()
			if log := w.Log().By("beside"); len(log) == 0 {
				t.Error("who asks by the name alone does not get it either")
			}
		})
	}
}

// intel registers a driver with a known vendor, so that DXGI is queried for it.
func intel(w *world.World, driver *world.Fake) {
	bits, _ := world.Bits()
	path := w.Path("igvk" + bits + ".json")
	driver.MoveManifest(path)
	w.Setup("machine", "Drivers", path)
}

// holds: WIN-008
//
// While an instance lives, the system's libraries stay loaded; then they are freed.
func TestLibrariesOfTheSystemStay(t *testing.T) {
	w := newWorld(t)
	intel(w, w.DriverKind(world.ByAdapter, "a", "device name=a luid=1").API("1.1.0"))
	w.ImplicitLayer("L")
	w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1 vendor=0x8086")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	h.OK("create_instance", "as", "second", "api", "1.1.0")
	for range 3 {
		h.OK("physical_devices")
		h.OK("device_groups")
	}
	h.Do("destroy_instance")
	h.OK("physical_devices", "instance", "second")
	for _, library := range []string{"gdi32.dll", "cfgmgr32.dll", "dxgi.dll"} {
		if got := about(calls(w, "LoadLibraryExW"), library+" "); len(got) != 1 {
			t.Errorf("%s was loaded %d times", library, len(got))
		}
		if got := about(calls(w, "FreeLibrary"), library); len(got) != 0 {
			t.Errorf("%s was let go with an instance: %q", library, got)
		}
	}
	h.Do("destroy_instance", "name", "second")
	h.Quit()
	for _, library := range []string{"gdi32.dll", "cfgmgr32.dll", "dxgi.dll"} {
		if got := about(calls(w, "FreeLibrary"), library); len(got) != 1 {
			t.Errorf("%s was let go %d times", library, len(got))
		}
	}
}

// holds: WIN-009 WIN-040
//
// Without DXGI's library or function, there is no factory: a driver of the registry is used all the same.
func TestNoFactory(t *testing.T) {
	const warning = `WARNING:        The adapters of DXGI cannot be listed: the drivers of HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\Vulkan\Drivers are ` +
		"used, whether their vendor has an adapter here or not"
	for _, c := range []struct {
		name  string
		have  func(w *world.World)
		want  int
		warns bool
	}{
		{"factory", func(w *world.World) { w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1 vendor=0x8086") }, 0, false},
		{"other vendor", func(w *world.World) { w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1 vendor=0x10de") }, incompatibleDriver, false},
		{"no library", func(w *world.World) { w.Setup("refuse", "dxgi.dll", "126") }, 0, true},
		{"no function", func(w *world.World) { w.Setup("library", "dxgi.dll", w.Copy(world.Layer, "other")) }, 0, true},
		{"no factory", func(w *world.World) { w.SystemFake(world.FakeDXGI, "dxgi.dll", "factory none") }, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			intel(w, w.Driver("a"))
			c.have(w)
			h := w.Start()
			if a := h.Do("create_instance"); a.Result() != c.want {
				t.Errorf("%v, want %d", a, c.want)
			}
			if c.want == 0 {
				h.Do("destroy_instance")
			}
			h.Quit()
			said(t, h, warning, c.warns)
		})
	}
}

// A DXGI implemented on Vulkan creates an instance when it creates a factory. DXGI is not queried during that, and
// both instances get their drivers.
func TestFactoryOfVulkan(t *testing.T) {
	w := newWorld(t)
	intel(w, w.Driver("a"))
	w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1 vendor=0x8086", "perform CreateDXGIFactory1 inside")
	h := w.Start()
	h.Do("script", "as", "inside", "line", "create_instance as=j", "line", "physical_devices instance=j", "line", "destroy_instance name=j")
	h.OK("create_instance")
	h.OK("physical_devices")
	inside := h.Do("performed")
	finish(h)
	if made := len(w.Log().Fn("CreateDXGIFactory1")); made != 1 || len(w.Log().By("a").Fn("vkCreateInstance")) != 2 {
		t.Errorf("%d factories, %v inside", made, inside)
	}
}

// A program creates a factory of a DXGI implemented on Vulkan. During the loader's calls from DXGI, which holds its own locks, the loader
// does not call DXGI: not for drivers, layers, or the order of devices. Afterwards it does.
func TestProgramInsideDXGI(t *testing.T) {
	w := newWorld(t)
	intel(w, w.DriverKind(world.ByAdapter, "a", "device name=a luid=1").API("1.1.0"))
	w.ImplicitLayer("L")
	dxgi := w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1 vendor=0x8086", "vulkan")
	h := w.Start()
	h.Do("open", "path", dxgi.Library)
	h.Do("memory", "as", "factory1", "size", "16", "u64@0", "0x4dbaf26f770aae78", "u64@8", "0x87b3d1833c2529a8")
	h.Do("call", "name", "CreateDXGIFactory1", "via", "export", "arg", "factory1", "arg", "out")
	h.Do("open", "path", w.Loader)
	inside := w.Log().Fn("vulkan")
	if len(inside) != 1 || inside[0].Int("extensions") != 0 || inside[0].Int("instance") != 0 || inside[0].Int("devices") != 1 || inside[0].Int("groups") != 1 {
		t.Errorf("inside: %v", inside)
	}
	if again := w.Log().Fn("again"); len(again) != 0 {
		t.Errorf("it was asked %d times by what it called", len(again))
	}
	h.OK("create_instance", "api", "1.1.0")
	finish(h)
	if made := len(w.Log().Fn("CreateDXGIFactory1")); made < 2 {
		t.Errorf("%d factories: the program's own instance asks, too", made)
	}
}

// holds: WIN-011
//
// Lines for standard error also go to the debugger, and no other text does.
func TestDebugger(t *testing.T) {
	for _, level := range []string{"all", "error"} {
		t.Run(level, func(t *testing.T) {
			w := newWorld(t)
			w.Driver("a")
			w.DriverFile("bad", "{")
			w.Env["VK_LOADER_DEBUG"] = level
			h := w.Start()
			h.OK("create_instance")
			finish(h)
			written := strings.Split(strings.TrimSpace(h.Stderr()), "\n")
			want(t, "lines", calls(w, "OutputDebugStringW"), written...)
			if len(written) < 1 || level == "all" && len(written) < 20 {
				t.Errorf("it says %q", written)
			}
		})
	}
}

// holds: WIN-012
func TestVariableThatIsNoASCII(t *testing.T) {
	w := newWorld(t)
	w.Driver("a").MoveManifest("Größe-日本-\U0001F30B/a.json")
	path := w.Path("Größe-日本-\U0001F30B/a.json")
	w.Env["VK_DRIVER_FILES"] = path
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance")
	finish(h)
	said(t, h, path, true)
}

// holds: WIN-029
//
// A display device is added while the list is read.
func TestDeviceListGrows(t *testing.T) {
	w := newWorld(t)
	first, second := w.Driver("first", "device name=first"), w.Driver("second", "device name=second")
	first.MoveManifest("first.json")
	second.MoveManifest("second.json")
	name := "VulkanDriverName"
	if world.Narrow() {
		name += "Wow"
	}
	devices := w.SystemFake(world.FakeDevices, "cfgmgr32.dll")
	devices.Script("device ROOT\\FIRST "+name+" "+first.ManifestPath, "device ROOT\\SECOND "+name+" "+second.ManifestPath)
	w.SystemFake(world.FakeDXGI, "dxgi.dll", "adapter 1")
	h := w.Start()
	h.OK("create_instance")
	if n := len(h.OK("physical_devices").Ints("devices")); n != 2 {
		t.Errorf("%d devices", n)
	}
	finish(h)
	var fits []string
	for _, read := range w.Log().Fn("CM_Get_Device_ID_ListW") {
		fits = append(fits, map[int64]string{0: "too short", 1: "read"}[read.Int("fits")])
	}
	if len(fits) < 2 || fits[0] != "too short" || fits[1] != "read" {
		t.Errorf("the list was %q", fits)
	}
}

// holds: WIN-079
//
// Programs on Windows open a file with a path of MAX_PATH or more characters only with a prefix.
func TestLongPath(t *testing.T) {
	for _, long := range []bool{true, false} {
		w := newLongWorld(t)
		directory := "d"
		if long {
			directory = filepath.Join(strings.Repeat("d", 120), strings.Repeat("e", 120))
		}
		path := w.Path(directory, "a.json")
		w.Driver("a").MoveManifest(path)
		w.Env["VK_DRIVER_FILES"] = path
		w.Setup("short_paths")
		h := w.Start()
		h.OK("create_instance")
		finish(h)
		tries := about(calls(w, "CreateFileW"), "a.json")
		wanted := 1
		if long {
			wanted = 2
		}
		if len(tries) < wanted || tries[0] != path || long && tries[1] != `\\?\`+path || !long && slices.Contains(tries, `\\?\`+path) {
			t.Errorf("long: %v: %q", long, tries)
		}
	}
}

// holds: WIN-079
//
// Long paths of a library, and the accesses to its file. Manifests name a library relative to their directory, with a ".", which is not
// allowed after the prefix.
func TestLongLibraryPath(t *testing.T) {
	for _, how := range []string{"by its path", "from the manifest's directory"} {
		t.Run(how, func(t *testing.T) {
			w := newLongWorld(t)
			driver := w.Driver("a", "device name=a")
			path := w.Path("lib", strings.Repeat("d", 120), strings.Repeat("e", 120), "a.so")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, end := range []string{"", ".script"} {
				if err := os.Rename(driver.Library+end, path+end); err != nil {
					t.Fatal(err)
				}
			}
			driver.Set("library_path", path)
			first := path
			if how != "by its path" {
				driver.MoveManifest(filepath.Join(filepath.Dir(path), "a.json")).Set("library_path", "./a.so")
				w.Env["VK_DRIVER_FILES"] = driver.ManifestPath
				first = filepath.Dir(path) + "/./a.so"
			}
			w.Setup("short_paths")
			w.Env["VK_LOADER_DEBUG"] = "all"
			h := w.Start()
			h.OK("create_instance")
			finish(h)
			want(t, "tries", about(calls(w, "LoadLibraryW"), "a.so"), first, `\\?\`+path)
			said(t, h, "was found to differ", false)
		})
	}
}

// holds: WIN-079
//
// Directories of manifests and the settings file are also found with the prefix.
func TestLongDirectory(t *testing.T) {
	w := newLongWorld(t)
	directory := w.Path(strings.Repeat("d", 120), strings.Repeat("e", 120), strings.Repeat("f", 60))
	w.Driver("a").MoveManifest(filepath.Join(directory, "a.json"))
	w.ExplicitLayer("VK_LAYER_other")
	w.Env["VK_DRIVER_FILES"] = directory
	settings := filepath.Join(directory, "vk_loader_settings.json")
	w.Write(strings.TrimPrefix(settings, w.Root+"/"), `{"file_format_version":"1.0.0","settings":{"stderr_log":["error","info"]}}`)
	w.Setup("machine", "LoaderSettings", settings)
	w.Setup("short_paths")
	h := w.Start()
	h.OK("create_instance")
	finish(h)
	said(t, h, "Using layer configurations found in loader settings from "+settings, true)
	for _, call := range []string{"FindFirstFileW", "GetFileAttributesW"} {
		tried := about(calls(w, call), "/ffff")
		if len(tried) < 2 || strings.HasPrefix(tried[0], `\\?\`) || tried[1] != `\\?\`+tried[0] {
			t.Errorf("%s: %q", call, tried)
		}
	}
}

func newLongWorld(t *testing.T) *world.World {
	t.Helper()
	if !world.Windows() {
		t.Skip("about Windows's own functions")
	}
	w := world.New(t)
	w.Calls()
	return w
}

// holds: LAY-8
//
// Windows has device names that look like file names, also with an extension. A device is no regular file: it is logged and skipped
// without a wait.
func TestDevicesInTheirPlace(t *testing.T) {
	w := newWorld(t)
	null := w.Path("nul.json")
	w.Env["VK_DRIVER_FILES"] = null + ":" + w.Driver("good").ManifestPath
	w.Env["VK_LAYER_PATH"] = null
	h := w.Start()
	h.OK("instance_layers")
	h.OK("create_instance")
	finish(h)
	if n := strings.Count(h.Stderr(), "loader_get_json: JSON file "+null+" is not a regular file"); n < 2 {
		t.Errorf("said %d times, and is named as a driver and as a layer\n%s", n, h.Stderr())
	}
}
