package worlds

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/tool/machine"
	"vkloader/test/world"
)

var (
	howMany = flag.Int("worlds", 240, "how many worlds")
	first   = flag.Int64("seed", 1, "seed of the first world; the next one has the next")
)

// library is a fake that the manifests of all worlds choose from.
type library struct {
	kind   string
	usable bool
	lines  []string // that its script always has
}

var libraries = map[string]library{
	"D0": {world.Modern, true, nil}, "D1": {world.Modern, true, nil}, "D2": {world.OnlyGIPA, true, nil},
	"D3": {world.Oldest, true, []string{"interface 0 0"}}, "D4": {world.Modern, false, []string{"negotiate -9 7"}},
	"D5":          {world.NoExports, false, nil},
	"VK_LAYER_a1": {world.Layer, true, nil}, "VK_LAYER_a2": {world.Layer, true, nil},
	"VK_LAYER_b1": {world.LayerOld, true, nil}, "VK_LAYER_b2": {world.LayerOldGIPA, true, nil},
	"VK_LAYER_c1": {world.Layer, true, nil}, "VK_LAYER_c2": {world.LayerNegOnly, true, nil},
	"VK_LAYER_d1": {world.Layer, true, nil}, "VK_LAYER_d2": {world.LayerNothing, false, nil},
	"VK_LAYER_e1": {world.Layer, true, nil}, "VK_LAYER_e2": {world.Layer, true, nil},
	"odd1": {world.Layer, true, nil}, "odd2": {world.Layer, true, nil},
}

// worker shows one world after another, each to a process of its own.
type worker struct {
	*world.World
	t     *testing.T
	exe   string
	kinds map[string]int // how many worlds of each kind there were
}

func newWorker(t *testing.T) *worker {
	w := &worker{World: world.New(t), t: t, kinds: map[string]int{}}
	for _, name := range slices.Sorted(maps.Keys(libraries)) {
		w.Copy(libraries[name].kind, name)
	}
	w.BadBinary("bad")
	w.WrongClass("wrong")
	h := w.StartIdle()
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", h.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	w.exe = exe
	h.Quit()
	return w
}

func (w *worker) fill(text string) string {
	return strings.NewReplacer("$R", w.Root, "$EXE", w.exe).Replace(text)
}

// build makes the world on disk, in place of the last one.
func (w *worker) build(d *description) *view {
	for _, name := range []string{"system", "home", "c1", "c2", "xdg1", "xdg2", "log", "accesses"} {
		if err := os.RemoveAll(w.Path(name)); err != nil {
			w.t.Fatal(err)
		}
	}
	v := &view{Source: machine.Source{Elevated: d.env["WORLD_ELEVATED"] == "1", Program: w.exe}, root: w.Root,
		env: map[string]string{"HOME": w.Path("home"), "PATH": "/usr/bin:/bin", "LC_ALL": "C"}}
	for path, text := range d.files {
		path = v.redirected(w.fill(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(w.fill(text)), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	for name, l := range libraries {
		lines := slices.Concat([]string{"log " + world.Encode(w.Path("log")), "name " + name}, l.lines, d.scripts[name])
		if err := os.WriteFile(w.Path("lib", name+".so.script"), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	for name, value := range d.env {
		v.env[name] = w.fill(value)
	}
	w.Env = v.env
	return v
}

// show lets a program use the world; what it saw is written in the expectation's form.
func (w *worker) show(d *description) (e *expectation, died bool) {
	w.Accesses()
	h := w.Start()
	defer h.Exit()
	e = &expectation{}
	try := func(verb string, words ...string) world.Answer {
		a, ok := h.Try(verb, words...)
		died = died || !ok
		return a
	}
	try("state")
	before := len(w.AccessLog())
	words := []string{"flags", fmt.Sprint(d.flags), "app", "0"}
	if d.api != "" {
		words = []string{"flags", fmt.Sprint(d.flags), "api", d.api}
	}
	for _, name := range d.layers {
		words = append(words, "layer", name)
	}
	for _, name := range d.exts {
		words = append(words, "ext", name)
	}
	result := try("create_instance", words...).Result()
	for _, line := range w.AccessLog()[before:] {
		function, argument, _ := strings.Cut(line, " ")
		switch {
		case function == "opendir", function == "fopen" && strings.HasSuffix(argument, ".json"):
			e.lines = append(e.lines, line)
		case function == "dlopen":
			argument, _, _ = strings.Cut(argument, " ") // no flags
			e.lines = append(e.lines, "dlopen "+argument)
		}
	}
	for _, event := range w.Log().Fn("vkCreateInstance") {
		line := event.Text("who") + " creates, extensions "
		if event.Text("phase") == "enter" {
			e.lines = append(e.lines, fmt.Sprint(line, list(event.Strings("extensions")), ", layers ", list(event.Strings("layers")),
				", api ", event.Int("api")))
		} else if event.Text("phase") == "" {
			api := int64(-1)
			if app := event.Object("app"); app != nil {
				api = app.Int("api")
			}
			e.lines = append(e.lines, fmt.Sprint(line, list(once(event.Strings("extensions"))), ", layers ", event.Int("layer_count"), ", api ", api,
				", flags ", event.Int("flags")))
		}
	}
	e.lines = append(e.lines, fmt.Sprint("result ", result))
	if result == 0 {
		devices := try("physical_devices").Ints("devices")
		e.devices = len(devices)
		if e.devices > 0 {
			e.active = try("device_layers", "pd", world.Ref(devices[0])).Strings("layers")
		}
		try("destroy_instance")
	}
	for _, event := range w.Log().Fn("vkDestroyInstance") {
		if strings.HasPrefix(event.Text("who"), "D") {
			e.destroyed = append(e.destroyed, event.Text("who"))
		}
	}
	slices.Sort(e.destroyed)
	e.layers = try("instance_layers").Strings("layers")
	answer := try("instance_extensions")
	e.exts, e.extResult = answer.Strings("extensions"), int32(answer.Result())
	return e, died
}

// differences tells where a world did otherwise than decided.
func (w *worker) differences(d *description) string {
	v := w.build(d)
	want := w.expect(d, v)
	w.kinds[want.lines[len(want.lines)-1]]++
	w.kinds[fmt.Sprint(min(len(want.active), 4), " active")]++
	w.kinds[fmt.Sprint(min(len(want.layers), 6), " listed")]++
	w.kinds[fmt.Sprint(min(want.devices, 3), " devices")]++
	got, died := w.show(d)
	var out strings.Builder
	compare := func(what string, got, want []string) {
		if !slices.Equal(got, want) {
			fmt.Fprintf(&out, "%s:\n    got\n\t%s\n    want\n\t%s\n", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
	if died {
		out.WriteString("the process ended\n")
	}
	compare("vkCreateInstance", got.lines, want.lines)
	if got.devices != want.devices && want.lines[len(want.lines)-1] == "result 0" {
		fmt.Fprintf(&out, "%d devices, want %d\n", got.devices, want.devices)
	}
	if got.devices > 0 {
		compare("active layers", got.active, want.active)
	}
	compare("driver instances destroyed", got.destroyed, want.destroyed)
	compare("layers listed", got.layers, want.layers)
	if got.extResult != want.extResult {
		fmt.Fprintf(&out, "extensions: result %d, want %d\n", got.extResult, want.extResult)
	}
	compare("extensions listed", got.exts, want.exts)
	return strings.ReplaceAll(out.String(), w.Root, "$R")
}

// String shows a world so that it can be read, and made by hand.
func (d *description) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "program: api %q, flags %d, layers %v, extensions %v\n", d.api, d.flags, d.layers, d.exts)
	for _, name := range slices.Sorted(maps.Keys(d.env)) {
		fmt.Fprintf(&out, "%s=%s\n", name, d.env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(d.scripts)) {
		fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(d.scripts[name], "; "))
	}
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		fmt.Fprintf(&out, "%s: %s\n", path, d.files[path])
	}
	return out.String()
}

// smaller leaves out of a failing world what it fails without.
func (w *worker) smaller(d *description) {
	fails := func() bool { return w.differences(d) != "" }
	for path, text := range maps.Clone(d.files) {
		if delete(d.files, path); !fails() {
			d.files[path] = text
		}
	}
	for name, value := range maps.Clone(d.env) {
		if delete(d.env, name); !fails() {
			d.env[name] = value
		}
	}
	for _, names := range []*[]string{&d.layers, &d.exts} {
		for i := len(*names) - 1; i >= 0; i-- {
			all := *names
			if *names = slices.Delete(slices.Clone(all), i, i+1); !fails() {
				*names = all
			}
		}
	}
	for name, lines := range d.scripts {
		if d.scripts[name] = lines[:1]; !fails() {
			d.scripts[name] = lines
		}
	}
}

// holds: LAY-144 LAY-267 LAY-276 LAY-277 LAY-297 LAY-298 LAY-307 INS-025 INS-058 INS-060 INS-065 INS-067 INS-074
func TestWorlds(t *testing.T) {
	const workers = 4
	for k := range workers {
		t.Run(fmt.Sprint("worker", k), func(t *testing.T) {
			t.Parallel()
			w := newWorker(t)
			for i := k; i < *howMany; i += workers {
				seed := *first + int64(i)
				d := generate(seed)
				diff := w.differences(d)
				if diff == "" {
					continue
				}
				t.Errorf("seed %d: it did otherwise than decided\n%s", seed, diff)
				w.smaller(d)
				t.Fatalf("again: go test ./test/worlds -args -worlds 1 -seed %d\nits smaller form:\n%s%s", seed, d, w.differences(d))
			}
			t.Log(w.kinds)
			if *howMany >= 100 && (w.kinds["result 0"] < *howMany/40 || w.kinds["2 active"] == 0 || w.kinds["2 devices"] == 0) {
				t.Error("these worlds are too poor to show anything")
			}
		})
	}
}
