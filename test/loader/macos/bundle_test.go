package macos

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	made "vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// running skips a test unless the suites run with the library for macOS, with "make test TARGET=macos".
func running(t *testing.T) {
	t.Helper()
	if !world.MacOS() {
		t.Skip("make test TARGET=macos runs it")
	}
}

const (
	app       = "/Applications/X.app/Contents/MacOS/host"
	resources = "/Applications/X.app/Contents/Resources"
)

// tree is a machine below the directory of a world. It also contains the files that the interposer shows in place of
// the machine's.
type tree struct {
	w       *world.World
	program string            // a path on that machine
	file    string            // the same path without symbolic links
	env     map[string]string // paths are those on that machine
}

func newTree(t *testing.T, program string) *tree {
	w := world.New(t)
	w.Env["HOME"] = w.SystemPath("/home/u")
	return &tree{w: w, program: program, file: program, env: map[string]string{"HOME": "/home/u"}}
}

// driver puts a driver into a directory of manifests, with a library in the same directory, named by a relative path.
func (tr *tree) driver(name, directory string, members ...any) {
	f := tr.w.DriverKind(world.Modern, name)
	for i := 0; i+1 < len(members); i += 2 {
		f.Set(members[i].(string), members[i+1])
	}
	tr.place(f, filepath.Join(directory, "icd.d"))
}

func (tr *tree) layer(name, directory, kind string) {
	f := tr.w.ImplicitLayer(name)
	if kind == "explicit_layer.d" {
		f.Set("disable_environment", nil)
	}
	tr.place(f, filepath.Join(directory, kind))
}

const foreignSuffix = "-foreign" // of the names of manifests

// foreignLayer puts another manifest of a layer into a directory, with a library for other machines only.
func (tr *tree) foreignLayer(name, directory, kind string, machines ...string) {
	tr.w.T.Helper()
	library := tr.w.SystemPath("/foreign/" + name + ".dylib")
	tr.write(library, machO(machines...))
	at := tr.w.SystemPath(filepath.Join(directory, kind))
	relative, err := filepath.Rel(at, library)
	if err != nil {
		tr.w.T.Fatal(err)
	}
	tr.write(filepath.Join(at, name+foreignSuffix+".json"), fmt.Sprintf(`{"file_format_version": "1.2.1", "layer": {"name": %q, "type": "INSTANCE",
		"library_path": %q, "api_version": "1.3.0", "implementation_version": "1", "description": "foreign", "disable_environment": {"NO": "1"}}}`, name, relative))
}

// machO returns a library for machines; "other" is that of the slice which is not tested.
func machO(machines ...string) string {
	var parts []made.MachO
	for _, m := range machines {
		if m == "other" {
			m = map[string]string{"x86_64": "arm64", "arm64": "x86-64"}[world.Slice()]
		}
		parts = append(parts, made.MachO{Machine: m, Exports: []string{"vkNegotiateLoaderLayerInterfaceVersion"}})
	}
	return string(made.Mach(parts...))
}

// write writes a file with exactly the given content.
func (tr *tree) write(path, content string) {
	tr.w.T.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.w.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tr.w.T.Fatal(err)
	}
}

// place moves a manifest to a directory of the machine and names the library relative to it.
func (tr *tree) place(f *world.Fake, directory string) {
	tr.w.T.Helper()
	at := tr.w.SystemPath(directory)
	relative, err := filepath.Rel(at, f.Library)
	if err != nil {
		tr.w.T.Fatal(err)
	}
	f.Set("library_path", relative)
	f.MoveManifest(filepath.Join(at, f.Name+".json"))
}

func (tr *tree) set(name, value string) {
	tr.env[name] = value
	var list []string
	for _, path := range strings.Split(value, ":") {
		if strings.HasPrefix(path, "/") && tr.below(path) {
			path = tr.w.SystemPath(path)
		}
		list = append(list, path)
	}
	tr.w.Env[name] = strings.Join(list, ":")
}

// below reports whether the interposer does not show a path, so that the host needs the full path.
func (tr *tree) below(path string) bool {
	return !strings.HasPrefix(path, "/etc/") && !strings.HasPrefix(path, "/usr/")
}

// decision lists a program's drivers in the order of their opening, and its layers from the program down.
type decision struct{ drivers, layers []string }

func (d decision) String() string { return fmt.Sprint("drivers ", d.drivers, " layers ", d.layers) }

// byLibrary returns the library's decision in a program at its path.
func (tr *tree) byLibrary() (d decision, devices []string) {
	tr.w.T.Helper()
	tr.w.CopyHost(tr.w.SystemPath(tr.file))
	h := tr.w.StartProgram(tr.w.SystemPath(tr.program), tr.w.Loader)
	a := h.Do("create_instance", "api", "1.1.0")
	for _, who := range tr.w.Log().Fn("vk_icdNegotiateLoaderICDInterfaceVersion").Who() {
		if !slices.Contains(d.drivers, who) {
			d.drivers = append(d.drivers, who)
		}
	}
	for _, who := range tr.w.Log().Fn("vkCreateInstance").Who() {
		if strings.HasPrefix(who, "VK_LAYER_") && !slices.Contains(d.layers, who) {
			d.layers = append(d.layers, who)
		}
	}
	if a.Result() == 0 {
		for _, pd := range h.OK("physical_devices").Ints("devices") {
			devices = append(devices, h.Do("properties", "pd", world.Ref(pd)).Text("name"))
		}
		h.Do("destroy_instance")
	}
	h.Quit()
	return d, devices
}

// entry is a driver or layer in the tool's output.
type entry struct{ Kind, Name, Manifest, Library string }

// explained runs "vkloader explain --platform macos" for the same files, with an x86-64 program in place of the host.
func (tr *tree) explained() []entry {
	tr.w.T.Helper()
	tr.write(tr.w.SystemPath(tr.file), string(made.Mach(made.MachO{Machine: "x86-64", Program: true})))
	arguments := []string{"explain", "--platform", "macos", "--root", tr.w.Path("system"), "--app", tr.program, "--json"}
	if tr.w.Env["WORLD_ELEVATED"] != "" {
		arguments = append(arguments, "--elevated")
	}
	for name, value := range tr.env {
		arguments = append(arguments, "--env", name+"="+value)
	}
	out, err := exec.Command(filepath.Join(world.Top(), "build/vkloader"), arguments...).Output()
	if err != nil {
		tr.w.T.Fatalf("%v: %v", arguments, err)
	}
	var answer struct{ In []entry }
	if err := json.Unmarshal(out, &answer); err != nil {
		tr.w.T.Fatal(err)
	}
	return answer.In
}

// byTool returns the tool's decision, without layers whose only library is for another machine: these are selected,
// but cannot be opened.
func (tr *tree) byTool() (d decision) {
	tr.w.T.Helper()
	for _, e := range tr.explained() {
		switch name := strings.TrimSuffix(filepath.Base(e.Manifest), ".json"); {
		case e.Kind == "driver" && !slices.Contains(d.drivers, name):
			d.drivers = append(d.drivers, name)
		case strings.Contains(e.Kind, "layer") && !strings.HasSuffix(name, foreignSuffix):
			d.layers = append(d.layers, e.Name)
		}
	}
	return d
}

// The program's bundle precedes every directory, for drivers and layers. The driver that is found last has the first device.
//
// holds: MAC-002 MAC-003 MAC-006 MAC-026 MAC-016
func TestBundleFirst(t *testing.T) {
	t.Parallel()
	running(t)
	tr := newTree(t, app)
	tr.driver("system", "/usr/share/vulkan")
	tr.driver("bundled", resources+"/vulkan")
	tr.driver("more", resources+"/vulkan")
	tr.layer("VK_LAYER_bundled", resources+"/vulkan", "implicit_layer.d")
	d, devices := tr.byLibrary()
	slices.Sort(d.drivers[:2])
	if want := []string{"bundled", "more", "system"}; !slices.Equal(d.drivers, want) {
		t.Errorf("drivers %v, want %v", d.drivers, want)
	}
	if len(devices) != 3 || devices[0] != "system" {
		t.Errorf("devices %v", devices)
	}
	if !slices.Equal(d.layers, []string{"VK_LAYER_bundled"}) {
		t.Errorf("layers %v", d.layers)
	}
}

// A framework's resources are those of its version. A directory without Contents/MacOS is no bundle.
//
// holds: MAC-005
func TestPlacesOfBundles(t *testing.T) {
	t.Parallel()
	running(t)
	for program, at := range map[string]string{
		app: resources,
		"/Library/Frameworks/F.framework/Versions/A/host": "/Library/Frameworks/F.framework/Versions/A/Resources",
		"/opt/homebrew/bin/host":                          "",
		"/x/Contents/host":                                "",
		"/x/MacOS/host":                                   "",
		"/F.framework/A/host":                             "",
	} {
		tr := newTree(t, program)
		want := []string{"system"}
		tr.driver("system", "/etc/vulkan")
		for i, directory := range []string{filepath.Dir(program) + "/Resources", filepath.Dir(filepath.Dir(program)) + "/Resources"} {
			tr.driver(fmt.Sprint("bundled", i), directory+"/vulkan")
			if directory == at {
				want = []string{fmt.Sprint("bundled", i), "system"}
			}
		}
		if d, _ := tr.byLibrary(); !slices.Equal(d.drivers, want) {
			t.Errorf("%s: %v, want %v", program, d.drivers, want)
		}
		if d := tr.byTool(); !slices.Equal(d.drivers, want) {
			t.Errorf("%s: the tool says %v, want %v", program, d.drivers, want)
		}
	}
}

// VK_LOADER_SEARCH_ONLY_IN_BUNDLE, of any value, ends every search after the bundle.
//
// holds: MAC-007 MAC-008 MAC-009
func TestOnlyInBundle(t *testing.T) {
	t.Parallel()
	running(t)
	for _, value := range []string{"1", "0", ""} {
		for _, program := range []string{app, "/usr/local/bin/host"} {
			tr := newTree(t, program)
			tr.driver("bundled", resources+"/vulkan")
			tr.driver("system", "/usr/local/share/vulkan")
			tr.layer("VK_LAYER_system", "/usr/local/share/vulkan", "implicit_layer.d")
			tr.set("VK_LOADER_SEARCH_ONLY_IN_BUNDLE", value)
			want := decision{}
			if program == app {
				want.drivers = []string{"bundled"}
			}
			if d, _ := tr.byLibrary(); d.String() != want.String() {
				t.Errorf("%q, %s: %v, want %v", value, program, d, want)
			}
			if d := tr.byTool(); d.String() != want.String() {
				t.Errorf("%q, %s: the tool says %v, want %v", value, program, d, want)
			}
		}
	}
}

// An elevated program ignores the variables.
//
// holds: MAC-010 MAC-013
func TestRaisedRights(t *testing.T) {
	t.Parallel()
	running(t)
	tr := newTree(t, app)
	tr.driver("bundled", resources+"/vulkan")
	tr.driver("system", "/etc/vulkan")
	tr.driver("named", "/named")
	tr.set("VK_LOADER_SEARCH_ONLY_IN_BUNDLE", "1")
	tr.set("VK_DRIVER_FILES", "/named/icd.d/named.json")
	if d, _ := tr.byLibrary(); !slices.Equal(d.drivers, []string{"named"}) {
		t.Errorf("drivers %v", d.drivers)
	}
	tr.w.Env["WORLD_ELEVATED"] = "1"
	os.Remove(tr.w.Path("log"))
	if d, _ := tr.byLibrary(); !slices.Equal(d.drivers, []string{"bundled", "system"}) {
		t.Errorf("elevated: drivers %v", d.drivers)
	}
}

// A variable that names drivers replaces the bundle, one that adds drivers comes before it.
//
// holds: MAC-004 MAC-011
func TestVariablesAndBundle(t *testing.T) {
	t.Parallel()
	running(t)
	for variable, want := range map[string][]string{"VK_DRIVER_FILES": {"named"}, "VK_ADD_DRIVER_FILES": {"named", "bundled"}} {
		tr := newTree(t, app)
		tr.driver("bundled", resources+"/vulkan")
		tr.driver("named", "/named")
		tr.set(variable, "/named/icd.d/named.json")
		if d, _ := tr.byLibrary(); !slices.Equal(d.drivers, want) {
			t.Errorf("%s: drivers %v, want %v", variable, d.drivers, want)
		}
		if d := tr.byTool(); !slices.Equal(d.drivers, want) {
			t.Errorf("%s: the tool says %v, want %v", variable, d.drivers, want)
		}
	}
}

// programs are paths of programs, with the resources of their bundles: a name with a space, App Translocation, a
// framework; the last program has no bundle.
var programs = [][2]string{
	{app, resources}, {app, resources},
	{"/Applications/My Game.app/Contents/MacOS/My Game", "/Applications/My Game.app/Contents/Resources"},
	{"/private/var/folders/x/T/AppTranslocation/1-2/d/X.app/Contents/MacOS/host", "/private/var/folders/x/T/AppTranslocation/1-2/d/X.app/Contents/Resources"},
	{"/Library/Frameworks/F.framework/Versions/A/host", "/Library/Frameworks/F.framework/Versions/A/Resources"},
	{"/usr/local/bin/host", resources},
}

// directories are those of the statements, and a few others.
var directories = []string{"/home/u/.config/vulkan", "/etc/xdg/vulkan", "/usr/local/etc/vulkan", "/etc/vulkan",
	"/home/u/.local/share/vulkan", "/usr/local/share/vulkan", "/usr/share/vulkan", "/a/vulkan", "/b/vulkan", "/opt/homebrew/share/vulkan"}

// TestRandomMachines compares the decisions of the library and of the tool on random machines.
//
// holds: MAC-002..009 MAC-011
func TestRandomMachines(t *testing.T) {
	t.Parallel()
	running(t)
	if world.Slice() != "x86_64" {
		t.Skip("the tool that decides beside the library is of x86-64")
	}
	count := 500
	if testing.Short() {
		count = 20
	}
	found, layered, bundled, elevated, twins := 0, 0, 0, 0, 0
	for seed := range int64(count) {
		r := rand.New(rand.NewSource(seed))
		one := func(in int) bool { return r.Intn(in) == 0 }
		program := programs[r.Intn(len(programs))]
		places := append([]string{program[1] + "/vulkan"}, directories...)
		tr := newTree(t, program[0])
		if one(4) { // started through a link
			tr.program = "/links/game"
			tr.linked(map[string]string{tr.program: ".." + program[0]})
		}
		drivers, layers := map[string]int{}, map[string]int{} // by directory
		for i := range 1 + r.Intn(3) {
			var members []any
			if one(8) {
				members = []any{"is_portability_driver", true}
			}
			at := places[r.Intn(len(places))]
			drivers[at]++
			tr.driver(fmt.Sprint("d", i), at, members...)
		}
		for i := range r.Intn(4) {
			at := places[r.Intn(len(places))]
			layers[at]++
			kind := []string{"implicit_layer.d", "implicit_layer.d", "explicit_layer.d"}[r.Intn(3)]
			tr.layer(fmt.Sprint("VK_LAYER_", i), at, kind)
			if one(4) {
				at := places[r.Intn(len(places))]
				layers[at]++
				tr.foreignLayer(fmt.Sprint("VK_LAYER_", i), at, kind, [][]string{{"other"}, {"other", "i386"}}[r.Intn(2)]...)
				twins++
			}
		}
		for _, v := range []string{"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"} {
			if one(4) {
				tr.set(v, []string{"/a", "/b:/a", "", "/a:/etc"}[r.Intn(4)])
			}
		}
		for _, v := range []string{"VK_ADD_DRIVER_FILES", "VK_DRIVER_FILES", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH", "VK_ADD_LAYER_PATH"} {
			if one(8) {
				kind := map[bool]string{true: "icd.d", false: "implicit_layer.d"}[strings.Contains(v, "DRIVER")]
				tr.set(v, places[r.Intn(len(places))]+"/"+kind)
			}
		}
		if one(6) {
			tr.set("VK_LOADER_SEARCH_ONLY_IN_BUNDLE", "0")
		}
		if one(6) {
			tr.w.Env["WORLD_ELEVATED"] = "1"
			elevated++
		}
		if one(6) {
			tr.set("VK_LOADER_LAYERS_ENABLE", "VK_LAYER_[0-9]")
		}
		if one(6) {
			tr.set("VK_LOADER_DRIVERS_DISABLE", "d1*")
		}
		want, got := tr.byTool(), decision{}
		got, _ = tr.byLibrary()
		if len(want.drivers) == 0 { // without a driver, no layer is called
			want.layers, got.layers = nil, nil
		}
		for _, pair := range []struct {
			in   map[string]int
			a, b []string
		}{{drivers, want.drivers, got.drivers}, {layers, want.layers, got.layers}} {
			// the order within a directory depends on the file system
			if slices.Max(append(slices.Collect(maps.Values(pair.in)), 0)) > 1 {
				slices.Sort(pair.a)
				slices.Sort(pair.b)
			}
		}
		if got.String() != want.String() {
			t.Errorf("machine %d, %v: the library has %v, the tool %v", seed, tr.env, got, want)
		}
		if len(got.drivers) > 0 {
			found++
		}
		if len(got.layers) > 0 {
			layered++
		}
		if len(got.drivers) > 0 && drivers[places[0]] > 0 && program[0] != "/usr/local/bin/host" {
			bundled++
		}
	}
	if found < count/3 || layered < count/10 || bundled < count/20 || elevated < count/20 || twins < count/20 {
		t.Error("the machines are too plain")
	}
	t.Logf("of %d machines %d have drivers, %d layers, %d drivers of a bundle, %d elevated programs; %d layers are of another machine, too",
		count, found, layered, bundled, elevated, twins)
}
