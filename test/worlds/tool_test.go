package worlds

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var toolWorlds = flag.Int("toolworlds", 80, "how many worlds the tool explains")

// plain turns a world into one whose program asks for nothing of its own, which is what explain decides for. Each file
// names libraries through a folder of its own, so that a library's path tells which manifest it was opened for.
func (d *description) plain(w *worker) (manifests map[string]string) {
	d.api, d.flags, d.layers, d.exts = "", 0, nil, nil
	manifests = map[string]string{}
	for i, path := range slices.Sorted(maps.Keys(d.files)) {
		folder := fmt.Sprintf("m%d", i)
		d.files[path] = strings.ReplaceAll(d.files[path], "$R/lib/", "$R/"+folder+"/")
		manifests[w.Path(folder)] = w.fill(path)
	}
	return manifests
}

// copyBelow lays the world's files out once more below a folder, at the paths at which a program sees them.
func (w *worker) copyBelow(root string, d *description, manifests map[string]string) {
	if err := os.RemoveAll(root); err != nil {
		w.t.Fatal(err)
	}
	for path, text := range d.files {
		path = filepath.Join(root, w.fill(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(w.fill(text)), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	for folder := range manifests {
		if err := os.Symlink(w.Path("lib"), folder); err != nil && !os.IsExist(err) {
			w.t.Fatal(err)
		}
	}
}

// told is one driver or layer of "explain --json".
type told struct {
	Kind     string
	Order    int
	Name     string
	Manifest string
	Library  string
	Meta     bool
	NameOnly bool `json:"name_only"`
}

// explain runs the built tool on the world below root.
func (w *worker) explain(root string, v *view) []told {
	tool, err := filepath.Abs("../../build/vkloader")
	if err != nil {
		w.t.Fatal(err)
	}
	args := []string{"--root", root, "explain", "--json", "--app", w.exe}
	if v.Elevated {
		args = append(args, "--elevated")
	}
	for name, value := range v.env {
		args = append(args, "--env", name+"="+value)
	}
	out, err := exec.Command(tool, args...).Output()
	if err != nil {
		w.t.Fatalf("%s %s: %v", tool, strings.Join(args, " "), err)
	}
	var answer struct{ In []told }
	if err := json.Unmarshal(out, &answer); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return answer.In
}

// foretold turns what the tool said into what the fakes must see.
func (w *worker) foretold(in []told, d *description, manifests map[string]string) (opened, creates, active []string, faults string) {
	var layers, drivers []told
	for i, one := range in {
		switch one.Kind {
		case "layer":
			layers = append(layers, one)
		case "driver":
			drivers = append(drivers, one)
		}
		if one.Order != 1+len(layers)-1 && one.Order != 1+len(drivers)-1 || one.Name == "" {
			faults += fmt.Sprintf("entry %d has no place: %+v\n", i, one)
		}
		if want := manifests[filepath.Dir(one.Library)]; want != "" && filepath.Clean(one.Manifest) != filepath.Clean(want) {
			faults += fmt.Sprintf("%s is of the manifest %s, not %s\n", one.Library, want, one.Manifest)
		}
	}
	fakeOf := func(library string) *fake {
		if manifests[filepath.Dir(library)] != "" {
			library = w.Path("lib", filepath.Base(library))
		}
		return w.library(library, d.scripts)
	}
	var driversCreate []string
	usable, failed, ended := false, false, false
	for _, one := range drivers {
		opened = append(opened, one.Library)
		f := fakeOf(one.Library)
		if !f.usable {
			continue
		}
		listed := f.result("vkEnumerateInstanceExtensionProperties")
		failed = failed || listed == -1 // INS-017
		if listed != 0 {                // ERRATA 20
			continue
		}
		usable = true
		if !ended {
			driversCreate = append(driversCreate, f.name)
		}
		ended = ended || f.result("vkCreateInstance") == -1 // INS-074
	}
	if !usable || failed { // no further than the drivers
		return opened, nil, nil, faults
	}
	for _, one := range layers {
		active = append(active, one.Name)
		if one.Meta || one.NameOnly {
			continue
		}
		if f := fakeOf(one.Library); f.usable {
			creates = append(creates, f.name)
		}
	}
	for i := len(layers) - 1; i >= 0; i-- { // LAY-277
		if one := layers[i]; !one.Meta && !one.NameOnly {
			opened = append(opened, one.Library)
		}
	}
	return opened, append(creates, driversCreate...), active, faults
}

// What "vkloader explain --json" prints is what fake drivers and layers then see: which of them, for which manifest, in
// which order.
func TestExplainForetells(t *testing.T) {
	const workers = 4
	for k := range workers {
		t.Run(fmt.Sprint("worker", k), func(t *testing.T) {
			t.Parallel()
			w := newWorker(t)
			for i := k; i < *toolWorlds; i += workers {
				seed := *first + int64(i)
				d := generate(seed)
				manifests := d.plain(w)
				v := w.build(d)
				w.copyBelow(w.Path("tree"), d, manifests)
				// The tool reads folders of another machine by name; a file system gives them in an order of its own.
				v.env["WORLD_SORTED"] = "1"
				in := w.explain(w.Path("tree"), v)
				opened, creates, active, faults := w.foretold(in, d, manifests)
				got, died := w.show(d)
				if died {
					faults += "the process ended\n"
				}
				var gotOpened, gotCreates []string
				for _, line := range got.lines {
					if library, ok := strings.CutPrefix(line, "dlopen "); ok {
						gotOpened = append(gotOpened, library)
					} else if who, _, ok := strings.Cut(line, " creates, "); ok {
						gotCreates = append(gotCreates, who)
					}
				}
				compare := func(what string, got, want []string) {
					if !slices.Equal(got, want) {
						faults += fmt.Sprintf("%s:\n    seen\n\t%s\n    told\n\t%s\n", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
					}
				}
				compare("libraries opened", gotOpened, opened)
				compare("instances created", gotCreates, creates)
				if got.devices > 0 {
					compare("active layers", got.active, active)
				}
				w.kinds[fmt.Sprint(min(len(active), 4), " active")]++
				w.kinds[fmt.Sprint(min(len(creates), 6), " created")]++
				if len(active) > 0 && len(creates) > 1 {
					w.kinds["a chain"]++
				}
				if faults != "" {
					t.Fatalf("seed %d: it did otherwise than explained\n%s\nagain: go test ./test/worlds -run Foretells -args -toolworlds 1 -seed %d\n%s",
						seed, strings.ReplaceAll(faults, w.Root, "$R"), seed, d)
				}
			}
			t.Log(w.kinds)
			if *toolWorlds >= 80 && w.kinds["a chain"] < *toolWorlds/80 {
				t.Error("these worlds are too poor to show anything")
			}
		})
	}
}
