package drivers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	direct     = "VK_LUNARG_direct_driver_loading"
	scanDirect = "loader_scan_for_direct_drivers: The "
	addDirect  = "loader_add_direct_driver: "
)

// added checks the message of a listed driver that is used, with any pointer.
func added(t *testing.T, l life, index int, want bool) {
	t.Helper()
	pattern := fmt.Sprintf(`(?m)^\[INFO\|DRIVER\] loader_add_direct_driver: Adding driver found in index %d of VkDirectDriverLoadingListLUNARG::pDrivers structure\. pfnGetInstanceProcAddr was set to (?:0x)?[0-9a-fA-F]+$`, index)
	if regexp.MustCompile(pattern).MatchString(strings.Join(spoken(l.exit.Stderr), "\n")) != want {
		t.Errorf("adding driver %d was said: %v", index, !want)
	}
}

// holds: DRV-081 DRV-082 DRV-083 DRV-084 DRV-087 DRV-096 DRV-097 DRV-100
func TestListedDriversBesideOthers(t *testing.T) {
	t.Parallel()
	const noList = "[WARN|DRIVER] " + scanDirect + "VK_LUNARG_direct_driver_loading extension was enabled but the pNext chain of VkInstanceCreateInfo did not contain the VkDirectDriverLoadingListLUNARG structure."
	const noExtension = "[WARN|DRIVER] " + scanDirect + "pNext chain of VkInstanceCreateInfo contained the VkDirectDriverLoadingListLUNARG structure, but the VK_LUNARG_direct_driver_loading extension was not enabled."
	cases := []struct {
		name    string
		words   []string
		created []string
		say     []string
		direct  bool
	}{
		{"inclusive", []string{"ext", direct, "direct_mode", "inclusive"}, []string{"d0", "d1", "n0", "n1"}, nil, true},
		{"after other structures", []string{"ext", direct, "ext", "VK_EXT_debug_utils", "messenger", "m", "report", "r"}, []string{"d0", "d1", "n0", "n1"}, nil, true},
		{"exclusive", []string{"ext", direct, "direct_mode", "exclusive"}, []string{"d0", "d1"}, nil, true},
		{"not enabled", []string{"ext", "VK_EXT_debug_utils"}, []string{"n0", "n1"}, []string{noExtension}, false},
		{"not enabled, exclusive", []string{"direct_mode", "exclusive"}, []string{"n0", "n1"}, []string{noExtension}, false},
		{"no list", []string{"ext", direct, "-", "-"}, []string{"n0", "n1"}, []string{noList}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("n0")
			w.Driver("n1")
			words := c.words
			if at := slices.Index(words, "-"); at >= 0 {
				words = words[:at]
			} else {
				words = slices.Concat(words, []string{"direct", w.DirectDriver("d0", "device name=d0", "api 1.1.0").Library, "direct", w.DirectDriver("d1", "device name=d1", "api 1.1.0").Library})
			}
			l := live(t, w, words...)
			same(t, "created", l.created, c.created)
			want := slices.Clone(c.created)
			slices.Reverse(want)
			l.wants(t, success, want...)
			says(t, l.exit, c.say...)
			added(t, l, 0, c.direct)
			added(t, l, 1, c.direct)
			if len(c.say) == 0 {
				quietAbout(t, l.exit, noList[7:], noExtension[7:])
			}
		})
	}
}

// holds: DRV-083 DRV-085 DRV-086
func TestOnlyListedDrivers(t *testing.T) {
	t.Parallel()
	const only = "[INFO|DRIVER] " + scanDirect + "VK_LUNARG_direct_driver_loading extension is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and environment variable driver search mechanisms."
	const isNull = "[WARN|DRIVER] " + scanDirect + "VkDirectDriverLoadingListLUNARG structure in the pNext chain of VkInstanceCreateInfo has a NULL pDrivers member."
	const isEmpty = "[WARN|DRIVER] " + scanDirect + "VkDirectDriverLoadingListLUNARG structure in the pNext chain of VkInstanceCreateInfo has a non-null pDrivers member but a driverCount member with a value of zero."
	// holds: DRV-088 DRV-089
	cases := []struct {
		name   string
		words  []string
		mode   string
		listed bool
		result int
		say    []string
	}{
		{"one", []string{}, "exclusive", true, success, []string{only}},
		{"NULL array", []string{"direct_null", "1"}, "exclusive", true, incompatibleDriver, []string{only, isNull}},
		{"NULL array and no count", []string{"direct_null", "1", "direct_count", "0"}, "exclusive", true, incompatibleDriver, []string{only, isNull}},
		{"no count", []string{"direct_count", "0"}, "exclusive", true, incompatibleDriver, []string{only, isEmpty}},
		{"rejected", []string{"direct", "null"}, "exclusive", false, incompatibleDriver, []string{only}},
		{"beside others: NULL array", []string{"direct_null", "1"}, "inclusive", true, success, []string{isNull}},
		{"beside others: no count", []string{"direct_count", "0"}, "inclusive", true, success, []string{isEmpty}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("normal")
			w.Driver("system").MoveManifest("system/etc/vulkan/icd.d")
			w.Accesses()
			words := slices.Concat(c.words, []string{"ext", direct, "direct_mode", c.mode})
			if c.listed {
				words = append(words, "direct", w.DirectDriver("listed", "device name=listed", "api 1.1.0").Library)
			}
			l := live(t, w, words...)
			switch {
			case c.result != success:
				l.wants(t, c.result)
				says(t, l.exit, "[ERROR|DRIVER] vkCreateInstance: Found no drivers!")
			case c.mode == "inclusive":
				l.wants(t, success, "normal")
			default:
				l.wants(t, success, "listed")
			}
			says(t, l.exit, c.say...)
			if c.mode == "inclusive" {
				quietAbout(t, l.exit, only[7:])
				return
			}
			for _, line := range w.AccessLog() {
				if strings.HasPrefix(line, "fopen ") && strings.HasSuffix(line, ".json") && strings.Contains(line, "/drivers/") ||
					strings.Contains(line, "icd.d") {
					t.Errorf("the search took place: %s", line)
				}
			}
		})
	}
}

// Of two lists, the first counts.
//
// holds: DRV-081
func TestFirstListCounts(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("normal")
	listed := w.DirectDriver("listed", "device name=listed", "api 1.1.0")
	h := w.Start()
	// The second list is exclusive and has one empty entry.
	h.Do("memory", "as", "entry", "size", "32", "u32@0", "1000459000")
	h.Do("memory", "as", "second", "size", "32", "u32@0", "1000459001", "u32@16", "0", "u32@20", "1", "ptr@24", "entry")
	h.OK("create_instance", "ext", direct, "next", "second", "direct", listed.Library, "direct_mode", "inclusive")
	same(t, "devices", deviceNames(h, "i"), []string{"normal", "listed"})
	exit := h.Quit()
	quietAbout(t, exit, "NULL pointer", "EXCLUSIVE")
}

// holds: DRV-090 DRV-091 DRV-092 DRV-093 DRV-094 DRV-095 DRV-096
func TestEntriesOfTheList(t *testing.T) {
	t.Parallel()
	const structure = "VkDirectDriverLoadingInfoLUNARG structure at index "
	entries := []struct {
		name   string
		script []string
		say    string // I is the index
		used   bool
	}{
		{"null", nil, addDirect + structure + "I contains a NULL pointer for the pfnGetInstanceProcAddr member, skipping.", false},
		{"good", []string{"api 1.1.0"}, "", true},
		{"no_negotiation", []string{"missing " + negotiation}, addDirect + "Could not get 'vk_icdNegotiateLoaderICDInterfaceVersion' from " + structure + "I, skipping.", false},
		{"version4", []string{"interface 0 4"}, addDirect + structure +
			"I supports interface version 4, which is incompatible with the Loader Driver Interface version that supports the VK_LUNARG_direct_driver_loading extension, skipping.", false},
		{"version6", []string{"interface 0 6"}, addDirect + structure +
			"I supports interface version 6, which is incompatible with the Loader Driver Interface version that supports the VK_LUNARG_direct_driver_loading extension, skipping.", false},
		{"refuses", []string{"negotiate -9 7"}, addDirect + structure +
			"I supports interface version 7, which is incompatible with the Loader Driver Interface version that supports the VK_LUNARG_direct_driver_loading extension, skipping.", false},
		{"no_create", []string{"missing vkCreateInstance", "missing vkEnumerateInstanceExtensionProperties"}, addDirect + "Could not get 'vkCreateInstance' from " + structure + "I, skipping.", false},
		{"no_list", []string{"missing vkEnumerateInstanceExtensionProperties"}, addDirect + "Could not get 'vkEnumerateInstanceExtensionProperties' from " + structure + "I, skipping.", false},
		{"no_version", []string{"missing vkEnumerateInstanceVersion"}, "", true},
		{"version_fails", []string{"api 1.1.0", "result vkEnumerateInstanceVersion -3"}, "", false},
		{"also_good", []string{"api 1.3.0"}, "", true},
	}
	w := loud(t)
	words := []string{"ext", direct, "direct_mode", "exclusive", "api", "1.2.0"}
	var used []string
	for _, e := range entries {
		library := "null"
		if e.name != "null" {
			library = w.DirectDriver(e.name, append([]string{"device name=" + e.name}, e.script...)...).Library
		}
		words = append(words, "direct", library)
		if e.used {
			used = append(used, e.name)
		}
	}
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	l := live(t, w, words...)
	same(t, "created", l.created, used)
	slices.Reverse(used)
	l.wants(t, success, used...)
	for i, e := range entries {
		if e.say != "" {
			says(t, l.exit, "[ERROR|DRIVER] "+strings.ReplaceAll(e.say, "index I", fmt.Sprintf("index %d", i)))
		} else {
			quietAbout(t, l.exit, fmt.Sprintf("at index %d ", i), fmt.Sprintf("at index %d,", i))
		}
		added(t, l, i, e.used)
	}
	for _, event := range l.log.By("also_good").Fn(negotiation) {
		if event.Int("given") != 7 {
			t.Errorf("negotiation began with %d", event.Int("given"))
		}
	}
	// The version that the program requests reaches drivers of at least 1.1 unchanged.
	for _, made := range l.log.Fn("vkCreateInstance") {
		want := apiWord(1, 2, 0)
		if made.Text("who") == "no_version" { // no vkEnumerateInstanceVersion: still a 1.0 driver, INS-064
			want = apiWord(1, 0, 0)
		}
		if got := made.Object("app").Int("api"); got != want {
			t.Errorf("%s saw apiVersion %#x", made.Text("who"), got)
		}
	}
}

// holds: DRV-098
func TestNameFiltersLeaveListedDriversAlone(t *testing.T) {
	t.Parallel()
	for _, env := range []struct{ name, value string }{{"VK_LOADER_DRIVERS_SELECT", "normal*"}, {"VK_LOADER_DRIVERS_DISABLE", "other*"}, {"VK_LOADER_DRIVERS_DISABLE", "~all~"}} {
		t.Run(env.name+" "+env.value, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("normal")
			w.Driver("other")
			w.Env[env.name] = env.value
			want := []string{"normal", "listed"}
			if env.value == "~all~" {
				want = want[1:]
			}
			live(t, w, "ext", direct, "direct", w.DirectDriver("listed", "device name=listed", "api 1.1.0").Library).wants(t, success, want...)
		})
	}
}

// holds: DRV-099 DRV-082
func TestExtensionsOfListedDrivers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("normal")
	listed := w.DirectDriver("listed", "device name=listed", "api 1.1.0", "ext VK_KHR_surface 25")
	h := w.Start()
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), ownExtensions)
	h.OK("create_instance", "ext", direct, "direct", listed.Library, "ext", "VK_KHR_surface")
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), ownExtensions)
	if got := h.Do("create_instance", "as", "j", "ext", direct, "ext", "VK_KHR_surface").Result(); got != extensionNotPresent {
		t.Errorf("without the list: %d", got)
	}
	h.Quit()
	for _, made := range w.Log().Fn("vkCreateInstance") {
		want := []string{"VK_KHR_surface"}
		if made.Text("who") == "normal" {
			want = []string{}
		}
		same(t, made.Text("who"), made.Strings("extensions"), want)
	}
}

// holds: DRV-100 DRV-101
func TestListedDriversAreTreatedLikeOthers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Env["WORLD_ELEVATED"] = "1"
	w.Accesses()
	first := w.DirectDriver("first", "device name=first", "api 1.0.66", "log_load")
	empty := w.DirectDriver("empty", "api 1.1.0", "log_load")
	bad := w.DirectDriver("bad", "missing vkGetPhysicalDeviceFeatures", "api 1.1.0", "device name=bad")
	fails := w.DirectDriver("fails", "result vkCreateInstance -3", "api 1.1.0", "device name=fails")
	h := w.Start()
	h.OK("create_instance", "api", "1.2.0", "ext", direct, "direct_mode", "exclusive", "direct", first.Library, "direct", empty.Library, "direct", bad.Library, "direct", fails.Library)
	same(t, "devices", deviceNames(h, "i"), []string{"first"})
	mapped := h.Do("maps", "match", w.Path("lib")).Strings("maps")
	h.Do("destroy_instance")
	after := h.Do("maps", "match", w.Path("lib")).Strings("maps")
	early := w.Log().Fn("destructor")
	exit := h.Quit()
	if len(mapped) != 4 || len(after) != 4 || len(early) != 0 {
		t.Errorf("the program's own libraries: %v mapped, afterwards %v, closed %v", mapped, after, early.Names())
	}
	for _, line := range w.AccessLog() {
		// The host itself calls dlopen once for each library.
		if n := strings.Count(strings.Join(w.AccessLog(), "\n"), line); strings.HasPrefix(line, "dlopen "+w.Path("lib")) && n != 1 {
			t.Errorf("%s happened %d times", line, n)
		}
	}
	log := w.Log()
	sound(t, log)
	for _, made := range log.Fn("vkCreateInstance").By("first") {
		if got := made.Object("app").Int("api"); got != apiWord(1, 0, 0) {
			t.Errorf("the 1.0 driver saw apiVersion %#x", got)
		}
	}
	if n := len(log.Fn("vkDestroyInstance").By("empty")); n != 1 {
		t.Errorf("the driver without devices was destroyed %d times", n)
	}
	says(t, exit, "[WARN] Unable to load vkGetPhysicalDeviceFeatures from ICD (null)",
		"[WARN] terminator_CreateInstance: Failed to find required entrypoints in ICD (null). Skipping this driver.",
		"[WARN] terminator_CreateInstance: Received return code -3 from call to vkCreateInstance in ICD (null). Skipping this driver.")
}
