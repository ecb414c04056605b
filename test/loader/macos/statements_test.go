package macos

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// metalSurface is the name that a world uses for the extension of Metal's surfaces (test/lib/world/macos.go).
const metalSurface = "VK_KHR_xcb_surface"

const portability = "VK_KHR_portability_enumeration"

// A program gets a portability driver only with the extension and the flag. If there is no other driver, the line about the failure
// names the missing one.
//
// holds: MAC-017 MAC-018
func TestPortabilityDrivers(t *testing.T) {
	t.Parallel()
	running(t)
	const found = "but the instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must set the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
	const flagAlone = "the list of enabled extensions in ppEnabledExtensionNames must contain " + portability
	for name, c := range map[string]struct {
		other bool // a driver that is not a portability driver
		words []string
		names []string
		line  string
	}{
		"neither":                {false, nil, nil, found + " and enable the " + portability + " instance extension."},
		"extension":              {false, []string{"ext", portability}, nil, found + "."},
		"flag":                   {false, []string{"flags", "1"}, nil, flagAlone},
		"both":                   {false, []string{"flags", "1", "ext", portability}, []string{"molten"}, ""},
		"neither, other drivers": {true, nil, []string{"other"}, ""},
		"both, other drivers":    {true, []string{"flags", "1", "ext", portability}, []string{"other", "molten"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t, app)
			tr.w.Env["VK_LOADER_DEBUG"] = "error"
			tr.driver("molten", resources+"/vulkan", "is_portability_driver", true)
			if c.other {
				tr.driver("other", "/etc/vulkan")
			}
			h := tr.w.StartProgram(tr.w.CopyHost(tr.w.SystemPath(tr.program)), tr.w.Loader)
			created := h.Do("create_instance", append([]string{"api", "1.1.0"}, c.words...)...)
			var names []string
			if created.Result() == 0 {
				for _, pd := range h.OK("physical_devices").Ints("devices") {
					names = append(names, h.Do("properties", "pd", world.Ref(pd)).Text("name"))
				}
			}
			if !slices.Equal(names, c.names) || c.names == nil && created.Result() != -9 {
				t.Errorf("result %d, devices %v, want %v", created.Result(), names, c.names)
			}
			said := strings.Join(h.Messages(), "\n")
			if c.line != "" && !strings.Contains(said, c.line) || c.line == "" && strings.Contains(said, "portability") {
				t.Errorf("the loader said %q, want %q", said, c.line)
			}
			h.Quit()
		})
	}
}

// Before an instance, the extensions of portability drivers are listed, and the version is the loader's.
//
// holds: MAC-019
func TestPortabilityDriversBeforeInstances(t *testing.T) {
	t.Parallel()
	running(t)
	tr := newTree(t, app)
	f := tr.w.DriverKind(world.Modern, "molten", "ext "+metalSurface+" 1", "device name=molten")
	f.Set("is_portability_driver", true)
	tr.place(f, resources+"/vulkan/icd.d")
	h := tr.w.StartProgram(tr.w.CopyHost(tr.w.SystemPath(tr.program)), tr.w.Loader)
	if list := h.OK("instance_extensions").Strings("extensions"); !slices.Contains(list, metalSurface) {
		t.Errorf("extensions %v", list)
	}
	if version := h.OK("instance_version").Int("version"); version>>22 != 1 || version>>12&0x3ff != 4 {
		t.Errorf("version %#x", version)
	}
	h.Quit()
}

// A relative path with a slash in a bundle's manifest begins at the manifest, so it reaches the frameworks of the bundle.
//
// holds: MAC-014
func TestLibraryInFrameworks(t *testing.T) {
	t.Parallel()
	running(t)
	tr := newTree(t, app)
	f := tr.w.DriverKind(world.Modern, "bundled", "device name=bundled")
	frameworks := tr.w.SystemPath("/Applications/X.app/Contents/Frameworks")
	if err := os.MkdirAll(filepath.Dir(frameworks), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(f.Library), frameworks); err != nil {
		t.Fatal(err)
	}
	f.Set("library_path", "../../../Frameworks/"+filepath.Base(f.Library))
	f.MoveManifest(filepath.Join(tr.w.SystemPath(resources+"/vulkan/icd.d"), "bundled.json"))
	if _, devices := tr.byLibrary(); !slices.Equal(devices, []string{"bundled"}) {
		t.Errorf("devices %v", devices)
	}
}

// If the program passes a driver with exclusive mode, the bundle is not searched; otherwise it is.
//
// holds: MAC-012
func TestDirectDriverAndBundle(t *testing.T) {
	t.Parallel()
	running(t)
	for mode, want := range map[string][]string{"exclusive": {"direct"}, "inclusive": {"bundled", "direct"}} {
		tr := newTree(t, app)
		tr.driver("bundled", resources+"/vulkan")
		direct := tr.w.DirectDriver("direct", "interface 0 7", "device name=direct", "api 1.1.0")
		h := tr.w.StartProgram(tr.w.CopyHost(tr.w.SystemPath(tr.program)), tr.w.Loader)
		h.OK("create_instance", "api", "1.1.0", "direct", direct.Library, "direct_mode", mode, "ext", "VK_LUNARG_direct_driver_loading")
		var names []string
		for _, pd := range h.OK("physical_devices").Ints("devices") {
			names = append(names, h.Do("properties", "pd", world.Ref(pd)).Text("name"))
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("%s: devices %v, want %v", mode, names, want)
		}
		h.Quit()
	}
}

// Both kinds of macOS surfaces reach a driver that supports them: the driver gets the structure and creates its own surface. Neither is
// available without its extension, and that of iOS never is.
//
// holds: MAC-020
func TestSurfaces(t *testing.T) {
	t.Parallel()
	running(t)
	for _, c := range []struct {
		kind, extension, create string
		sType                   int64
	}{
		{"metal", metalSurface, "vkCreateXcbSurfaceKHR", 1000005000},
		{"macos", "VK_MVK_macos_surface", "vkCreateMacOSSurfaceMVK", 1000123000},
	} {
		w := world.New(t)
		w.Driver("one", "device name=one type=discrete ext=VK_KHR_swapchain:70", "ext VK_KHR_surface 1", "ext "+c.extension+" 1").API("1.1.0")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0", "ext", "VK_KHR_surface", "as", "plain")
		if h.Do("gipa", "instance", "plain", "name", c.create).Int("ptr") != 0 {
			t.Errorf("%s is there without %s", c.create, c.extension)
		}
		h.OK("create_instance", "api", "1.1.0", "ext", "VK_KHR_surface", "ext", c.extension)
		if h.Do("gipa", "instance", "i", "name", "vkCreateIOSSurfaceMVK").Int("ptr") != 0 {
			t.Error("vkCreateIOSSurfaceMVK is there")
		}
		h.OK("create_surface", "type", c.kind, "connection", "0x1234")
		pd := h.OK("physical_devices").Ints("devices")[0]
		a := h.Do("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(pd), "arg", "0", "arg", "s", "arg", "out:4")
		if a.Result() != 0 {
			t.Errorf("%s: support gives %d", c.kind, a.Result())
		}
		h.Do("destroy_surface", "name", "s")
		h.Quit()
		made, ended := w.Log().Fn(c.create), w.Log().Fn("vkDestroySurfaceKHR")
		layer := make([]byte, 8)
		world.Order().PutUint64(layer, 0x1234)
		if len(made) != 1 || made[0].Int("type") != c.sType || !strings.Contains(made[0].Text("bytes"), hex.EncodeToString(layer)) || len(ended) != 1 {
			t.Errorf("%s: the driver got %v, then %v", c.kind, made, ended)
		}
	}
}
