package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/internal/tool/term"
	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// judged is a driver or layer in the output of a command.
type judged struct {
	Subject, Name, Path, Manifest string
	Stage, But, Fault             string
	In, Used, Harmless            bool
	Order                         int
	Class                         int // of validate, which examines a library for programs of the library's word size
}

// key returns a driver's path, or a layer's name and path.
func (j *judged) key(layer bool) string {
	at := j.Path + j.Manifest
	if layer {
		return j.Subject + j.Name + " " + at
	}
	return at
}

// judgement is what a command says: the stage of each driver and layer by its key, those that programs get, the loader, and the verdict.
type judgement struct {
	of              map[string]judged
	gets            [2][]string // drivers and layers
	loader, verdict string
}

func (j *judgement) add(list []judged, layers bool) {
	kind := 0
	if layers {
		kind = 1
	}
	for _, one := range list {
		if one.Path+one.Manifest == "" || one.Stage == "" {
			continue
		}
		key := one.key(layers)
		j.of[key] = one
		if one.In || one.Used || one.Order > 0 {
			j.gets[kind] = append(j.gets[kind], key)
		}
	}
}

// commandsOf returns the judgements of the commands about a machine, and their output as text.
func commandsOf(t *testing.T, options []string) (by map[string]*judgement, text map[string]string, codes map[string]int) {
	t.Helper()
	by, text, codes = map[string]*judgement{}, map[string]string{}, map[string]int{}
	run := func(into any, name string, words ...string) {
		text[name], codes[name] = execute(t, slices.Concat(options, words)...)
		out, _ := execute(t, slices.Concat(options, words, []string{"--json"})...)
		if err := json.Unmarshal([]byte(out), into); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		by[name] = &judgement{of: map[string]judged{}}
		var about struct {
			Verdict string
			Loader  struct{ File string }
		}
		if err := json.Unmarshal([]byte(out), &about); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		by[name].loader, by[name].verdict = about.Loader.File, about.Verdict
	}
	var list struct{ Found []judged }
	run(&list, "list drivers", "list", "drivers")
	by["list drivers"].add(list.Found, false)
	list.Found = nil
	run(&list, "list layers", "list", "layers")
	by["list layers"].add(list.Found, true)
	var explained struct {
		In, Out []struct {
			judged
			Kind string
		}
	}
	run(&explained, "explain", "explain")
	for _, e := range slices.Concat(explained.In, explained.Out) {
		by["explain"].add([]judged{e.judged}, e.Kind == "layer")
	}
	for name, words := range map[string][]string{"first screen": nil, "doctor": {"doctor", "--full"}} {
		var report struct{ Drivers, Layers []judged }
		run(&report, name, words...)
		by[name].add(report.Drivers, false)
		by[name].add(report.Layers, true)
	}
	return by, text, codes
}

// compareJudgements requires the commands to agree about each driver and layer that two of them list, and to print the fault of each
// chosen one in words.
func compareJudgements(t *testing.T, by map[string]*judgement, text map[string]string) (compared, broken int) {
	t.Helper()
	for _, name := range []string{"list drivers", "list layers"} {
		for key, one := range by[name].of {
			for _, other := range []string{"explain", "first screen", "doctor"} {
				there, has := by[other].of[key]
				if !has {
					continue
				}
				compared++
				if there.Stage != one.Stage || there.But != one.But || there.Fault != one.Fault {
					t.Errorf("%s: %q %q by %s, %q %q by %s", key, one.Stage, one.But, name, there.Stage, there.But, other)
				}
			}
		}
	}
	for key, one := range by["explain"].of {
		if one.But == "" || one.Stage == "not chosen" {
			continue
		}
		broken++
		for _, command := range []string{"explain", "doctor", "first screen"} {
			if command == "first screen" && one.Harmless {
				continue
			}
			if squeezed := strings.Join(strings.Fields(text[command]), " "); !strings.Contains(squeezed, strings.Join(strings.Fields(term.OneLine(one.But)), " ")) {
				t.Errorf("%s does not say of %s that %s:\n%s", command, key, one.But, text[command])
			}
		}
	}
	return compared, broken
}

// On each machine of the suite, "list drivers", "list layers", "explain", the first screen and "doctor" agree on the stage of each driver
// and layer, and on the reason why it does not reach the next stage.
func TestOneJudgement(t *testing.T) {
	t.Parallel()
	onEachMachine(t, agree)
}

// onEachMachine runs a test on each machine of the suite. options are the tool's, which name the machine's root and variables.
func onEachMachine(t *testing.T, test func(t *testing.T, options []string)) {
	t.Helper()
	archives, err := filepath.Glob("testdata/[ms][ai][ct]*s/*.txtar") // machines and situations
	if err != nil || len(archives) < 200 {
		t.Fatalf("%d machines, %v", len(archives), err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			m, err := build(archive, root)
			if errors.Is(err, fs.ErrPermission) {
				t.Skip("only root gives a file to another user")
			} else if err != nil {
				t.Fatal(err)
			}
			options := []string{"--root", root}
			for _, variable := range m.env {
				options = append(options, "--env", variable)
			}
			test(t, options)
		})
	}
}

// agree requires all commands to agree about a machine.
func agree(t *testing.T, options []string) {
	t.Helper()
	by, text, codes := commandsOf(t, options)
	compareJudgements(t, by, text)
	for kind, list := range []string{"list drivers", "list layers"} {
		for _, name := range []string{list, "first screen", "doctor"} {
			got, want := by[name].gets[kind], by["explain"].gets[kind]
			if kind == 1 && name == list { // list layers has the order of the search
				got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
			}
			if !slices.Equal(got, want) {
				t.Errorf("programs get %q by %s, and %q by explain", got, name, want)
			}
			if by[name].loader != by["explain"].loader {
				t.Errorf("the loader is %q by %s, and %q by explain", by[name].loader, name, by["explain"].loader)
			}
		}
	}
	if by["doctor"].verdict != by["first screen"].verdict || codes["doctor"] != codes["first screen"] {
		t.Errorf("%q, exit code %d, by doctor; %q, exit code %d, by the first screen", by["doctor"].verdict, codes["doctor"], by["first screen"].verdict, codes["first screen"])
	}
	lost := false
	for _, one := range by["list drivers"].of {
		lost = lost || one.But != "" && one.Stage != "not chosen" && !one.Harmless
	}
	if lost && (codes["list drivers"] != 1 || codes["doctor"] != 1 || codes["first screen"] != 1) {
		t.Errorf("a driver gives programs nothing, and the exit codes are %v", codes)
	}
	paths := manifestsOf(by)
	if len(paths) == 0 {
		return
	}
	out, _ := execute(t, slices.Concat(options, []string{"validate", "--json"}, paths)...)
	var says struct {
		Files []struct {
			Path      string
			Libraries []judged
		}
	}
	if err := json.Unmarshal([]byte(out), &says); err != nil {
		t.Fatalf("%v: %v", paths, err)
	}
	for _, file := range says.Files {
		for _, l := range file.Libraries {
			for _, name := range []string{"list drivers", "list layers"} {
				for key, one := range by[name].of {
					if (key == file.Path || key == l.Name+" "+file.Path) && one.Fault != l.Fault && !(l.Class == 32 && one.Fault == "library-foreign") {
						t.Errorf("%s: %q by %s, %q by validate", key, one.Fault, name, l.Fault)
					}
				}
			}
		}
	}
}

// breakages are ways to break one library of a machine.
var breakages = []func(file string) error{
	os.Remove,
	func(file string) error { return os.Truncate(file, 100) },
	func(file string) error { return put(file, nil) },
	func(file string) error { return put(file, []byte("a text")) },
	func(file string) error { return put(file, ofWords("class=32", "machine=i386", "soname=libx.so")) },
	func(file string) error { return put(file, ofWords("soname=libx.so", "exports=nothing")) },
	func(file string) error {
		return put(file, ofWords("soname=libvulkan.so.1", "exports=vk_icdGetInstanceProcAddr"))
	},
	func(file string) error {
		return put(file, ofWords("soname=libx.so", "needed=libnowhere.so.1", "exports=vk_icdGetInstanceProcAddr,vkGetInstanceProcAddr"))
	},
	func(file string) error {
		return put(file, ofWords("soname=libx.so", "needed=libc.so.6", "exports=vk_icdGetInstanceProcAddr,vkGetInstanceProcAddr", "imports=memcpy@GLIBC_9.9@libc.so.6"))
	},
	func(file string) error {
		return errors.Join(os.Remove(file), os.Mkdir(file, 0o755))
	},
	func(file string) error {
		return errors.Join(os.Remove(file), os.Symlink("nowhere.so", file))
	},
}

func ofWords(words ...string) []byte {
	library, err := binary.Parse(words)
	if err != nil {
		panic(err)
	}
	return library.Bytes()
}

// The commands also agree on machines of the suite whose libraries were removed, cut off, replaced, or made dependent on missing ones.
func TestOneJudgementOfBrokenMachines(t *testing.T) {
	t.Parallel()
	for seed := range int64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewSource(seed))
			archive := []string{"healthy-64", "healthy-steam", "healthy-ci", "healthy-kvm", "laptop", "two-gpus", "twice"}[random.Intn(7)]
			root := t.TempDir()
			m, err := build("testdata/machines/"+archive+".txtar", root)
			if err != nil {
				t.Fatal(err)
			}
			var libraries []string
			err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() && strings.Contains(path, ".so") && !strings.Contains(path, "libc.so") {
					libraries = append(libraries, path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + random.Intn(4) {
				file, how := libraries[random.Intn(len(libraries))], random.Intn(len(breakages))
				t.Logf("%s: %s, breakage %d", archive, file, how)
				_ = breakages[how](file) // the library may already be removed
			}
			options := []string{"--root", root}
			for _, variable := range m.env {
				options = append(options, "--env", variable)
			}
			agree(t, options)
		})
	}
}

// manifestsOf lists the manifests in the judgements.
func manifestsOf(by map[string]*judgement) (list []string) {
	for _, name := range []string{"list drivers", "list layers"} {
		for _, one := range by[name].of {
			list = append(list, one.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A driver whose library is missing is shown with its fault by every command. Programs get nothing from it, so the exit code is 1.
func TestChosenButMissing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if _, err := build("testdata/machines/healthy-64.txtar", root); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(root, "usr/share/vulkan/icd.d/acme.json")
	if err := put(manifest, []byte(`{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":"/usr/lib/libacme.so"}}`)); err != nil {
		t.Fatal(err)
	}
	const want = "its library /usr/lib/libacme.so is missing"
	for _, words := range [][]string{{"list", "drivers"}, {"explain"}, {"doctor"}, {}} {
		out, code := execute(t, append([]string{"--root", root}, words...)...)
		if squeezed := strings.Join(strings.Fields(out), " "); !strings.Contains(squeezed, want) {
			t.Errorf("%q does not say %q:\n%s", words, want, out)
		}
		if code != 1 && !slices.Contains(words, "explain") {
			t.Errorf("%q: exit code %d", words, code)
		}
	}
	out, code := execute(t, "--root", root, "list", "layers")
	if code != 0 {
		t.Errorf("list layers: exit code %d: %s", code, out)
	}
}

// The page shows the fault of a driver and of a layer whose libraries are missing, in the chain and in the list of files.
func TestJudgementOnThePage(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_lost")
	s.write("share/vulkan/icd.d/gone.json", `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":"/none/libgone.so"}}`)
	s.serve()
	for _, page := range []string{"/page/program", "/page/files"} {
		text := s.page(page)
		for _, want := range []string{"its library /none/libgone.so is missing", "its library /none/lib.so is missing"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s", page, want, text)
			}
		}
	}
}

// After a trial, a driver is shown with the stage that it reached, in JSON and in words.
func TestStageOfTriedDrivers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good", "device name=good type=discrete")
	w.Driver("idle", "api 1.3.0")
	w.Driver("refuses", "device name=x", "result vkCreateInstance -3")
	out, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), "doctor", "--json")
	var report struct{ Drivers []judged }
	if err := json.Unmarshal([]byte(out), &report); err != nil || exit.Code != 1 {
		t.Fatalf("exit code %d, %v: %s", exit.Code, err, out)
	}
	for name, want := range map[string]judged{"good.json": {Stage: "shows devices"},
		"idle.json":    {Stage: "answered", But: "it lists no device", Fault: "driver-no-device", Harmless: true},
		"refuses.json": {Stage: "opened", But: "create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER", Fault: "driver-fails"}} {
		for _, got := range report.Drivers {
			if got.Name == name && (got.Stage != want.Stage || got.But != want.But || got.Fault != want.Fault || got.Harmless != want.Harmless) {
				t.Errorf("%s: %+v, not %+v", name, got, want)
			}
		}
	}
	if out, _ := w.Run(time.Minute, filepath.Join(built, "vkloader")); !strings.Contains(strings.Join(strings.Fields(out), " "),
		"good.json; refuses.json: create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER") {
		t.Errorf("the first screen: %s", out)
	}
}

// The first screen, doctor and "list devices" list the devices of one trial in one order, also where a driver fails and a variable hides one.
func TestDevicesOfAllCommands(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("small", "device name=Small type=integrated", "device name=Other type=cpu")
	w.Driver("big", "device name=Big type=discrete")
	w.Driver("bad", "device name=Bad type=discrete", "result vkCreateInstance -3")
	w.Driver("hidden", "device name=Hidden type=discrete")
	w.ImplicitLayer("VK_LAYER_turns", "reverse_devices")
	w.Env["VK_LOADER_DRIVERS_DISABLE"] = "hidden*"
	for _, words := range [][]string{{"--json"}, {"doctor", "--json"}, {"list", "devices", "--json"}} {
		out, _ := w.Run(time.Minute, tool, words...)
		var says struct {
			Devices []struct {
				Name string
				In   *bool
			}
		}
		if err := json.Unmarshal([]byte(out), &says); err != nil {
			t.Fatalf("%q: %v: %s", words, err, out)
		}
		var names []string
		for _, d := range says.Devices {
			if d.In == nil || *d.In {
				names = append(names, d.Name)
			}
		}
		if !slices.Equal(names, []string{"Other", "Small", "Big"}) {
			t.Errorf("%q: programs get %q", words, names)
		}
	}
}

// The page and --find-culprit agree with doctor about a trial: on the verdict, on the findings that a report shows, and on what fails.
func TestOneJudgementOfTrials(t *testing.T) {
	t.Parallel()
	for name, culprit := range map[string]func(w *world.World) string{
		"nothing": func(*world.World) string { return "" },
		"a layer": func(w *world.World) string {
			w.ImplicitLayer("VK_LAYER_bad", "die vkCreateInstance")
			return "VK_LAYER_bad"
		},
		"a driver": func(w *world.World) string {
			delete(w.Env, "VK_DRIVER_FILES")
			w.Driver("bad", "device name=bad", "die vkCreateDevice")
			w.Env["VK_DRIVER_FILES"] = w.Path("drivers/bad.json") + ":" + filepath.Join(built, "drivers/null_icd.json")
			return "bad.json"
		},
		"a variable": func(w *world.World) string {
			w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "0x9999"
			return "VK_LOADER_DEVICE_ID_FILTER"
		},
		"nothing, and a variable excludes a device": func(w *world.World) string {
			w.Driver("first", "device name=first vendor=0x1002 device=1")
			w.Driver("second", "device name=second vendor=0x8086 device=2")
			delete(w.Env, "VK_DRIVER_FILES")
			w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "1"
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := computing(t)
			want := culprit(w)
			code := min(len(want), 1)
			d := diagnosed(t, w, code, "--timeout", "2m")
			v := hunted(t, w, code, submitting, "--fails-with", "exit")
			var culprits, problems []string
			for _, c := range v.Culprits {
				culprits = append(culprits, c.Name)
			}
			home := t.TempDir()
			s := &uiSite{t: t, home: home, env: append(w.Environment(), "HOME="+home, "PATH="+os.Getenv("PATH"), "LD_LIBRARY_PATH="+readable(t)), root: true}
			_, page, _ := s.serve().ask(http.MethodPost, "/start/overview", url.Values{})
			shown := []string{d.Verdict}
			for _, f := range d.Findings {
				if f.Severity == "problem" {
					problems = append(problems, f.Subject)
				}
				if f.Because == "" && (f.Severity != "note" || f.Code == "gpu-left-out") {
					shown = append(shown, f.What)
				}
			}
			if strings.Join(culprits, " ") != want || strings.Join(problems, " ") != want {
				t.Errorf("%q by --find-culprit, %q by doctor, not %q", culprits, problems, want)
			}
			for _, text := range shown {
				if !strings.Contains(html.UnescapeString(page), text) {
					t.Errorf("the page does not say %q:\n%s", text, page)
				}
			}
		})
	}
}
