package wsi

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// query is a surface query: its arguments after the physical device and, if it has one, the queue family.
type query struct {
	name, output string
	arguments    func(pd string) []string // with every output NULL
}

func words4(list ...string) []string {
	var out []string
	for _, a := range list {
		out = append(out, "arg", a)
	}
	return out
}

var queries = []query{
	{"vkGetPhysicalDeviceSurfaceSupportKHR", "pSupported", func(pd string) []string { return words4(pd, "0", "s", "null") }},
	{"vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "pSurfaceCapabilities", func(pd string) []string { return words4(pd, "s", "null") }},
	{"vkGetPhysicalDeviceSurfaceFormatsKHR", "pSurfaceFormatCount", func(pd string) []string { return words4(pd, "s", "null", "null") }},
	{"vkGetPhysicalDeviceSurfacePresentModesKHR", "pPresentModeCount", func(pd string) []string { return words4(pd, "s", "null", "null") }},
}

// holds: WSI-024 WSI-037
func TestQueriesWithoutSurfaceExtension(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_get_surface_capabilities2")
	h := saying(w)
	h.OK("create_instance")
	pd := devices(h)["one"]
	var said []string
	for _, q := range []string{"vkGetPhysicalDeviceSurfaceSupportKHR", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "vkGetPhysicalDeviceSurfaceFormatsKHR",
		"vkGetPhysicalDeviceSurfacePresentModesKHR", "vkGetPhysicalDeviceSurfaceCapabilities2KHR", "vkGetPhysicalDeviceSurfaceFormats2KHR"} {
		// NULL outputs are not checked either.
		if r := h.Do("call", "name", q, "via", "export", "arg", pd, "arg", "0", "arg", "null", "arg", "null").Result(); r != success {
			t.Errorf("%s: result %d", q, r)
		}
		h.Do("memory", "as", "result", "size", "64", "u32@0", "77")
		h.Do("call", "name", q, "via", "export", "arg", pd, "arg", "0", "arg", "result", "arg", "result")
		if got := words(h.Do("peek", "ref", "result", "size", "4").Text("bytes"))[0]; got != 77 {
			t.Errorf("%s: the output became %d", q, got)
		}
		said = append(said, "VK_KHR_surface extension not enabled. "+q+" not executed!")
	}
	h.Do("destroy_instance")
	wantSaid(t, h.Quit(), said...)
	if calls := w.Log().Fn(said...); len(calls) != 0 {
		t.Errorf("the driver was called: %s", calls)
	}
}

// holds: WSI-025 WSI-030 WSI-032 WSI-034 WSI-037
func TestQueriesWithNullOutput(t *testing.T) {
	t.Parallel()
	for _, q := range queries {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one", "VK_KHR_xcb_surface").Script("missing " + q.name) // the output is checked first
			h := w.Start()
			instance(h, "ext", "VK_KHR_xcb_surface")
			pd := devices(h)["one"]
			xcb(h, "s")
			exit := h.Dies("call", append([]string{"name", q.name}, q.arguments(pd)...)...)
			wantAbort(t, exit, "NULL pointer passed into "+q.name+" for "+q.output+"!")
		})
	}
}

// holds: WSI-026 WSI-031 WSI-033 WSI-035 WSI-037
func TestDriverLacksTheQuery(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	// the function is checked before the surface
	one := driver(w, "one", "VK_KHR_xcb_surface").Script("missing vkCreateXcbSurfaceKHR")
	var said []string
	for _, q := range queries {
		one.Script("missing " + q.name)
		said = append(said, "ICD for selected physical device does not export "+q.name+"!")
	}
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["one"]
	xcb(h, "s")
	h.Do("memory", "as", "result", "size", "64", "u32@0", "77", "u32@48", "77", "u32@52", "78")
	for i, arguments := range [][]string{words4(pd, "0", "s", "result"), words4(pd, "s", "result"), words4(pd, "s", "result", "null"), words4(pd, "s", "result", "null")} {
		h.Do("memory", "as", "result", "u32@0", "77")
		if r := h.Do("call", append([]string{"name", queries[i].name}, arguments...)...).Result(); r != success {
			t.Errorf("%s: result %d", queries[i].name, r)
		}
		got := words(h.Do("peek", "ref", "result", "size", "56").Text("bytes"))
		if got[0] != 0 || got[13] != 78 || (i == 1 && got[12] != 0) {
			t.Errorf("%s: the output became %v", queries[i].name, got)
		}
	}
	wantSaid(t, h.Quit(), said...)
}

// holds: WSI-028 WSI-036 EXT-001
func TestQueriesReachTheDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := driver(w, "one", "VK_KHR_xcb_surface")
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)["one"]
	xcb(h, "s")
	a := h.OK("call", "name", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "arg", pd, "arg", "s", "arg", "out:52")
	if got := words(a.Strings("outs")[0]); got[0] != 2 || got[1] != 8 {
		t.Errorf("capabilities %v", got)
	}
	h.Do("memory", "as", "count", "size", "8", "u32@0", "1")
	a = h.Do("call", "name", "vkGetPhysicalDeviceSurfaceFormatsKHR", "arg", pd, "arg", "s", "arg", "count", "arg", "out:16")
	if a.Result() != incomplete || words(a.Strings("outs")[0])[0] != 44 {
		t.Errorf("formats: %v", a)
	}
	h.Do("memory", "as", "count", "u32@0", "4")
	a = h.OK("call", "name", "vkGetPhysicalDeviceSurfacePresentModesKHR", "arg", pd, "arg", "s", "arg", "count", "arg", "out:16")
	if got := words(a.Strings("outs")[0]); got[0] != 2 {
		t.Errorf("present modes %v", got)
	}
	for _, q := range queries {
		one.Script("result " + q.name + " -1000000000")
	}
	if _, r := support(h, pd, "s"); r != surfaceLost {
		t.Errorf("support: result %d", r)
	}
	if r := capabilities(h, pd, "s"); r != surfaceLost {
		t.Errorf("capabilities: result %d", r)
	}
	for _, q := range queries[2:] {
		if r := h.Do("call", "name", q.name, "arg", pd, "arg", "s", "arg", "count", "arg", "null").Result(); r != surfaceLost {
			t.Errorf("%s: result %d", q.name, r)
		}
	}
	wantSilence(t, h.Quit())
	for _, e := range w.Log() {
		if strings.HasPrefix(e.Text("fn"), "vkGetPhysicalDeviceSurface") && (e.Text("surface") != "surface:1" || e.Text("physical_device") != "physical_device:1") {
			t.Errorf("the driver saw %v", e)
		}
	}
}

// holds: WSI-038
func TestNullSurface(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface", "VK_KHR_get_surface_capabilities2", "VK_GOOGLE_surfaceless_query")
	h := w.Start()
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_get_surface_capabilities2", "ext", "VK_GOOGLE_surfaceless_query")
	pd := devices(h)["one"]
	xcb(h, "s")
	h.Do("memory", "as", "count", "size", "8")
	h.Do("memory", "as", "info", "size", "32", "u32@0", "1000119000")
	h.Do("memory", "as", "caps", "size", "72", "u32@0", "1000119001")
	h.OK("call", "name", "vkGetPhysicalDeviceSurfaceFormatsKHR", "arg", pd, "arg", "null", "arg", "count", "arg", "null")
	h.OK("call", "name", "vkGetPhysicalDeviceSurfacePresentModesKHR", "arg", pd, "arg", "null", "arg", "count", "arg", "null")
	h.OK("call", "name", "vkGetPhysicalDeviceSurfaceFormats2KHR", "arg", pd, "arg", "info", "arg", "count", "arg", "null")
	h.OK("call", "name", "vkGetPhysicalDeviceSurfaceCapabilities2KHR", "arg", pd, "arg", "info", "arg", "caps")
	h.Quit()
	n := 0
	for _, e := range w.Log() {
		if strings.HasPrefix(e.Text("fn"), "vkGetPhysicalDeviceSurface") {
			n++
			if !e.IsNull("surface") {
				t.Errorf("the driver saw %v", e)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d calls arrived", n)
	}
}

// holds: WSI-039
func TestPresentRectangles(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "has", "VK_KHR_xcb_surface").Script("return vkGetPhysicalDevicePresentRectanglesKHR 5")
	driver(w, "lacks", "VK_KHR_xcb_surface").Script("missing vkGetPhysicalDevicePresentRectanglesKHR")
	driver(w, "cannot").Script()
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface")
	pd := devices(h)
	xcb(h, "s")
	h.Do("memory", "as", "count", "size", "8", "u32@0", "77")
	call := func(name, count string) int {
		return h.Do("call", "name", "vkGetPhysicalDevicePresentRectanglesKHR", "arg", pd[name], "arg", "s", "arg", count, "arg", "zeros").Result()
	}
	if r := call("has", "count"); r != incomplete {
		t.Errorf("result %d", r)
	}
	if r := call("cannot", "count"); r != extensionNotPresent {
		t.Errorf("result %d", r)
	}
	if got := words(h.Do("peek", "ref", "count", "size", "4").Text("bytes"))[0]; got != 77 {
		t.Errorf("the count became %d", got)
	}
	if r := call("lacks", "count"); r != success {
		t.Errorf("result %d", r)
	}
	if got := words(h.Do("peek", "ref", "count", "size", "4").Text("bytes"))[0]; got != 0 {
		t.Errorf("the count became %d", got)
	}
	if r := call("lacks", "null"); r != success {
		t.Errorf("result %d", r)
	}
	exit := h.Quit()
	if n := count(exit.Messages(), "ICD associated with VkPhysicalDevice does not support GetPhysicalDevicePresentRectanglesKHX"); n != 2 {
		t.Errorf("said %d times\n%s", n, exit.Stderr)
	}
	if got := w.Log().Fn("vkGetPhysicalDevicePresentRectanglesKHR"); len(got) != 1 || !slices.Equal(got[0].Strings("args")[:2], []string{"physical_device:1", "surface:1"}) {
		t.Errorf("the drivers saw %s", got)
	}
}

// holds: WSI-040 WSI-041 WSI-042
func TestPresentationSupport(t *testing.T) {
	t.Parallel()
	for _, k := range windowKinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			name := "vkGetPhysicalDevice" + map[string]string{"xcb": "Xcb", "xlib": "Xlib", "wayland": "Wayland"}[k.name] + "PresentationSupportKHR"
			w := world.New(t)
			driver(w, "has", k.extension).Script("return "+name+" 1", "args "+name+" 4")
			driver(w, "lacks", k.extension).Script("missing " + name)
			h := saying(w)
			instance(h, "ext", k.extension)
			h.OK("create_instance", "as", "without", "ext", "VK_KHR_surface")
			pd := devices(h)
			call := func(pd string) int {
				return h.Do("call", "name", name, "via", "export", "arg", pd, "arg", "7", "arg", "null", "arg", "99").Result()
			}
			if call(pd["has"]) != 1 || call(pd["lacks"]) != 0 {
				t.Error("wrong answers")
			}
			other := world.Ref(h.OK("physical_devices", "instance", "without").Ints("devices")[0])
			if call(other) != 0 {
				t.Error("supported without the extension")
			}
			wantSaid(t, h.Quit(), "ICD for selected physical device does not export "+name+"!", k.extension+" extension not enabled. "+name+" not executed!")
			got := w.Log().Fn(name)
			want := []string{"physical_device:1", "7", "0", "99"}
			if k.name == "wayland" {
				want = want[:3]
			} else if world.Windows() {
				want = want[:2]
			}
			if len(got) != 1 || !slices.Equal(got[0].Strings("args")[:len(want)], want) {
				t.Errorf("the driver saw %s", got)
			}
		})
	}
}

const (
	info2, caps2, format2                          = "1000119000", "1000119001", "1000119002"
	protected, presentMode, scaling, compatibility = "1000239000", "1000274000", "1000274001", "1000274002"
	capabilities2, formats2                        = "vkGetPhysicalDeviceSurfaceCapabilities2KHR", "vkGetPhysicalDeviceSurfaceFormats2KHR"
)

// asked prepares the structures of the two ...2KHR queries: info (with the surface s and present mode 3), and caps with protected, scaling
// and compatibility structures, the latter with room for modes.
func asked(h *world.Host, mode bool, modes string) {
	next := "null"
	if mode {
		next = "mode"
	}
	h.Do("memory", "as", "mode", "size", "24", "u32@0", presentMode, "u32@16", "3")
	h.Do("memory", "as", "info", "size", "32", "u32@0", info2, "ptr@8", next, "ptr@16", "s")
	h.Do("memory", "as", "modes", "size", "16", "u32@0", "9", "u32@4", "9")
	h.Do("memory", "as", "compat", "size", "32", "u32@0", compatibility, "ptr@8", "null", "u32@16", "2", "ptr@24", modes)
	h.Do("memory", "as", "scale", "size", "48", "u32@0", scaling, "ptr@8", "compat", "u32@16", "9", "u32@20", "9", "u32@24", "9", "u32@28", "9", "u32@32", "9", "u32@36", "9", "u32@40", "9")
	h.Do("memory", "as", "prot", "size", "24", "u32@0", protected, "ptr@8", "scale", "u32@16", "1")
	h.Do("memory", "as", "caps", "size", "72", "u32@0", caps2, "ptr@8", "prot", "u32@16", "9", "u32@24", "9", "u32@32", "9", "u32@36", "9", "u32@40", "9", "u32@44", "9")
}

func at(h *world.Host, ref string, size int) []uint32 {
	return words(h.Do("peek", "ref", ref, "size", strconv.Itoa(size)).Text("bytes"))
}

// holds: WSI-044 WSI-047
func TestCapabilities2OfTheDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := driver(w, "one", "VK_KHR_xcb_surface", "VK_KHR_get_surface_capabilities2")
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_get_surface_capabilities2")
	pd := devices(h)["one"]
	xcb(h, "s")
	asked(h, true, "modes")
	h.OK("call", "name", capabilities2, "arg", pd, "arg", "info", "arg", "caps")
	if got := at(h, "caps", 72); got[4] != 3 {
		t.Errorf("capabilities %v", got)
	}
	if got := at(h, "prot", 24); got[4] != 0 {
		t.Errorf("supportsProtected is %d", got[4])
	}
	if got := at(h, "modes", 8); got[0] != 3 || got[1] != 9 {
		t.Errorf("modes %v", got)
	}
	if got := at(h, "compat", 32); got[4] != 1 {
		t.Errorf("%d modes", got[4])
	}
	if got := at(h, "scale", 48); !slices.Equal(got[4:11], []uint32{0, 0, 0, 7, 8, 900, 800}) {
		t.Errorf("scaling %v", got)
	}
	asked(h, true, "null")
	h.Do("memory", "as", "compat", "u32@16", "0")
	h.OK("call", "name", capabilities2, "arg", pd, "arg", "info", "arg", "caps")
	if got := at(h, "compat", 32); got[4] != 1 {
		t.Errorf("%d modes", got[4])
	}
	asked(h, true, "modes")
	h.Do("memory", "as", "compat", "u32@16", "0")
	h.OK("call", "name", capabilities2, "arg", pd, "arg", "info", "arg", "caps")
	if c, m := at(h, "compat", 32), at(h, "modes", 8); c[4] != 0 || m[0] != 9 {
		t.Errorf("no room, but %v %v", c, m)
	}
	asked(h, false, "modes") // no mode is queried: nothing is written
	h.OK("call", "name", capabilities2, "arg", pd, "arg", "info", "arg", "caps")
	if c, s := at(h, "compat", 32), at(h, "scale", 48); c[4] != 2 || !slices.Equal(s[4:11], []uint32{9, 9, 9, 9, 9, 9, 9}) {
		t.Errorf("written: %v %v", c, s)
	}
	one.Script("result " + capabilities2 + " -1000000000")
	if r := h.Do("call", "name", capabilities2, "arg", pd, "arg", "info", "arg", "caps").Result(); r != surfaceLost {
		t.Errorf("result %d", r)
	}
	if info := at(h, "info", 24); info[0] != 1000119000 {
		t.Errorf("the program's structure was changed: %v", info)
	}
	wantSilence(t, h.Quit())
	if got := surfaces(w.Log(), "one", capabilities2); !slices.Equal(got, []string{"surface:1", "surface:1", "surface:1", "surface:1", "surface:1"}) {
		t.Errorf("the driver was asked about %v", got)
	}
}

// holds: WSI-045 WSI-046 WSI-047
func TestCapabilities2Emulated(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	older := driver(w, "older", "VK_KHR_xcb_surface").Script("missing "+capabilities2, "log_lookups")
	neither := driver(w, "neither", "VK_KHR_xcb_surface").Script("missing "+capabilities2, "missing vkGetPhysicalDeviceSurfaceCapabilitiesKHR")
	h := saying(w)
	driver(w, "new", "VK_KHR_get_surface_capabilities2")
	h.Quit()
	h = saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_get_surface_capabilities2")
	pd := devices(h)
	xcb(h, "s")
	asked(h, true, "modes")
	h.OK("call", "name", capabilities2, "arg", pd["older"], "arg", "info", "arg", "caps")
	if got := at(h, "caps", 72); got[4] != 2 || got[5] != 8 {
		t.Errorf("capabilities %v", got)
	}
	if m, p, s := at(h, "modes", 8), at(h, "prot", 24), at(h, "scale", 48); m[0] != 3 || p[4] != 1 || !slices.Equal(s[4:11], []uint32{0, 0, 0, 1, 3, 4000, 3000}) {
		t.Errorf("modes %v, protected %v, scaling %v", m, p, s)
	}
	asked(h, true, "modes")
	h.OK("call", "name", capabilities2, "arg", pd["neither"], "arg", "info", "arg", "caps")
	if got := at(h, "caps", 68); !slices.Equal(got[4:17], make([]uint32, 13)) {
		t.Errorf("capabilities %v", got)
	}
	older.Script("result vkGetPhysicalDeviceSurfaceCapabilitiesKHR -1000000000")
	if r := h.Do("call", "name", capabilities2, "arg", pd["older"], "arg", "info", "arg", "caps").Result(); r != surfaceLost {
		t.Errorf("result %d", r)
	}
	exit := h.Quit()
	for _, f := range []*world.Fake{older, neither} {
		wantSaid(t, exit, capabilities2+`: Emulating call in ICD "`+f.Library+`" using vkGetPhysicalDeviceSurfaceCapabilitiesKHR`)
	}
	wantSilence(t, exit)
}

// holds: WSI-048 WSI-049
func TestMaintenanceOfOneDriver(t *testing.T) {
	t.Parallel()
	for _, extension := range []string{"VK_EXT_surface_maintenance1", "VK_KHR_surface_maintenance1"} {
		t.Run(extension, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "has", "VK_KHR_xcb_surface", "VK_KHR_get_surface_capabilities2", extension)
			driver(w, "lacks", "VK_KHR_xcb_surface", "VK_KHR_get_surface_capabilities2")
			h := w.Start()
			instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_get_surface_capabilities2", "ext", extension)
			pd := devices(h)
			xcb(h, "s")
			asked(h, true, "modes")
			h.OK("call", "name", capabilities2, "arg", pd["has"], "arg", "info", "arg", "caps")
			if m, c, s := at(h, "modes", 8), at(h, "compat", 32), at(h, "scale", 48); m[0] != 9 || c[4] != 2 || s[4] != 9 {
				t.Errorf("the loader wrote into the driver's structures: %v %v %v", m, c, s)
			}
			h.OK("call", "name", capabilities2, "arg", pd["lacks"], "arg", "info", "arg", "caps")
			if m, c, s := at(h, "modes", 8), at(h, "compat", 32), at(h, "scale", 48); m[0] != 3 || c[4] != 1 || s[4] != 0 {
				t.Errorf("not emulated: %v %v %v", m, c, s)
			}
			h.Quit()
		})
	}
}

// holds: WSI-050
func TestFormats2OfTheDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := driver(w, "one", "VK_KHR_xcb_surface", "VK_KHR_get_surface_capabilities2")
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_get_surface_capabilities2")
	pd := devices(h)["one"]
	xcb(h, "s")
	asked(h, true, "modes")
	h.Do("memory", "as", "count", "size", "8", "u32@0", "1")
	a := h.Do("call", "name", formats2, "arg", pd, "arg", "info", "arg", "count", "arg", "out:64")
	if a.Result() != incomplete || words(a.Strings("outs")[0])[4] != 44 {
		t.Errorf("formats %v", a)
	}
	one.Script("result " + formats2 + " -1000000000")
	if r := h.Do("call", "name", formats2, "arg", pd, "arg", "info", "arg", "count", "arg", "null").Result(); r != surfaceLost {
		t.Errorf("result %d", r)
	}
	wantSilence(t, h.Quit())
	if got := surfaces(w.Log(), "one", formats2); !slices.Equal(got, []string{"surface:1", "surface:1"}) {
		t.Errorf("the driver was asked about %v", got)
	}
}

// holds: WSI-051 WSI-052 WSI-053 WSI-054 WSI-055
func TestFormats2Emulated(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	older := driver(w, "older", "VK_KHR_xcb_surface", "VK_KHR_get_surface_capabilities2").Script("missing " + formats2)
	driver(w, "neither", "VK_KHR_xcb_surface").Script("missing vkGetPhysicalDeviceSurfaceFormatsKHR")
	driver(w, "cannot")
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_get_surface_capabilities2")
	pd := devices(h)
	xcb(h, "s")
	asked(h, false, "modes")
	h.Do("memory", "as", "count", "size", "8")
	set := func(n string) { h.Do("memory", "as", "count", "u32@0", n) }
	call := func(name, formats string) int {
		return h.Do("call", "name", formats2, "arg", pd[name], "arg", "info", "arg", "count", "arg", formats).Result()
	}
	if r := call("older", "null"); r != success || at(h, "count", 4)[0] != 2 {
		t.Errorf("result %d, count %d", r, at(h, "count", 4)[0])
	}
	h.Do("memory", "as", "formats", "size", "96", "u32@0", format2, "u32@24", format2, "ptr@32", "mode", "u32@48", format2, "ptr@56", "mode")
	set("0")
	if r := call("older", "formats"); r != success || at(h, "count", 4)[0] != 2 {
		t.Errorf("no room: result %d, count %d", r, at(h, "count", 4)[0])
	}
	set("3")
	if r := call("older", "formats"); r != success || at(h, "count", 4)[0] != 2 {
		t.Errorf("room for 3: result %d, count %d", r, at(h, "count", 4)[0])
	}
	if f := at(h, "formats", 96); f[4] != 44 || f[10] != 45 || f[16] != 0 {
		t.Errorf("formats %v", f)
	}
	for range 2 {
		set("1")
		if r := call("older", "formats"); r != incomplete || at(h, "count", 4)[0] != 1 {
			t.Errorf("room for 1: result %d, count %d", r, at(h, "count", 4)[0])
		}
	}
	asked(h, true, "modes")
	set("200") // more than fit on the loader's stack
	h.Do("memory", "as", "many", "size", "6400", "type@0", "VkSurfaceFormat2KHR")
	if r := call("older", "many"); r != success || at(h, "count", 4)[0] != 2 || at(h, "many+24", 24)[4] != 45 {
		t.Errorf("room for 200: result %d, count %d", r, at(h, "count", 4)[0])
	}
	older.Script("formats 150")
	set("200")
	if r := call("older", "many"); r != success || at(h, "count", 4)[0] != 150 || at(h, "many+3576", 24)[4] != 44+149 {
		t.Errorf("150 formats: result %d, count %d", r, at(h, "count", 4)[0])
	}
	set("7")
	if r := call("neither", "formats"); r != success || at(h, "count", 4)[0] != 0 {
		t.Errorf("neither: result %d, count %d", r, at(h, "count", 4)[0])
	}
	set("7")
	if r := call("cannot", "formats"); r != extensionNotPresent || at(h, "count", 4)[0] != 7 {
		t.Errorf("cannot: result %d, count %d", r, at(h, "count", 4)[0])
	}
	if r := h.Do("call", "name", capabilities2, "arg", pd["cannot"], "arg", "info", "arg", "caps").Result(); r != extensionNotPresent {
		t.Errorf("cannot: result %d", r)
	}
	older.Script("result vkGetPhysicalDeviceSurfaceFormatsKHR -1000000000")
	if r := call("older", "formats"); r != surfaceLost {
		t.Errorf("result %d", r)
	}
	exit := h.Quit()
	ignored := formats2 + ": Emulation found unrecognized structure type in "
	for text, want := range map[string]int{
		formats2 + `: Emulating call in ICD "` + older.Library + `" using vkGetPhysicalDeviceSurfaceFormatsKHR`: 8,
		ignored + "pSurfaceInfo->pNext - this struct will be ignored":                                           4,
		ignored + "pSurfaceFormats[0].pNext - this struct will be ignored":                                      0,
		ignored + "pSurfaceFormats[1].pNext - this struct will be ignored":                                      1,
		ignored + "pSurfaceFormats[2].pNext - this struct will be ignored":                                      0,
	} {
		if n := count(exit.Messages(), text); n != want {
			t.Errorf("said %d times, want %d: %s", n, want, text)
		}
	}
}

// holds: EXT-058 EXT-059 EXT-060 EXT-061 EXT-062
func TestCapabilities2EXT(t *testing.T) {
	t.Parallel()
	const name = "vkGetPhysicalDeviceSurfaceCapabilities2EXT"
	w := world.New(t)
	driver(w, "has", "VK_KHR_xcb_surface", "VK_EXT_display_surface_counter").Script("offer "+name, "return "+name+" -1000000000")
	lacks := driver(w, "lacks", "VK_KHR_xcb_surface").Script("missing " + name)
	driver(w, "cannot")
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_EXT_display_surface_counter")
	pd := devices(h)
	xcb(h, "s")
	call := func(pd, out string) int {
		return h.Do("call", "name", name, "instance", "i", "arg", pd, "arg", "s", "arg", out).Result()
	}
	prepare := func(next string) {
		h.Do("memory", "as", "result", "size", "72", "u32@0", "1000090000", "ptr@8", next, "u32@16", "9", "u32@68", "9")
	}
	prepare("null")
	if r := call(pd["has"], "result"); r != surfaceLost {
		t.Errorf("result %d", r)
	}
	if r := call(pd["cannot"], "result"); r != extensionNotPresent {
		t.Errorf("result %d", r)
	}
	if r, got := call(pd["lacks"], "result"), at(h, "result", 72); r != success || !slices.Equal(got[4:18], []uint32{2, 8, 640, 480, 1, 3, 4000, 3000, 5, 6, 2, 9, 31, 0}) {
		t.Errorf("result %d, %v", r, got)
	}
	prepare("zeros")
	for range 2 {
		if r := call(pd["lacks"], "result"); r != success {
			t.Errorf("result %d", r)
		}
	}
	lacks.Script("result vkGetPhysicalDeviceSurfaceCapabilitiesKHR -1000000000")
	prepare("zeros")
	if r, got := call(pd["lacks"], "result"), at(h, "result", 72); r != surfaceLost || got[4] != 9 || got[17] != 9 {
		t.Errorf("result %d, %v", r, got)
	}
	exit := h.Quit()
	if n := count(exit.Messages(), name+`: Emulating call in ICD "`+lacks.Library+`" using vkGetPhysicalDeviceSurfaceCapabilitiesKHR`); n != 4 {
		t.Errorf("said %d times\n%s", n, exit.Stderr)
	}
	if n := count(exit.Messages(), name+": Emulation found unrecognized structure type in pSurfaceCapabilities->pNext - this struct will be ignored"); n != 2 {
		t.Errorf("warned %d times\n%s", n, exit.Stderr)
	}
	if got := w.Log().Fn(name); len(got) != 1 || !slices.Equal(got[0].Strings("args")[:2], []string{"physical_device:1", "surface:1"}) {
		t.Errorf("the driver saw %s", got)
	}
}
