package drivers

import (
	"debug/elf"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// three creates drivers a, b and c, each with its manifest in a directory of the same name.
func three(t *testing.T) *world.World {
	t.Helper()
	w := loud(t)
	for _, name := range []string{"a", "b", "c"} {
		w.Driver(name).MoveManifest(name)
	}
	return w
}

// places inserts the files and directories of three into a value: {a} is the file, {A} the directory.
func places(w *world.World, value string) string {
	for _, name := range []string{"a", "b", "c"} {
		value = strings.ReplaceAll(value, "{"+name+"}", w.Path(name, name+".json"))
		value = strings.ReplaceAll(value, "{"+strings.ToUpper(name)+"}", w.Path(name))
	}
	return strings.ReplaceAll(value, "{root}", w.Root)
}

// holds: SYS-004 SYS-005 SYS-006 SYS-008 SYS-009 SYS-012
func TestVariablesThatNameDrivers(t *testing.T) {
	t.Parallel()
	const files, old, more = "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"
	cases := []struct {
		name string
		env  map[string]string
		want []string // the created drivers, in order; none: VK_ERROR_INCOMPATIBLE_DRIVER
	}{
		{"the new variable", map[string]string{files: "{a}"}, []string{"a"}},
		{"the old variable", map[string]string{old: "{b}"}, []string{"b"}},
		{"the new one wins", map[string]string{files: "{a}", old: "{b}"}, []string{"a"}},
		{"empty is set", map[string]string{files: "", old: "{b}", more: "{c}"}, nil},
		{"the old one empty", map[string]string{old: ""}, nil},
		{"added", map[string]string{more: "{c}:{b}"}, []string{"c", "b"}},
		{"added to the new one", map[string]string{files: "{a}", more: "{c}"}, []string{"a"}},
		{"added to the old one", map[string]string{old: "{b}", more: "{c}"}, []string{"b"}},
		{"empty items", map[string]string{files: "::{a}:::{b}:"}, []string{"a", "b"}},
		{"a directory", map[string]string{files: "{A}"}, []string{"a"}},
		{"a directory with a slash", map[string]string{files: "{A}/"}, []string{"a"}},
		{"no such directory", map[string]string{files: "/no/such/directory:{B}"}, []string{"b"}},
		{"twice the same", map[string]string{files: "{a}:{b}:{a}"}, []string{"a", "b"}},
		{"file and directory", map[string]string{files: "{a}:{A}"}, []string{"a", "a"}},
		{"no such files", map[string]string{files: "no.json:./no/no.json:/no/no.json:C:\\no\\no.json:\\no.json:{a}:../no.json"}, []string{"a"}},
		{"nothing of it", map[string]string{files: "/no/no.json"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := three(t)
			for name, value := range c.env {
				w.Env[name] = places(w, value)
			}
			h := w.Start()
			extensions := h.OK("instance_extensions").Strings("extensions")
			result := h.Do("create_instance").Result()
			if result == success {
				devices := deviceNames(h, "i")
				reversed := slices.Clone(c.want)
				slices.Reverse(reversed)
				same(t, "devices", devices, reversed)
				h.Do("destroy_instance")
			}
			h.Quit()
			same(t, "extensions", extensions, ownExtensions)
			same(t, "created", w.Log().Fn("vkCreateInstance").Who(), c.want)
			want := success
			if c.want == nil {
				want = incompatibleDriver
			}
			if result != want {
				t.Errorf("vkCreateInstance gave %d, want %d", result, want)
			}
		})
	}
}

// holds: SYS-007 SYS-008 SYS-003
func TestStandardDirectories(t *testing.T) {
	t.Parallel()
	defaults := []string{"{root}/home/.config", "/etc/xdg", "/usr/local/etc", "/etc", "{root}/home/.local/share", "/usr/local/share", "/usr/share"}
	cases := []struct {
		name string
		env  map[string]string
		want []string // directories without /vulkan/icd.d, or files
	}{
		{"defaults", nil, defaults},
		{"empty is unset", map[string]string{"XDG_CONFIG_HOME": "", "XDG_CONFIG_DIRS": "", "XDG_DATA_HOME": "", "XDG_DATA_DIRS": ""}, defaults},
		{"all set", map[string]string{"XDG_CONFIG_HOME": "{root}/ch", "XDG_CONFIG_DIRS": "{root}/c1:{root}/c2", "XDG_DATA_HOME": "{root}/dh",
			"XDG_DATA_DIRS": "{root}/d1::{root}/d2"},
			[]string{"{root}/ch", "{root}/c1", "{root}/c2", "/usr/local/etc", "/etc", "{root}/dh", "{root}/d1", "{root}/d2"}},
		{"elevated", map[string]string{"WORLD_ELEVATED": "1", "XDG_CONFIG_HOME": "{root}/ch", "XDG_CONFIG_DIRS": "{root}/c1", "XDG_DATA_HOME": "{root}/dh",
			"XDG_DATA_DIRS": "{root}/d1", "VK_DRIVER_FILES": "{root}/d1", "VK_ICD_FILENAMES": "{root}/d1", "VK_ADD_DRIVER_FILES": "{root}/d1",
			"VK_LOADER_DRIVERS_SELECT": "nothing*", "VK_LOADER_DRIVERS_DISABLE": "*"},
			[]string{"/etc/xdg", "/usr/local/etc", "/etc", "/usr/local/share", "/usr/share"}},
		{"the same directory in two lists", map[string]string{"XDG_CONFIG_DIRS": "{root}/c1", "XDG_DATA_DIRS": "{root}/c1:{root}/d1"},
			[]string{"{root}/home/.config", "{root}/c1", "/usr/local/etc", "/etc", "{root}/home/.local/share", "{root}/d1"}},
		{"a file in a list of directories", map[string]string{"XDG_DATA_DIRS": "{root}/d1:{root}/one.json"},
			[]string{"{root}/home/.config", "/etc/xdg", "/usr/local/etc", "/etc", "{root}/home/.local/share", "{root}/d1", "{root}/one.json"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			where := func(place string) (shown, real string) { // as the loader prints it, and its path in the world
				shown = strings.ReplaceAll(place, "{root}", w.Root)
				if !strings.HasSuffix(shown, ".json") {
					shown += "/vulkan/icd.d"
				}
				if strings.HasPrefix(place, "/") {
					return shown, w.SystemPath(shown)
				}
				return shown, shown
			}
			names := map[string]string{}
			for i, place := range slices.Concat(defaults, []string{"{root}/ch", "{root}/c1", "{root}/c2", "{root}/dh", "{root}/d1", "{root}/d2", "{root}/one.json"}) {
				names[place] = "p" + string(rune('a'+i))
				_, real := where(place)
				w.Driver(names[place]).MoveManifest(real)
			}
			for name, value := range c.env {
				w.Env[name] = places(w, value)
			}
			l := live(t, w)
			var shown, order, found []string
			for _, place := range c.want {
				directory, _ := where(place)
				shown = append(shown, "[DRIVER]       "+directory)
				order = append(order, names[place])
				if strings.HasSuffix(place, ".json") {
					found = append(found, "[DRIVER]       "+directory)
				} else {
					found = append(found, "[DRIVER]       "+directory+"/"+names[place]+".json")
				}
			}
			same(t, "created", l.created, order)
			lines := slices.Concat([]string{"[DRIVER] Searching for driver manifest files", "[DRIVER]    In following locations:"}, shown,
				[]string{"[DRIVER]    Found the following files:"}, found)
			block(t, l.exit, lines)
		})
	}
}

// block checks that the lines directly follow each other.
func block(t *testing.T, exit world.Exit, want []string) {
	t.Helper()
	lines := spoken(exit.Stderr)
	start := slices.Index(lines, want[0])
	if start < 0 || start+len(want) > len(lines) {
		t.Errorf("the loader did not say %s", want[0])
		return
	}
	for i, line := range want {
		if lines[start+i] != line {
			t.Errorf("line %d of the block is\n%s\nwant\n%s", i, lines[start+i], line)
			return
		}
	}
}

// holds: SYS-013 SYS-016 SYS-005
func TestSearchThatFindsNothing(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Env["VK_DRIVER_FILES"] = "/no/such/directory"
	l := live(t, w)
	l.wants(t, incompatibleDriver)
	block(t, l.exit, []string{"[DRIVER] Searching for driver manifest files", "[DRIVER]    In following locations:",
		"[DRIVER]       /no/such/directory", "[DRIVER]    Found no files"})
	says(t, l.exit, "[ERROR|DRIVER] vkCreateInstance: Found no drivers!")
}

// holds: SYS-010
func TestNamesInADirectory(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Env["WORLD_SORTED"] = world.Unset
	for _, name := range []string{"m", "c", "z", "a", "q", "b", "y"} {
		w.Driver(name).MoveManifest("found")
	}
	for _, name := range []string{"upper.JSON", "other.json.bak", "plain", "json", "mixed.Json", "deep/below.json"} {
		library := w.Copy(world.Modern, "lib"+strings.ReplaceAll(name, "/", "_"))
		w.Write("lib/lib"+strings.ReplaceAll(name, "/", "_")+".so.script", "log "+w.Path("log")+"\nname wrong\ndevice name=wrong\n")
		w.Write(filepath.Join("found", name), world.DriverManifest(library, "1.0.0"))
	}
	hidden := w.Driver("hidden") // named .json and nothing else
	hidden.MoveManifest("found/.json")
	w.Env["VK_DRIVER_FILES"] = w.Path("found")
	directory, err := os.Open(w.Path("found"))
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	names, err := directory.Readdirnames(-1) // in the order of the directory, unsorted
	if err != nil {
		t.Fatal(err)
	}
	if world.Windows() {
		slices.Sort(names) // Wine sorts them
	}
	var want []string
	for _, name := range names {
		switch base, ok := strings.CutSuffix(name, ".json"); {
		case name == ".json":
			want = append(want, "hidden")
		case ok:
			want = append(want, base)
		}
	}
	same(t, "created", live(t, w).created, want)
}

// holds: SYS-011 SYS-012
func TestLinksToManifests(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one").MoveManifest("elsewhere")
	for link, target := range map[string]string{"links/good.json": w.Path("elsewhere/one.json"), "alone/dangling.json": w.Path("nowhere.json")} {
		path := w.Path(link)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	w.Env["VK_DRIVER_FILES"] = w.Path("alone/dangling.json") + ":" + w.Path("links")
	l := live(t, w)
	l.wants(t, success, "one")
	says(t, l.exit, "[ERROR] loader_get_json: Failed to open JSON file "+w.Path("alone/dangling.json"))

	w.Env["VK_DRIVER_FILES"] = w.Path("alone/dangling.json")
	l = live(t, w)
	l.wants(t, incompatibleDriver)
	says(t, l.exit, "[ERROR] loader_get_json: Failed to open JSON file "+w.Path("alone/dangling.json"))
}

// holds: SYS-014 SYS-015 SYS-016 SYS-017
func TestNameFilters(t *testing.T) {
	t.Parallel()
	names := []string{"alpha_drv", "alto_drv", "bass_drv"}
	const yes, no = "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"
	many := strings.Repeat("x.json,", 16)
	cases := []struct {
		name              string
		choose, refuse    string
		want              []string
		refused, unwanted []string
	}{
		{"whole", "alto_drv.json", "", []string{"alto_drv"}, nil, []string{"alpha_drv", "bass_drv"}},
		{"case", "ALTO_drv.JSON", "", []string{"alto_drv"}, nil, []string{"alpha_drv", "bass_drv"}},
		{"not the whole", "alto", "", nil, nil, names},
		{"start", "al*", "", []string{"alpha_drv", "alto_drv"}, nil, []string{"bass_drv"}},
		{"end", "*o_drv.json", "", []string{"alto_drv"}, nil, []string{"alpha_drv", "bass_drv"}},
		{"part", "*L*", "", []string{"alpha_drv", "alto_drv"}, nil, []string{"bass_drv"}},
		{"all", "*", "", names, nil, nil},
		{"double", "**", "", names, nil, nil},
		{"word", "~all~", "", names, nil, nil},
		{"list", "bass*,alpha*", "", []string{"alpha_drv", "bass_drv"}, nil, []string{"alto_drv"}},
		{"seventeenth", many + "alto*", "", nil, nil, names},
		{"sixteenth", many[7:] + "alto*", "", []string{"alto_drv"}, nil, []string{"alpha_drv", "bass_drv"}},
		{"refused", "", "al*", []string{"bass_drv"}, []string{"alpha_drv", "alto_drv"}, nil},
		{"all refused", "", "~ALL~", nil, names, nil},
		{"chosen wins", "alto*", "*", []string{"alto_drv"}, []string{"alpha_drv", "bass_drv"}, nil},
		{"both", "a*", "bass*", []string{"alpha_drv", "alto_drv"}, []string{"bass_drv"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			for _, name := range names {
				w.Driver(name)
			}
			w.DriverFile("broken_drv", "{ nothing")
			w.Accesses()
			if c.choose != "" {
				w.Env[yes] = c.choose
			}
			if c.refuse != "" {
				w.Env[no] = c.refuse
			}
			l := live(t, w)
			same(t, "created", l.created, c.want)
			for _, name := range c.refused {
				says(t, l.exit, `[WARN|DRIVER] Driver "`+name+`.json" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'`)
			}
			for _, name := range c.unwanted {
				says(t, l.exit, `[WARN|DRIVER] Driver "`+name+`.json" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'`)
			}
			quietAbout(t, l.exit, `Driver "broken_drv.json"`) // it never parsed
			for _, name := range slices.Concat(c.refused, c.unwanted) {
				if slices.Contains(w.AccessLog(), "dlopen "+w.Path("lib", name+".so")+" 1") {
					t.Errorf("%s was opened", name)
				}
			}
		})
	}
}

// holds: SYS-002
func TestEnvironmentIsReadAtTheTimeOfTheCall(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one, two := w.Driver("one"), w.Driver("two")
	two.Script("ext VK_KHR_surface 25", "ext VK_ACME_unknown 1")
	w.Env["VK_DRIVER_FILES"] = one.ManifestPath
	h := w.Start()
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), ownExtensions)
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", two.ManifestPath)
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), slices.Concat([]string{"VK_KHR_surface"}, ownExtensions))
	h.Do("setenv", "name", "VK_LOADER_DISABLE_INST_EXT_FILTER", "value", "1")
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), slices.Concat([]string{"VK_KHR_surface", "VK_ACME_unknown"}, ownExtensions))
	h.Do("unsetenv", "name", "VK_LOADER_DISABLE_INST_EXT_FILTER")
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), slices.Concat([]string{"VK_KHR_surface"}, ownExtensions))
	h.Do("setenv", "name", "VK_LOADER_DEBUG", "value", "all") // too late
	h.Do("setenv", "name", "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING", "value", "1")
	two.Replace() // it has no device, so it does not stay open
	h.OK("create_instance")
	same(t, "created", w.Log().Fn("vkCreateInstance").Who(), []string{"two"})
	h.Do("destroy_instance")
	if mapped := h.Do("maps", "match", two.Library).Strings("maps"); len(mapped) != 0 {
		t.Errorf("%v are mapped, the variable was set after the loader was loaded", mapped)
	}
	if exit := h.Quit(); exit.Stderr != "" {
		t.Errorf("the loader spoke: %q", exit.Stderr)
	}
}

// holds: SYS-003
func TestVariablesOfAnElevatedProcess(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one", "device name=big type=discrete vendor=0x10de device=1", "device name=small type=integrated vendor=0x8086 device=2").
		Script("ext VK_ACME_unknown 1").API("1.1.0").MoveManifest("system/etc/vulkan/icd.d")
	w.Env["WORLD_ELEVATED"] = "1"
	w.Accesses()
	for _, name := range []string{"VK_LOADER_DEVICE_ID_FILTER", "VK_LOADER_VENDOR_ID_FILTER", "VK_LOADER_DRIVER_ID_FILTER"} {
		w.Env[name] = "0x7777"
	}
	w.Env["VK_LOADER_DEVICE_SELECT"] = "0x8086:0x2"
	w.Env["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
	h := w.Start()
	if got := h.OK("instance_extensions").Strings("extensions"); !slices.Contains(got, "VK_ACME_unknown") {
		t.Errorf("VK_LOADER_DISABLE_INST_EXT_FILTER was not read: %q", got)
	}
	h.OK("create_instance", "api", "1.1.0")
	if !world.Windows() && !world.MacOS() { // the variable has no effect there (WIN-059, MAC-016)
		same(t, "devices", deviceNames(h, "i"), []string{"small", "big"})
		h.Do("setenv", "name", "VK_LOADER_DISABLE_SELECT", "value", "1")
	}
	same(t, "devices", deviceNames(h, "i"), []string{"big", "small"})
	h.Quit()
	if world.Windows() || world.MacOS() {
		return // all variables are read by one function
	}
	log := w.AccessLog()
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE",
		"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "HOME", "VK_LOADER_DEVICE_ID_FILTER", "VK_LOADER_VENDOR_ID_FILTER",
		"VK_LOADER_DRIVER_ID_FILTER"} {
		if !slices.Contains(log, "secure_getenv "+name) || slices.Contains(log, "getenv "+name) {
			t.Errorf("%s is not read with secure_getenv alone", name)
		}
	}
	for _, name := range []string{"VK_LOADER_DEVICE_SELECT", "VK_LOADER_DISABLE_SELECT", "VK_LOADER_DISABLE_INST_EXT_FILTER"} {
		if !slices.Contains(log, "getenv "+name) {
			t.Errorf("%s is not read with getenv", name)
		}
	}
}

// holds: SYS-001
func TestAccessesGoThroughTheCLibrary(t *testing.T) {
	t.Parallel()
	w := loud(t)
	one := w.Driver("one").MoveManifest("system/usr/share/vulkan/icd.d")
	w.Accesses()
	live(t, w).wants(t, success, "one")
	log := w.AccessLog()
	for _, want := range []string{"opendir /usr/share/vulkan/icd.d", "fopen /usr/share/vulkan/icd.d/one.json", "dlopen " + one.Library + " 1",
		"secure_getenv VK_DRIVER_FILES", "getenv VK_LOADER_DEBUG", "access " + w.Path("home") + "/.config/vulkan//loader_settings.d/vk_loader_settings.json"} {
		if !slices.Contains(log, want) {
			t.Errorf("the interposer did not see %q", want)
		}
	}

	file, err := elf.Open(w.Loader)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	imported, err := file.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, symbol := range imported {
		names[symbol.Name] = true
	}
	for _, want := range []string{"opendir", "readdir", "closedir", "fopen", "access", "dlopen", "dlsym", "dlclose", "dlerror", "dladdr",
		"secure_getenv", "getenv", "fputs", "fputc", "stderr"} {
		if world.Narrow() && (want == "readdir" || want == "fopen") {
			want += "64" // the C library's names with 64-bit file offsets
		}
		if !names[want] {
			t.Errorf("the library does not import %s", want)
		}
	}
	// openat is used only for the log file, whose path is followed component by component.
	for _, other := range []string{"creat", "scandir", "readdir_r", "dlmopen", "environ", "__environ", "fprintf", "vfprintf", "fdopendir"} {
		if names[other] {
			t.Errorf("the library imports %s, which an interposer need not know; imports: %v", other, slices.Sorted(maps.Keys(names)))
		}
	}
}
