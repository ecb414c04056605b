package drivers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// file is one of several driver manifests. In text, LIB is a library that only this manifest names. In say, PATH is
// the manifest and LIB the library.
type file struct {
	name string
	text string
	used bool
	say  []string
	not  []string // texts that no line about this manifest contains
}

// together puts all manifests between two good drivers, runs one instance, and checks each manifest separately.
func together(t *testing.T, files []file) {
	t.Helper()
	w := loud(t)
	w.Driver("first_good")
	want := []string{"first_good"}
	paths := map[string]string{}
	for _, f := range files {
		library := w.Copy(world.Modern, f.name)
		w.Write("lib/"+f.name+".so.script", "log "+w.Path("log")+"\nname "+world.Encode(f.name)+"\ninterface 0 4\napi 1.0.0\ndevice name="+world.Encode(f.name)+"\n")
		paths[f.name] = w.DriverFile(f.name, strings.ReplaceAll(f.text, "LIB", library))
		if f.used {
			want = append(want, f.name)
		}
	}
	w.Driver("last_good")
	want = append(want, "last_good")
	l := live(t, w)
	if l.result != success {
		t.Fatalf("vkCreateInstance gave %d", l.result)
	}
	same(t, "created", l.created, want)
	slices.Reverse(want)
	same(t, "devices", l.devices, want)
	for _, f := range files {
		for _, line := range f.say {
			says(t, l.exit, strings.ReplaceAll(strings.ReplaceAll(line, "PATH", paths[f.name]), "LIB", w.Path("lib", f.name+".so")))
		}
		for _, line := range spoken(l.exit.Stderr) {
			for _, part := range f.not {
				if strings.Contains(line, paths[f.name]) && strings.Contains(line, part) {
					t.Errorf("%s: the loader said\n%s", f.name, line)
				}
			}
		}
	}
}

// holds: DRV-001 DRV-002 DRV-004 DRV-007 DRV-008 DRV-009 DRV-010 DRV-011 DRV-012 DRV-013 DRV-014 DRV-015 DRV-016 DRV-017
// holds: DRV-018 DRV-019 DRV-027 DRV-028 DRV-031 DRV-032 DRV-033 DRV-034
func TestManifests(t *testing.T) {
	t.Parallel()
	const api = `"api_version": "1.1.0"`
	const library = `"library_path": "LIB", `
	const version = `"file_format_version": "1.0.1", `
	const invalid = "[ERROR] loader_get_json: Invalid JSON file PATH."
	const found = "[DRIVER] Found ICD manifest file PATH, version "
	const unknown = "has unknown icd manifest file version"
	whole := func(version, rest string) string {
		return `{"file_format_version": "` + version + `", "ICD": {` + library + rest + `}}`
	}
	variant := func(n int) []string {
		return []string{fmt.Sprintf("[INFO|DRIVER] loader_parse_icd_manifest: Driver's ICD JSON PATH 'api_version' field contains a non-zero variant value of %d.  Skipping ICD JSON.", n)}
	}
	versions := func(name, text string, used bool, say ...string) file {
		return file{name, whole("1.0.1", `"api_version": "`+text+`"`), used, say, nil}
	}
	together(t, []file{
		{"comma", ",", false, []string{invalid}, nil},
		{"trailing_comma", `{ "k":"v", }`, false, []string{invalid}, nil},
		{"trailing_comma_2", `{"k":"v", "m": [], },`, false, []string{invalid}, nil},
		{"trailing_comma_3", `{"k":"v", "m": [{},] },`, false, []string{invalid}, nil},
		{"no_value", `{"k":"v", "m": {"n"} },`, false, []string{invalid}, nil},
		{"not_closed", `{"":"v", "m": {}`, false, []string{invalid}, nil},
		{"no_key", `{"k":"v", "m": {"n":12, true, "o":"p"} },`, false, []string{invalid}, nil},
		{"text", "hello", false, []string{invalid}, nil},
		{"empty", "", false, []string{invalid}, nil},

		{"unknown_members", `{"x": [1, {"y": null}], ` + version + `"ICD": {"z": {}, ` + library + api + `, "extra": true}, "end": 1.5e3}`, true,
			[]string{found + "1.0.1", "[DEBUG|DRIVER] Searching for ICD drivers named LIB"}, []string{unknown}},

		{"no_version", `{"ICD": {` + library + api + `}}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: ICD JSON PATH does not have a 'file_format_version' field. Skipping ICD JSON."}, []string{"Found ICD"}},
		{"version_number", `{"file_format_version": 1, "ICD": {` + library + api + `}}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: Failed retrieving ICD JSON PATH 'file_format_version' field. Skipping ICD JSON"}, []string{"Found ICD"}},
		{"version_high", whole("3.2.1", api), true,
			[]string{found + "3.2.1", "[INFO|DRIVER] loader_parse_icd_manifest: PATH has unknown icd manifest file version 3.2.1. May cause errors."}, nil},
		{"version_very_high", whole("100.222.111", api), true,
			[]string{found + "100.222.111", "[INFO|DRIVER] loader_parse_icd_manifest: PATH has unknown icd manifest file version 100.222.111. May cause errors."}, nil},
		{"version_next", whole("1.0.2", api), true,
			[]string{"[INFO|DRIVER] loader_parse_icd_manifest: PATH has unknown icd manifest file version 1.0.2. May cause errors."}, nil},
		{"version_minor", whole("1.1.0", api), true,
			[]string{"[INFO|DRIVER] loader_parse_icd_manifest: PATH has unknown icd manifest file version 1.1.0. May cause errors."}, nil},
		{"version_1_0_0", whole("1.0.0", api), true, []string{found + "1.0.0"}, []string{unknown}},
		{"version_0_9_9", whole("0.9.9", api), true, []string{found + "0.9.9"}, []string{unknown}},
		{"version_words", whole("the first one", api), true, []string{found + "the first one"}, []string{unknown}},
		{"version_none", whole("", api), true, []string{found}, []string{unknown}},

		{"no_icd", `{` + version + `"other": 1}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: Can not find 'ICD' object in ICD JSON file PATH. Skipping ICD JSON"}, nil},
		{"a_layer", `{` + version + `"layer": {}}`, false, nil, []string{"Skipping", "Can not find"}},
		{"layers", `{` + version + `"layers": []}`, false, nil, []string{"Skipping", "Can not find"}},
		{"icd_number", `{` + version + `"ICD": 7}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: Failed to find 'library_path' object in ICD JSON file PATH. Skipping ICD JSON."}, nil},
		{"icd_text", `{` + version + `"ICD": "LIB"}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: Failed to find 'library_path' object in ICD JSON file PATH. Skipping ICD JSON."}, nil},
		{"icd_array", `{` + version + `"ICD": []}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: Failed to find 'library_path' object in ICD JSON file PATH. Skipping ICD JSON."}, nil},

		{"no_library", `{` + version + `"ICD": {` + api + `}}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: Failed to find 'library_path' object in ICD JSON file PATH. Skipping ICD JSON."}, nil},
		{"library_empty", `{` + version + `"ICD": {"library_path": "", ` + api + `}}`, false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: ICD JSON PATH 'library_path' field is empty. Skipping ICD JSON."}, nil},
		{"library_number", `{` + version + `"ICD": {"library_path": 5, ` + api + `}}`, false, []string{
			"[DEBUG|DRIVER] Searching for ICD drivers named 5",
			"[ERROR] " + world.MissingError("5"),
			"[ERROR|DRIVER] loader_icd_scan: Failed loading library associated with ICD JSON 5. Ignoring this JSON"}, nil},

		{"no_api", whole("1.0.1", `"x": 1`), false,
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: ICD JSON PATH does not have an 'api_version' field. Skipping ICD JSON."}, nil},
		{"api_number", whole("1.0.1", `"api_version": 1`), false, // DRV-028 leaves it open, the message says "Skipping"
			[]string{"[WARN|DRIVER] loader_parse_icd_manifest: Failed retrieving ICD JSON PATH 'api_version' field. Skipping ICD JSON."}, nil},
		versions("variant_1", "1.1.0.0", false, variant(1)...),
		versions("variant_2", "1.0.01.1.0.0", false, variant(1)...),
		versions("variant_3", "128.0.0", false, variant(1)...),
		versions("variant_7", "-1.1.0", false, variant(7)...),
		versions("variant_0", "0.1.3.0", true),
		versions("from_the_future", "9.0.0", true),

		{"portability_false", whole("1.0.1", api+`, "is_portability_driver": false`), true, nil, nil},
		{"portability_one", whole("1.0.1", api+`, "is_portability_driver": 1`), true, nil, nil},
		{"portability_text", whole("1.0.1", api+`, "is_portability_driver": "true"`), true, nil, nil},
		{"portability_null", whole("1.0.1", api+`, "is_portability_driver": null`), true, nil, nil},
		{"portability_object", whole("1.0.1", api+`, "is_portability_driver": {"true": true}`), true, nil, nil},
		{"portability", whole("1.0.1", api+`, "is_portability_driver": true`), false, nil, []string{"Skipping"}},
	})
}

// The version that the loader passes to drivers with an old interface shows how it has read api_version.
//
// holds: DRV-029 DRV-030 DRV-032 DRV-033 DRV-063 DRV-065
func TestVersionsInManifests(t *testing.T) {
	t.Parallel()
	var files []file
	for i, c := range []struct {
		text  string
		reads string // "": below 1.1
	}{
		{"1.0", ""}, {"1.0.333", ""}, {"0.9", ""}, {"text", ""}, {"", ""}, {"...", ""},
		{"1", ""}, {"1.1", "1.1"}, {"1.3.280", "1.3"}, {"1..3", "1.3"}, {"..1...2..3..", "1.2"},
		{"1.2\\r\\n.7", "1.2"}, {"1\\n4", "1.4"}, {"\\\"1\\\"1\\\"", "1.1"},
		{"1x.3y.0", "1.3"}, {"1.2a3.9", "1.2"}, {"0.1.3.0", "1.3"}, {"0.1.2.3.4.5", "1.2"},
		{"65537.1.0", "1.1"}, {"1.65538.0", "1.2"}, {"1.2049.0", "3.1"}, {"1.0.4096", "1.1"}, {"7.5.3", "7.5"}, {"9.0.0", "9.0"},
	} {
		f := file{fmt.Sprintf("version%02d", i), `{"file_format_version": "1.0.1", "ICD": {"library_path": "LIB", "api_version": "` + c.text + `"}}`, true, nil, nil}
		if c.reads != "" {
			f.say = []string{"[WARN] loader_scanned_icd_add: Driver LIB supports Vulkan " + c.reads + ", but only supports loader interface version 4. " +
				"Interface version 5 or newer required to support this version of Vulkan (Policy #LDP_DRIVER_7)"}
		}
		files = append(files, f)
	}
	together(t, files)
}

// holds: DRV-063
func TestOldInterfaceOfA10Driver(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("old").Script("interface 0 4").Set("api_version", "1.0.999")
	w.Driver("new").Script("interface 0 5").Set("api_version", "1.3.0")
	l := live(t, w)
	l.wants(t, success, "new", "old")
	quietAbout(t, l.exit, "LDP_DRIVER_7")
}

// holds: DRV-006
func TestFirstFaultDecides(t *testing.T) {
	t.Parallel()
	_, other := world.Bits()
	cases := []struct {
		why, text string
		say, not  []string
	}{
		{"version before everything", `{"layers": [], "x": 1}`, []string{"does not have a 'file_format_version' field"}, []string{"'ICD'"}},
		{"ICD before library", `{"file_format_version": "1.0.0"}`, []string{"Can not find 'ICD' object"}, []string{"library_path"}},
		{"library before api", `{"file_format_version": "1.0.0", "ICD": {}}`, []string{"Failed to find 'library_path'"}, []string{"api_version"}},
		{"api before portability", `{"file_format_version": "1.0.0", "ICD": {"library_path": "LIB", "is_portability_driver": true, "library_arch": "32"}}`,
			[]string{"does not have an 'api_version' field"}, []string{"architecture", "portability"}},
		{"variant before portability", `{"file_format_version": "1.0.0", "ICD": {"library_path": "LIB", "api_version": "1.1.0.0", "is_portability_driver": true}}`,
			[]string{"non-zero variant value of 1"}, []string{"portability"}},
		{"portability before architecture", `{"file_format_version": "1.0.0", "ICD": {"library_path": "LIB", "api_version": "1.0.0", "is_portability_driver": true, "library_arch": "32"}}`,
			[]string{"portability subset"}, []string{"architecture"}},
		{"architecture before filters", `{"file_format_version": "1.0.0", "ICD": {"library_path": "LIB", "api_version": "1.0.0", "library_arch": "OTHER"}}`,
			[]string{"architecture"}, []string{"ignored because"}},
		{"filters before opening", `{"file_format_version": "1.0.0", "ICD": {"library_path": "/no/library.so", "api_version": "1.0.0"}}`,
			[]string{"ignored because it was disabled"}, []string{"cannot open shared object"}},
	}
	for i, c := range cases {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.DriverFile("it", strings.NewReplacer("LIB", w.Copy(world.Modern, "it"), "OTHER", other).Replace(c.text))
			w.Env["VK_LOADER_DRIVERS_DISABLE"] = "it*"
			l := live(t, w)
			l.wants(t, incompatibleDriver)
			for _, part := range c.say {
				if !strings.Contains(l.exit.Stderr, part) {
					t.Errorf("%s: the loader did not say %q", c.why, part)
				}
			}
			quietAbout(t, l.exit, c.not...)
			if len(l.created) != 0 {
				t.Errorf("created: %v", l.created)
			}
		})
	}
}

// holds: DRV-037 DRV-038 DRV-039 BIN-009
func TestArchitecture(t *testing.T) {
	t.Parallel()
	const message = "[INFO] loader_parse_icd_manifest: Driver library architecture doesn't match the current running architecture, skipping this driver"
	own, other := world.Bits()
	cases := []struct {
		value any
		used  bool
	}{
		{own, true}, {own + "-bit", true}, {"arm", true}, {"", true}, {"6", true}, {64, true}, {32, true}, {true, true}, {[]string{other}, true},
		{other, false}, {other + "-bit", false}, {other + "0", false}, {"3", true}, {" " + other, true},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.value), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Accesses()
			f := w.Driver("it").Set("library_arch", c.value)
			h := w.Start()
			answer := h.Do("create_instance", "messenger", "m:0x10:7")
			exit := h.Quit()
			opened := slices.Contains(w.AccessLog(), "dlopen "+f.Library+" 1")
			if c.used {
				if answer.Result() != success || !opened {
					t.Errorf("result %d, opened %v", answer.Result(), opened)
				}
				quietAbout(t, exit, "architecture")
				return
			}
			if answer.Result() != incompatibleDriver || opened {
				t.Errorf("result %d, opened %v", answer.Result(), opened)
			}
			says(t, exit, message)
			if !answer.HasText("m", strings.TrimPrefix(message, "[INFO] ")) {
				t.Errorf("the messenger received %q", answer.Texts("m"))
			}
		})
	}
}

// holds: DRV-003 DRV-001
func TestManifestThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("good").MoveManifest("found")
	for name, make := range map[string]func(string) error{
		"directory.json": func(path string) error { return os.Mkdir(path, 0o755) },
		"attr.json":      func(path string) error { return os.Symlink("/proc/self/mem", path) },
		"dangling.json":  func(path string) error { return os.Symlink("nowhere", path) },
	} {
		if err := make(w.Path("found", name)); err != nil {
			t.Fatal(err)
		}
	}
	w.Env["VK_DRIVER_FILES"] = w.Path("found")
	l := live(t, w)
	l.wants(t, success, "good")
	says(t, l.exit, "[ERROR] loader_get_json: Failed to read entire JSON file "+w.Path("found/directory.json"))
}

// holds: DRV-020 DRV-021 DRV-022 DRV-023 DRV-024
func TestLibraryPaths(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, manifest string
		value          string // LIB is the directory of the library
		library        string
		want           string // the argument of dlopen; DIRECTORY is the manifest's directory with its last slash
	}{
		{"absolute", "m/it.json", "LIB/it.so", "it", "LIB/it.so 1"},
		{"not normalised", "m/it.json", "LIB/../lib//./it.so", "it", "LIB/../lib//./it.so 1"},
		{"relative", "m/it.json", "../lib/it.so", "it", "DIRECTORY../lib/it.so 1"},
		{"dot", "lib/it.json", "./it.so", "it", "DIRECTORY./it.so 1"},
		{"bare name", "m/it.json", "it.so", "it", "it.so 1"},
		{"UTF-8", "m/Müller-デバイス.json", "../lib/Müller-デバイス.so", "Müller-デバイス", "DIRECTORY../lib/Müller-デバイス.so 1"},
		{"tilde", "lib/it.json", "./~it$HOME*.so", "~it$HOME*", "DIRECTORY./~it$HOME*.so 1"},
		{"blanks", "lib/it.json", "./it is.so", "it is", "DIRECTORY./it is.so 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			if world.Windows() { // file names on Windows cannot contain a star
				c.value, c.library, c.want = strings.ReplaceAll(c.value, "*", "+"), strings.ReplaceAll(c.library, "*", "+"), strings.ReplaceAll(c.want, "*", "+")
			}
			library := w.Copy(world.Modern, c.library)
			w.Write(library+".script", "log "+w.Path("log")+"\nname it\ndevice name=it\n")
			fill := func(text string) string {
				return strings.ReplaceAll(strings.ReplaceAll(text, "LIB", w.Path("lib")), "DIRECTORY", filepath.Dir(w.Path(c.manifest))+"/")
			}
			w.Env["VK_DRIVER_FILES"] = w.Write(c.manifest, world.DriverManifest(fill(c.value), "1.0.0"))
			w.Env[world.SearchPath()] = w.Path("lib")
			w.Accesses()
			l := live(t, w)
			l.wants(t, success, "it")
			says(t, l.exit, "[DEBUG|DRIVER] Searching for ICD drivers named "+fill(c.value))
			if !slices.Contains(w.AccessLog(), "dlopen "+fill(c.want)) {
				t.Errorf("dlopen did not receive %q: %q", fill(c.want), w.AccessLog())
			}
		})
	}
}

// A manifest named without a directory leaves the library's path unchanged.
//
// holds: DRV-021
func TestManifestWithoutADirectory(t *testing.T) {
	t.Parallel()
	w := loud(t)
	f := w.Driver("it")
	w.Write("work/bare.json", world.DriverManifest("../lib/it.so", "1.0.0"))
	f.MoveManifest("unused")
	w.Env["VK_DRIVER_FILES"] = "bare.json"
	w.Accesses()
	live(t, w).wants(t, success, "it")
	if !slices.Contains(w.AccessLog(), "dlopen ../lib/it.so 1") {
		t.Errorf("dlopen received something else: %q", w.AccessLog())
	}
}

// holds: DRV-025 DRV-026
func TestRealPathsInMessages(t *testing.T) {
	t.Parallel()
	const old = " supports Vulkan 1.3, but only supports loader interface version 4. Interface version 5 or newer required to support this version of Vulkan (Policy #LDP_DRIVER_7)"
	setUp := func(t *testing.T) (*world.World, *world.Fake) {
		w := loud(t)
		f := w.Driver("it", "interface 0 4", "device name=it")
		if err := os.MkdirAll(w.Path("links"), 0o755); err != nil {
			t.Fatal(err)
		}
		return w, f.Set("api_version", "1.3.0")
	}
	t.Run("a link", func(t *testing.T) {
		t.Parallel()
		w, f := setUp(t)
		link := w.Path("links/link.so")
		if err := os.Symlink(f.Library, link); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(f.Library + ".script")
		if err != nil {
			t.Fatal(err)
		}
		w.Write(link+".script", string(text))
		f.Set("library_path", w.Path("links")+"/../links/./link.so")
		w.Write(w.Path("links")+"/../links/./link.so.script", string(text))
		l := live(t, w)
		l.wants(t, success, "it")
		says(t, l.exit, "[WARN] loader_scanned_icd_add: Driver "+f.Library+old)
		quietAbout(t, l.exit, "was found to differ")
	})
	t.Run("a library in front of the driver", func(t *testing.T) {
		t.Parallel()
		w, f := setUp(t)
		front := w.Path("lib/front.so")
		source := w.Write("front.c", "")
		err := world.Compile("-shared", "-o", front, source, "-Wl,--no-as-needed", "-Wl,-rpath,"+w.Path("lib"), "-L"+w.Path("lib"), "-l:it.so")
		if err != nil {
			t.Fatal(err)
		}
		f.Set("library_path", front)
		l := live(t, w)
		l.wants(t, success, "it")
		says(t, l.exit, "[WARN] loader_scanned_icd_add: Driver "+f.Library+old,
			"[WARN|LAYER] Path to given binary "+front+" was found to differ from OS loaded path "+f.Library)
	})
	t.Run("a bare name", func(t *testing.T) {
		t.Parallel()
		w, f := setUp(t)
		f.Set("library_path", "it.so")
		w.Env["LD_LIBRARY_PATH"] = w.Path("lib")
		l := live(t, w)
		l.wants(t, success, "it")
		says(t, l.exit, "[WARN] loader_scanned_icd_add: Driver "+f.Library+old)
		quietAbout(t, l.exit, "was found to differ")
	})
}

// holds: DRV-005
func TestNoMemoryWhileReadingManifests(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"second.json", "found"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("first").MoveManifest("found")
			w.Driver("second").MoveManifest("found")
			w.Env["VK_DRIVER_FILES"] = w.Path("found")
			h := w.Start()
			h.Do("setenv", "name", "WORLD_NO_MEMORY", "value", what)
			listed := h.Do("instance_extensions", "count", "only", "before", "77")
			a := h.Do("create_instance")
			if listed.Result() != outOfMemory || a.Result() != outOfMemory || a.Int("written") != 0 {
				t.Errorf("results %d and %d, written %d", listed.Result(), a.Result(), a.Int("written"))
			}
			if len(w.Log()) != 0 {
				t.Errorf("drivers were asked: %q", w.Log().Names())
			}
			h.Do("unsetenv", "name", "WORLD_NO_MEMORY")
			h.OK("create_instance")
			h.Quit()
		})
	}
}
