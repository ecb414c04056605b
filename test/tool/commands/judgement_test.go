package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
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
	Harmless                      bool
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

// judgement is the stage of each driver and layer by its key.
type judgement map[string]judged

func (j judgement) add(list []judged, layers bool) {
	for _, one := range list {
		if one.Path+one.Manifest != "" && one.Stage != "" {
			j[one.key(layers)] = one
		}
	}
}

// commandsOf returns the judgements of the commands about a machine, and their output as text.
func commandsOf(t *testing.T, options []string) (by map[string]judgement, text map[string]string, codes map[string]int) {
	t.Helper()
	by, text, codes = map[string]judgement{}, map[string]string{}, map[string]int{}
	run := func(into any, name string, words ...string) {
		text[name], codes[name] = execute(t, slices.Concat(options, words)...)
		out, _ := execute(t, slices.Concat(options, words, []string{"--json"})...)
		if err := json.Unmarshal([]byte(out), into); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		by[name] = judgement{}
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
func compareJudgements(t *testing.T, by map[string]judgement, text map[string]string) (compared, broken int) {
	t.Helper()
	for _, name := range []string{"list drivers", "list layers"} {
		for key, one := range by[name] {
			for _, other := range []string{"explain", "first screen", "doctor"} {
				there, has := by[other][key]
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
	for key, one := range by["explain"] {
		if one.But == "" || one.Stage == "not chosen" {
			continue
		}
		broken++
		for _, command := range []string{"explain", "doctor", "first screen"} {
			if command == "first screen" && one.Harmless {
				continue
			}
			if squeezed := strings.Join(strings.Fields(text[command]), " "); !strings.Contains(squeezed, term.OneLine(one.But)) {
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
	archives, err := filepath.Glob("testdata/machines/*.txtar")
	if err != nil || len(archives) < 40 {
		t.Fatalf("%d machines, %v", len(archives), err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			m, err := build(archive, root)
			if err != nil {
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
	lost := false
	for _, one := range by["list drivers"] {
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
				for key, one := range by[name] {
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
func manifestsOf(by map[string]judgement) (list []string) {
	for _, name := range []string{"list drivers", "list layers"} {
		for _, one := range by[name] {
			list = append(list, one.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A driver whose library is missing is shown as chosen, with its fault. Programs get nothing from it, so the exit code is 1.
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
	const want = "chosen, but its library /usr/lib/libacme.so is missing"
	for _, words := range [][]string{{"list", "drivers"}, {"list"}, {"explain"}, {"doctor"}, {}} {
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

// The page shows the stage of a driver and of a layer whose libraries are missing, in the chain and in the list of files.
func TestJudgementOnThePage(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_lost")
	s.write("share/vulkan/icd.d/gone.json", `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":"/none/libgone.so"}}`)
	s.serve()
	for _, page := range []string{"/page/program", "/page/files"} {
		text := s.page(page)
		for _, want := range []string{"chosen, but its library /none/libgone.so is missing", "chosen, but its library /none/lib.so is missing"} {
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
		"good.json; refuses.json: opened, but create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER") {
		t.Errorf("the first screen: %s", out)
	}
}
