package drivers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

const properties2 = "VK_KHR_get_physical_device_properties2"

// holds: INS-058 INS-059 INS-060 INS-055
func TestDriversReceiveWhatTheyList(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("all", "device name=all", "ext VK_KHR_xcb_surface 6", "ext VK_EXT_debug_utils 2", "ext VK_KHR_surface 25")
	w.Driver("some", "device name=some", "ext VK_KHR_surface 25", "ext VK_KHR_display 23")
	w.Driver("none")
	w.ExplicitLayer("VK_LAYER_it")
	l := live(t, w, "layer", "VK_LAYER_it", "ext", "VK_KHR_surface", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report", "ext", "VK_KHR_xcb_surface")
	l.wants(t, success, "none", "some", "all")
	made := drivers(l.log).Fn("vkCreateInstance")
	same(t, "created", made.Who(), []string{"all", "some", "none"})
	for i, want := range [][]string{{"VK_KHR_surface", "VK_EXT_debug_utils", "VK_KHR_xcb_surface"}, {"VK_KHR_surface"}, {}} {
		same(t, made[i].Text("who"), made[i].Strings("extensions"), want)
		if made[i].Int("layer_count") != 0 || !made[i].IsNull("layer_names") {
			t.Errorf("%s received layers", made[i].Text("who"))
		}
	}
}

// The drivers receive the additions that a layer passes down.
//
// holds: INS-060 INS-072 INS-062
func TestDriversReceiveWhatTheBottomLayerPasses(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it", "device name=it", "ext VK_KHR_surface 25", "ext "+properties2+" 2").API("1.1.0")
	w.ExplicitLayer("VK_LAYER_it", "add_ext VK_KHR_surface", "add_ext VK_KHR_display", "change_api 1.1.9")
	l := live(t, w, "layer", "VK_LAYER_it", "ext", "VK_EXT_debug_utils")
	l.wants(t, success, "it")
	made := drivers(l.log).Fn("vkCreateInstance")[0]
	same(t, "extensions", made.Strings("extensions"), []string{"VK_KHR_surface"}) // 1.1 now: nothing is appended
	if got := made.Object("app").Int("api"); got != apiWord(1, 1, 9) {
		t.Errorf("the driver saw apiVersion %#x", got)
	}
}

// The instance's API version is the one that layers pass down. It decides about sorting, and about the extension
// added for 1.0.
//
// holds: INS-072
func TestLayerThatChangesApiVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, changed, order string }{{"1.0.0", "1.1.0", "big small"}, {"1.1.0", "1.0.0", "small big"}, {"1.0.0", "1.2.3", "big small"}} {
		t.Run(c.asked+" to "+c.changed, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("it", "device name=small type=cpu", "device name=big type=discrete").API("1.1.0")
			w.ExplicitLayer("VK_LAYER_it", "change_api "+c.changed)
			if world.Windows() || world.MacOS() { // they do not sort them by type
				c.order = "small big"
			}
			live(t, w, "layer", "VK_LAYER_it", "api", c.asked).wants(t, success, strings.Fields(c.order)...)
		})
	}
}

// The version of a manifest without a valid number is 0.0.0, not 1.0; 0.9 and 2.0 are not 1.0 either (ENV-80).
//
// holds: INS-061 INS-062 ENV-80
func TestProperties2IsAdded(t *testing.T) {
	t.Parallel()
	cases := []struct {
		instance, driver string
		lists            bool
		words            []string
		want             []string
	}{
		{"1.0.0", "1.0.0", true, nil, []string{properties2}},
		{"1.0.0", "1.1.0", true, nil, []string{properties2}},
		{"1.1.0", "1.0.0", true, nil, []string{properties2}},
		{"0", "1.3.0", true, nil, []string{properties2}},
		{"1.0.0", "1.0.0", true, []string{"ext", "VK_KHR_surface"}, []string{"VK_KHR_surface", properties2}},
		{"1.1.0", "1.1.0", true, nil, []string{}},
		{"1.3.0", "1.2.0", true, nil, []string{}},
		{"1.3.0", "1.2.0", true, []string{"ext", properties2}, []string{properties2}},
		{"1.0.0", "1.0.0", false, nil, []string{}},
		{"1.1.0", "1.0.0", false, []string{"ext", properties2}, []string{}},
		{"1.1.0", "", true, nil, []string{}},
		{"1.1.0", "abc", true, nil, []string{}},
		{"1.1.0", "0.9.0", true, nil, []string{}},
		{"1.1.0", "2.0.0", true, nil, []string{}},
		{"1.0.0", "", true, nil, []string{properties2}},
		{"0.9.0", "1.1.0", true, nil, []string{}},
		{"2.0.0", "1.1.0", true, nil, []string{}},
		{"2.0.0", "1.0.0", true, nil, []string{properties2}},
	}
	for i, c := range cases {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			f := w.Driver("it", "device name=it", "ext VK_KHR_surface 25").API(c.driver)
			if c.lists {
				f.Script("ext " + properties2 + " 2")
			}
			w.Driver("other", "ext "+properties2+" 2", "device name=other").API("1.1.0")
			l := live(t, w, slices.Concat([]string{"api", c.instance}, c.words)...)
			same(t, "extensions", l.log.By("it").Fn("vkCreateInstance")[0].Strings("extensions"), c.want)
		})
	}
	t.Run("both ask", func(t *testing.T) { // whether the list has it twice is unspecified
		t.Parallel()
		w := loud(t)
		w.Driver("it", "device name=it", "ext "+properties2+" 2")
		l := live(t, w, "ext", properties2)
		got := slices.Compact(l.log.Fn("vkCreateInstance")[0].Strings("extensions"))
		same(t, "extensions", got, []string{properties2})
	})
}

// holds: INS-063
func TestChainOfTheProgramReachesDrivers(t *testing.T) {
	t.Parallel()
	const loaderInfo, utils, report = 47, 1000128004, 1000011000
	w := loud(t)
	w.Driver("one")
	w.Driver("two")
	w.ExplicitLayer("VK_LAYER_it")
	for _, layer := range [][]string{nil, {"layer", "VK_LAYER_it"}} {
		w.ForgetLog()
		h := w.Start()
		h.Do("memory", "as", "last", "size", "32", "u32@0", "1999999999")
		h.Do("memory", "as", "first", "size", "32", "u32@0", "1888888888", "ptr@8", "last")
		h.OK("create_instance", slices.Concat(layer, []string{"ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report", "report", "r", "messenger", "m", "next", "first"})...)
		h.Quit()
		for _, made := range drivers(w.Log()).Fn("vkCreateInstance") {
			chain := made.Ints("next")
			for len(chain) > 0 && chain[0] == loaderInfo {
				chain = chain[1:]
			}
			if !slices.Equal(chain, []int{report, utils, 1888888888, 1999999999}) {
				t.Errorf("%s saw the chain %v", made.Text("who"), made.Ints("next"))
			}
		}
	}
}

// Versions are compared as a whole (ENV-80): 2.0 is above 1.1 although its minor number is 0; 0.9 is below.
//
// holds: INS-064 INS-065 INS-066 INS-067 INS-068 INS-069 INS-070 INS-071
func TestVersionsThatDriversSee(t *testing.T) {
	t.Parallel()
	const treated = "[WARN|DRIVER] terminator_CreateInstance: Manifest ICD for \"LIB\" contained a 1.1 or greater API version, but "
	const zero = treated + "vkEnumerateInstanceVersion returned 1.0, treating as a 1.0 ICD"
	const absent = treated + "does not support vkEnumerateInstanceVersion, treating as a 1.0 ICD"
	const fails = "[DEBUG|DRIVER] terminator_CreateInstance: ICD \"LIB\" vkEnumerateInstanceVersion returned error. The ICD will be treated as a 1.0 ICD"
	type script = []string
	cases := []struct {
		name, manifest string
		script         script
		asked          string // "": no application info
		want           int64  // -1: no application info arrives
		say            string
		called         bool
	}{
		{"a 1.0 driver", "1.0.111", script{"api 1.0.111"}, "1.2.3", apiWord(1, 0, 0), "", false},
		{"below 1.0", "0.9", nil, "1.1.0", apiWord(1, 0, 0), "", false},
		{"a 1.0 manifest of a newer driver", "1.0.0", script{"api 1.3.0"}, "1.2.3", apiWord(1, 0, 0), "", false},
		{"a newer driver", "1.2.0", script{"api 1.2.0"}, "1.3.7", apiWord(1, 3, 7), "", true},
		{"a much newer driver", "9.0.0", script{"api 1.2.0"}, "1.3.7", apiWord(1, 3, 7), "", true},
		{"a newer driver and 1.0", "1.2.0", script{"api 1.2.0"}, "1.0.9", apiWord(1, 0, 9), "", true},
		{"the driver says 1.0", "1.1.0", script{"api 1.0.7", "offer vkEnumerateInstanceVersion"}, "1.1.5", apiWord(1, 0, 7), zero, true},
		{"the driver says 2.0", "1.1.0", script{"api 2.0.9", "offer vkEnumerateInstanceVersion"}, "1.1.5", apiWord(1, 1, 5), "", true},
		{"the driver says 0.9", "1.1.0", script{"api 0.9.4", "offer vkEnumerateInstanceVersion"}, "1.1.5", apiWord(1, 0, 0), zero, true},
		{"a driver of 2.0", "2.0.0", script{"api 2.0.0", "offer vkEnumerateInstanceVersion"}, "1.1.5", apiWord(1, 1, 5), "", true},
		{"the driver cannot say", "1.1.0", script{"api 1.0.7"}, "1.1.5", apiWord(1, 0, 0), absent, false},
		{"the driver fails to say", "1.3.0", script{"api 1.3.0", "result vkEnumerateInstanceVersion -1"}, "1.1.5", apiWord(1, 0, 0), fails, true},
		{"0 is passed on", "1.0.0", nil, "0", 0, "", false},
		{"0 is passed on to newer ones", "1.3.0", script{"api 1.3.0"}, "0", 0, "", true},
		{"no info", "1.3.0", script{"api 1.3.0"}, "", -1, "", true},
		{"no info for a 1.0 driver", "1.0.0", nil, "", apiWord(1, 0, 0), "", false},
		{"no info for one that says 1.0", "1.1.0", script{"api 1.0.66", "offer vkEnumerateInstanceVersion"}, "", apiWord(1, 0, 66), zero, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			f := w.Driver("it", slices.Concat(c.script, script{"log_lookups vkEnumerateInstanceVersion", "device name=it"})...).Set("api_version", c.manifest)
			words := []string{"api", c.asked, "app_name", "MyApp", "app_version", "42", "engine_name", "MyEngine", "engine_version", "7"}
			if c.asked == "" {
				words = []string{"app", "0"}
			}
			l := live(t, w, words...)
			l.wants(t, success, "it")
			if c.say != "" {
				says(t, l.exit, strings.ReplaceAll(c.say, "LIB", f.Library))
			} else {
				quietAbout(t, l.exit, "1.0 ICD")
			}
			if called := len(l.log.Fn("vkEnumerateInstanceVersion")) > 0; called != c.called {
				t.Errorf("the driver was asked for its version: %v", called)
			}
			manifest10 := strings.HasPrefix(c.manifest, "1.0") || strings.HasPrefix(c.manifest, "0.")
			for _, asked := range l.log.Fn("vk_icdGetInstanceProcAddr") {
				if asked.IsNull("handle") && manifest10 {
					t.Error("vkEnumerateInstanceVersion was looked up")
				}
			}
			made := l.log.Fn("vkCreateInstance")[0]
			app := made.Object("app")
			switch {
			case c.want < 0:
				if !made.IsNull("app") {
					t.Errorf("the driver saw %v", app)
				}
			case app.Int("api") != c.want:
				t.Errorf("the driver saw apiVersion %#x, want %#x", app.Int("api"), c.want)
			case c.asked == "":
				if !app.IsNull("name") || !app.IsNull("engine") || app.Int("version") != 0 || app.Int("engine_version") != 0 || app.Int("type") != 0 {
					t.Errorf("the driver saw %v", app)
				}
			case app.Text("name") != "MyApp" || app.Text("engine") != "MyEngine" || app.Int("version") != 42 || app.Int("engine_version") != 7:
				t.Errorf("the driver saw %v", app)
			}
		})
	}
}

// holds: INS-074 INS-075 INS-076 INS-077 INS-085
func TestDriversThatFail(t *testing.T) {
	t.Parallel()
	for _, code := range []int{-1, -2, -3, -6, -7, -9, -1000000000, 1, 5, 1000001003} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("first")
			bad := w.Driver("bad", "device name=bad", fmt.Sprintf("result vkCreateInstance %d", code))
			w.Driver("last")
			h := w.Start()
			a := h.Do("create_instance")
			if code == outOfMemory {
				exit := h.Quit()
				if a.Result() != outOfMemory || a.Int("written") != 0 {
					t.Errorf("result %d, written %d", a.Result(), a.Int("written"))
				}
				same(t, "seen", w.Log().Fn("vkCreateInstance", "vkDestroyInstance").Names(), []string{"first vkCreateInstance", "bad vkCreateInstance", "first vkDestroyInstance"})
				quietAbout(t, exit, "Received return code")
				return
			}
			if a.Result() != success {
				t.Fatalf("result %d", a.Result())
			}
			if mapped := h.Do("maps", "match", bad.Library).Strings("maps"); len(mapped) != 1 {
				t.Error("the library of the skipped driver is closed")
			}
			same(t, "devices", deviceNames(h, "i"), []string{"last", "first"})
			if mapped := h.Do("maps", "match", bad.Library).Strings("maps"); len(mapped) != 1 {
				t.Error("the library of the skipped driver is closed")
			}
			h.Do("destroy_instance")
			if mapped := h.Do("maps", "match", bad.Library).Strings("maps"); len(mapped) != 0 {
				t.Error("the library of the skipped driver is still open")
			}
			exit := h.Quit()
			says(t, exit, fmt.Sprintf("[WARN] terminator_CreateInstance: Received return code %d from call to vkCreateInstance in ICD %s. Skipping this driver.", code, bad.Library))
			same(t, "destroyed", w.Log().Fn("vkDestroyInstance").Who(), []string{"last", "first"})

			w = loud(t)
			w.Driver("bad", fmt.Sprintf("result vkCreateInstance %d", code))
			l := live(t, w)
			if code > 0 { // INS-076: it is passed on if no driver is left
				l.wants(t, code)
			} else {
				l.wants(t, incompatibleDriver)
			}
			says(t, l.exit, "[ERROR|DRIVER] terminator_CreateInstance: Found no drivers!")
			quietAbout(t, l.exit, "vkCreateInstance: Found no drivers!")
		})
	}
}

// holds: INS-078 INS-026 INS-085 ALC-011 ALC-012
func TestLayerThatFailsOnTheWayBack(t *testing.T) {
	t.Parallel()
	for _, code := range []int{-1, -3, -8} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("one")
			w.Driver("two")
			w.ExplicitLayer("VK_LAYER_outer")
			w.ExplicitLayer("VK_LAYER_it", fmt.Sprintf("error vkCreateInstance %d after", code))
			h := w.Start()
			h.Do("allocator")
			a := h.Do("create_instance", "layer", "VK_LAYER_outer", "layer", "VK_LAYER_it", "allocator", "a")
			if a.Result() != code || a.Int("written") != 0 {
				t.Errorf("%v", a)
			}
			h.Quit()
			seen := drivers(w.Log()).Fn("vkCreateInstance", "vkDestroyInstance")
			same(t, "drivers", seen.Names(), []string{"one vkCreateInstance", "two vkCreateInstance", "two vkDestroyInstance", "one vkDestroyInstance"})
			for _, e := range seen {
				if e.Int("allocator_good") != 1 { // the one given, or a copy of it (PHY-051)
					t.Errorf("%v has another allocator than the program's", e)
				}
			}
		})
	}
}

// A layer does not pass vkDestroyInstance down: the drivers' instances are destroyed all the same, with the call's
// allocator.
//
// holds: INS-085 ALC-012
func TestLayerThatKeepsTheInstance(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "use_allocator")
	w.ExplicitLayer("VK_LAYER_it", "leak_instance")
	h := w.Start()
	h.Do("allocator")
	h.Do("allocator", "as", "b")
	h.OK("create_instance", "layer", "VK_LAYER_it", "allocator", "a")
	h.Do("destroy_instance", "allocator", "b")
	if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
		t.Errorf("left: %v", a)
	}
	h.Quit()
	made, gone := w.Log().By("one").Fn("vkCreateInstance"), w.Log().By("one").Fn("vkDestroyInstance")
	if len(made) != 1 || len(gone) != 1 || gone[0].Int("allocator_good") != 1 || gone[0].Text("allocator") == made[0].Text("allocator") {
		t.Errorf("the driver saw %s%s", made, gone)
	}
}

// holds: INS-079 INS-080 WIN-091
func TestLayersThatDamageTheHandle(t *testing.T) {
	t.Parallel()
	cases := []struct{ how, want string }{
		{"null", `^\[ERROR\] terminator_CreateInstance: Loader instance pointer null encountered\.  Possibly set by active layer\. \(Policy #LLP_LAYER_21\)$`},
		{"zero", `^\[ERROR\] terminator_CreateInstance: Instance pointer \((?:0x[0-9a-f]+|[0-9A-F]{8}|[0-9A-F]{16})\) has invalid MAGIC value 0x00000000\. Instance value possibly corrupted by active layer \(Policy #LLP_LAYER_21\)\.  $`},
		{"other", `^\[ERROR\] terminator_CreateInstance: Instance pointer \((?:0x[0-9a-f]+|[0-9A-F]{8}|[0-9A-F]{16})\) has invalid MAGIC value 0x[0-9a-fA-F]{8,}\. Instance value possibly corrupted by active layer \(Policy #LLP_LAYER_21\)\.  $`},
	}
	for _, c := range cases {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			w := world.New(t) // logged although no messages are requested
			w.Driver("it")
			w.ExplicitLayer("VK_LAYER_it", "corrupt instance "+c.how)
			exit := w.Start().Dies("create_instance", "layer", "VK_LAYER_it")
			if exit.Signal != syscall.SIGABRT {
				t.Errorf("ended by %v, code %d", exit.Signal, exit.Code)
			}
			lines := spoken(exit.Stderr)
			if len(lines) != 1 || !regexp.MustCompile(c.want).MatchString(lines[0]) {
				t.Errorf("the loader said %q", lines)
			}
			if made := drivers(w.Log()).Fn("vkCreateInstance"); len(made) != 0 {
				t.Error("the driver was asked")
			}
		})
	}
}
