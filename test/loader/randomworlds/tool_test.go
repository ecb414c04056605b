package randomworlds

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vkloader/test/lib/world"
)

// explained is a driver or layer in the output of "explain --json".
type explained struct {
	Kind     string
	Order    int
	Name     string
	Manifest string
	Library  string
	Meta     bool
	NameOnly bool `json:"name_only"`
}

// wrongLibrary is the library of the other word size, whose header the tool reads (LAY-104).
var wrongLibrary = regexp.MustCompile(`\$R/[^"]*/wrong\.so`)

var linkDirectory = regexp.MustCompile(`\$R/(m\d+)/`)

// explain runs the built tool on the world, a copy of which is below another directory, with the paths that a program sees.
func (w *worker) explain(d *description) []explained {
	root := w.Path("tree")
	w.must(os.RemoveAll(root))
	wrong, err := os.ReadFile(w.Path("lib/wrong.so"))
	w.must(err)
	for path, text := range d.files {
		for _, library := range wrongLibrary.FindAllString(text, -1) {
			library = filepath.Join(root, w.fill.Replace(library))
			w.must(os.MkdirAll(filepath.Dir(library), 0o755))
			w.must(os.WriteFile(library, wrong, 0o644))
		}
		path = filepath.Join(root, w.fill.Replace(path))
		w.must(os.MkdirAll(filepath.Dir(path), 0o755))
		w.must(os.WriteFile(path, []byte(w.fill.Replace(text)), 0o644))
	}
	for path, target := range d.links {
		path = filepath.Join(root, w.fill.Replace(path))
		w.must(os.MkdirAll(filepath.Dir(path), 0o755))
		w.must(os.Symlink(w.fill.Replace(target), path))
	}
	program := filepath.Join(root, w.exe) // the tool reads the program's word size from it
	w.must(os.MkdirAll(filepath.Dir(program), 0o755))
	text, err := os.ReadFile(w.exe)
	w.must(err)
	w.must(os.WriteFile(program, text, 0o755))
	tool := filepath.Join(world.Top(), "build", "vkloader")
	args := []string{"--root", root, "explain", "--json", "--app", w.exe}
	if d.env["WORLD_ELEVATED"] == "1" {
		args = append(args, "--elevated")
	}
	for name, value := range w.environment(d) {
		args = append(args, "--env", name+"="+value)
	}
	out, err := exec.Command(tool, args...).Output()
	if err != nil {
		w.t.Fatalf("%s %s: %v", tool, strings.Join(args, " "), err)
	}
	var answer struct{ In []explained }
	if err := json.Unmarshal(out, &answer); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return answer.In
}

// foretold compares the tool's prediction for a program that enables no layer or extension with the behavior of such a program: which
// drivers and layers it gets, from which manifest, in which order. The oracle by statements checks how far a program gets.
func (w *worker) foretold(d *description, seen observation) (list []difference) {
	var layers, drivers []explained
	manifests := map[string]string{}
	for path, text := range d.files {
		for _, directory := range linkDirectory.FindAllStringSubmatch(text, -1) {
			manifests[w.Path(directory[1])] = w.fill.Replace(path)
		}
	}
	linked := func(path string) bool { // one manifest in two places
		return slices.ContainsFunc(slices.Collect(maps.Keys(d.links)), func(link string) bool {
			return strings.HasPrefix(path, w.fill.Replace(link))
		})
	}
	for i, one := range w.explain(d) {
		switch one.Kind {
		case "layer":
			layers = append(layers, one)
		case "driver":
			drivers = append(drivers, one)
		}
		if one.Order != len(layers) && one.Order != len(drivers) || one.Name == "" {
			list = append(list, difference{"the tool's order", []string{fmt.Sprintf("entry %d has no place: %+v", i, one)}, nil})
		}
		if want := manifests[filepath.Dir(one.Library)]; want != "" && filepath.Clean(one.Manifest) != filepath.Clean(want) && !linked(one.Manifest) {
			list = append(list, difference{"the tool's manifest of " + one.Library, []string{one.Manifest}, []string{want}})
		}
	}
	var told, active, chained []string
	for _, one := range drivers {
		told = append(told, one.Library)
	}
	for _, one := range layers {
		active = append(active, one.Name)
	}
	for _, one := range slices.Backward(layers) { // LAY-277
		if !one.Meta && !one.NameOnly {
			chained = append(chained, one.Library)
		}
	}
	opened, ok := seen.find("create 1: opened")
	if ok && len(opened) > len(told) { // the program got as far as layers
		told = append(told, chained...)
	}
	if ok && !slices.Equal(opened, told) {
		list = append(list, difference{"explained: opened", opened, told})
	}
	if n := slices.IndexFunc(seen, func(s section) bool { return s.name == "active layers" }); n >= 0 && !slices.ContainsFunc(seen, func(s section) bool { return strings.HasPrefix(s.name, "create 2") }) {
		if !slices.Equal(seen[n].lines, active) {
			list = append(list, difference{"explained: active layers", seen[n].lines, active})
		}
	}
	return list
}
