package randomworlds

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// library is a fake that the manifests of all worlds may use.
type library struct {
	kind   string
	usable bool
	lines  []string // lines that its script always has
}

var libraries = map[string]library{
	"D0": {world.Modern, true, nil}, "D1": {world.Modern, true, nil}, "D2": {world.OnlyGIPA, true, nil},
	"D3": {world.Oldest, true, []string{"interface 0 0"}}, "D4": {world.Modern, false, []string{"negotiate -9 7"}},
	"D5": {world.NoExports, false, nil}, "D6": {world.NoGPDPA, true, nil},
	"VK_LAYER_a1": {world.Layer, true, nil}, "VK_LAYER_a2": {world.Layer, true, nil},
	"VK_LAYER_b1": {world.LayerOld, true, nil}, "VK_LAYER_b2": {world.LayerOldGIPA, true, nil},
	"VK_LAYER_c1": {world.Layer, true, nil}, "VK_LAYER_c2": {world.LayerNegOnly, true, nil},
	"VK_LAYER_d1": {world.Layer, true, nil}, "VK_LAYER_d2": {world.LayerNothing, false, nil},
	"VK_LAYER_e1": {world.Layer, true, nil}, "VK_LAYER_e2": {world.LayerRenamed, true, nil},
	"odd1": {world.Layer, true, nil}, "odd2": {world.Layer, true, nil},
}

// A manifest names its libraries through a separate directory, m0, m1, ..., so that a path identifies the manifest. All of them are links
// to one directory.
const maxLinks = 40

// worker runs one world after another, each in a separate process, which is a child of one host.
type worker struct {
	*world.World
	t     *testing.T
	exe   string
	host  *world.Host
	fill  *strings.Replacer
	kinds map[string]int // number of worlds of each kind
	met   map[string]int // known differences of the reference that occurred

	texts                map[string]string // the scripts on disk
	written, directories map[string]bool   // of the world
}

func newWorker(t *testing.T) *worker {
	w := &worker{World: world.New(t), t: t, kinds: map[string]int{}, met: map[string]int{}, texts: map[string]string{},
		written: map[string]bool{}, directories: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(libraries)) {
		w.Copy(libraries[name].kind, name)
	}
	w.BadBinary("bad")
	w.WrongClass("wrong")
	if err := os.Symlink(w.Path("lib"), w.Path("direct")); err != nil {
		t.Fatal(err)
	}
	for i := range maxLinks {
		if err := os.Symlink(w.Path("lib"), w.Path(fmt.Sprint("m", i))); err != nil {
			t.Fatal(err)
		}
	}
	w.Accesses()
	w.Env["WORLD_ACCESS_OF"] = "opendir fopen dlopen"
	w.host = w.StartIdle()
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", w.host.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	w.exe = exe
	w.fill = strings.NewReplacer("$R", w.Root, "$EXE", exe)
	return w
}

// shown are the directories that the interposer redirects to the world's root.
var shown = []string{"/etc/vulkan", "/etc/xdg/vulkan", "/usr/local/etc/vulkan", "/usr/share/vulkan", "/usr/local/share/vulkan"}

func (w *worker) redirected(path string) string {
	for _, directory := range shown {
		if strings.HasPrefix(path, directory+"/") {
			return w.Root + "/system" + path
		}
	}
	return path
}

// build creates the world on disk, replacing the last one.
func (w *worker) build(d *description) {
	for path := range w.written { // directories may stay
		w.must(os.Remove(path))
		if directory := filepath.Dir(path); strings.HasSuffix(directory, ".json") {
			w.must(os.RemoveAll(directory))
			delete(w.directories, directory)
		}
	}
	clear(w.written)
	for _, name := range []string{"log", "accesses"} {
		w.must(os.RemoveAll(w.Path(name)))
	}
	for path, text := range d.files {
		w.put(w.redirected(w.fill.Replace(path)), w.fill.Replace(text))
	}
	for path, target := range d.links {
		path = w.redirected(w.fill.Replace(path))
		w.must(os.MkdirAll(filepath.Dir(path), 0o755))
		w.must(os.Symlink(w.redirected(w.fill.Replace(target)), path))
		w.written[path] = true
	}
	for name := range libraries {
		w.script(name, d.scripts[name])
	}
}

func (w *worker) must(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *worker) put(path, text string) {
	if directory := filepath.Dir(path); !w.directories[directory] {
		w.must(os.MkdirAll(directory, 0o755))
		w.directories[directory] = true
	}
	path = filepath.Clean(path)
	w.must(os.WriteFile(path, []byte(text), 0o644))
	w.written[path] = true
}

// script writes a fake's lines.
func (w *worker) script(name string, lines []string) {
	head := []string{"log " + world.Encode(w.Path("log")), "name " + name, "steady"}
	text := strings.Join(slices.Concat(head, libraries[name].lines, lines), "\n") + "\n"
	if w.texts[name] == text {
		return
	}
	w.must(os.WriteFile(w.Path("lib", name+".so.script"), []byte(text), 0o644))
	w.texts[name] = text
}

// environment returns the variables of the world's processes.
func (w *worker) environment(d *description) map[string]string {
	env := map[string]string{"WORLD_SORTED": "1", "HOME": w.Path("home")}
	for name, value := range d.env {
		env[name] = w.fill.Replace(value)
	}
	return env
}

// try is one vkCreateInstance. The first one requests everything that the program wants. Each following one omits the names that the
// previous one refused, so that most worlds get a device.
type try struct {
	layers, exts []string
	mild         bool // no fake fails to create
	given        bool // VK_DRIVER_FILES names a good driver, and no filter hides it
}

const goodDriver = "$R/good/driver.json"

func (t try) next(result int32) (try, bool) {
	switch {
	case result == 0:
		return t, false
	case result == -6 && len(t.layers) > 0:
		t.layers = nil
	case result == -7 && len(t.exts) > 0:
		t.exts = nil
	case !t.mild:
		t.mild = true
	case !t.given:
		t.given = true
	default:
		return t, false
	}
	return t, true
}

// gentle returns a script without the statements that make creation fail.
func gentle(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		words := strings.Fields(line)
		return (words[0] == "result" || words[0] == "error") && !strings.Contains(words[1], "Device") || words[0] == "negotiate"
	})
}

// section is a part of an observation.
type section struct {
	name  string
	lines []string
}

// observation is the visible behavior of a world, in order.
type observation []section

func (o *observation) add(name string, lines ...string) {
	*o = append(*o, section{name, lines})
}

func (o observation) find(name string) ([]string, bool) {
	for _, s := range o {
		if s.name == name {
			return s.lines, true
		}
	}
	return nil, false
}

// guest is a process in a world.
type guest struct {
	w     *worker
	seen  observation
	log   int // bytes of the fakes' log so far
	reads int // lines of the interposer's log so far
	said  int // bytes on standard error so far
	ended world.Answer

	loader string
	spent  []string // drivers whose instances ended while the allocator was short of blocks
}

// do performs a command of the host. After the end of the process it does nothing.
func (g *guest) do(verb string, words ...string) world.Answer {
	if g.ended != nil {
		return world.Answer{}
	}
	answer := g.w.host.Do(verb, words...)
	if answer.Has("ended") {
		g.ended = answer
		return world.Answer{}
	}
	return answer
}

// rest returns the new lines of the fakes' log.
func (g *guest) rest() world.Log {
	fresh, bytes := g.w.LogFrom(g.log)
	g.log = bytes
	return fresh
}

// accesses returns the interposer's new records.
func (g *guest) accesses() []string {
	log := g.w.AccessLog()
	fresh := log[min(g.reads, len(log)):]
	g.reads = len(log)
	return fresh
}

// messages returns the loader's new lines: "ERROR|LAYER: text".
func (g *guest) messages() []string {
	text := g.w.host.Stderr()
	fresh := text[g.said:]
	g.said = len(text)
	var lines []string
	for _, line := range strings.Split(fresh, "\n") {
		line, ok := strings.CutPrefix(line, "[Vulkan Loader] ")
		if !ok {
			continue
		}
		tag, body, _ := strings.Cut(line, ":")
		if n := 32 - len("[Vulkan Loader] "+tag+":"); n > 0 && n <= len(body) {
			body = body[n:]
		} else {
			body = strings.TrimPrefix(body, " ")
		}
		lines = append(lines, strings.ReplaceAll(tag, " | ", "|")+": "+body)
	}
	return lines
}

// list formats names in the same way for both sides.
func list(names []string) string { return "[" + strings.Join(names, " ") + "]" }

// once removes repetitions, which the statements permit (INS-061).
func once(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// show runs a program in the world with a loader and returns the observation.
func (w *worker) show(d *description, loader string) observation {
	g := &guest{w: w, loader: loader}
	w.host.ForgetStderr()
	g.do("child")
	var words []string
	for name, value := range w.environment(d) {
		words = append(words, "name", name, "value", value)
	}
	g.do("setenv", append(words, "name", "VK_LOADER_DEBUG", "value", "all")...)
	if loader == world.SystemLibrary { // its memory leaks are not judged
		g.do("unsetenv", "name", "WORLD_LOST")
	}
	g.do("open", "path", loader)
	g.globals(d)
	t := try{layers: d.app.layers, exts: d.app.exts}
	for n := 1; ; n++ {
		result := g.create(d, t, n)
		next, more := t.next(result)
		if result == 0 {
			g.instance(d, t)
			g.rationed(d, t)
			g.reload(d, t)
		}
		if !more || g.ended != nil {
			break
		}
		g.change(d, next)
		t = next
	}
	if g.ended == nil {
		g.ended = w.host.Do("quit")
		if !g.ended.Has("ended") {
			g.ended = w.host.Next()
		}
	}
	var destroyed []string
	for _, event := range w.Log().Fn("vkDestroyInstance") {
		if libraries[event.Text("who")].isDriver() {
			destroyed = append(destroyed, event.Text("who"))
		}
	}
	for _, who := range g.spent {
		at := slices.Index(destroyed, who)
		destroyed = slices.Delete(destroyed, at, at+1)
	}
	slices.Sort(destroyed)
	g.seen.add("driver instances destroyed", destroyed...)
	g.seen.add("end", fmt.Sprintf("exit %d, signal %d", g.ended.Int("exit"), g.ended.Int("signal")))
	for name, lines := range d.scripts {
		w.script(name, lines)
	}
	return g.seen
}

// change changes the world before the next try.
func (g *guest) change(d *description, t try) {
	if t.mild {
		for name, lines := range d.scripts {
			g.w.script(name, gentle(lines))
		}
		g.do("scripts_changed")
	}
	if t.given {
		g.w.put(g.w.fill.Replace(goodDriver), g.w.fill.Replace(`{"file_format_version":"1.0.1","ICD":{"library_path":"$R/lib/D0.so","api_version":"1.1.0"}}`))
		g.do("setenv", "name", "VK_DRIVER_FILES", "value", g.w.fill.Replace(goodDriver))
		g.do("unsetenv", "name", "VK_LOADER_DRIVERS_SELECT")
		g.do("unsetenv", "name", "VK_LOADER_DRIVERS_DISABLE")
	}
}

// hooks returns the layers that received a global function before the loader.
func (g *guest) hooks() string {
	var who []string
	for _, event := range g.rest() {
		if strings.HasPrefix(event.Text("fn"), "fakePre") {
			who = append(who, event.Text("who"))
		}
	}
	// once for the count, and once for the list
	if n := len(who) / 2; len(who)%2 == 0 && slices.Equal(who[:n], who[n:]) {
		who = who[:n]
	}
	return "by way of " + list(who)
}

func (g *guest) globals(d *description) {
	g.rest()
	answer := g.do("instance_version")
	g.seen.add("version", fmt.Sprint("result ", answer.Result()), g.hooks())
	answer = g.do("instance_layers")
	lines := []string{fmt.Sprint("result ", answer.Result()), g.hooks()}
	for _, p := range answer.Objects("properties") {
		lines = append(lines, fmt.Sprintf("%s %d %s", p.Text("name"), p.Int("spec"), p.Text("description")))
	}
	g.seen.add("layers", lines...)
	answer = g.do("instance_extensions")
	g.seen.add("extensions", append([]string{fmt.Sprint("result ", answer.Result()), g.hooks()}, answer.Strings("extensions")...)...)
	if d.app.named != "" {
		answer = g.do("instance_extensions", "layer", d.app.named)
		g.seen.add("extensions of a layer", append([]string{fmt.Sprint("result ", answer.Result())}, versions(answer)...)...)
	}
}

// versions returns extensions with their versions.
func versions(a world.Answer) (lines []string) {
	numbers := a.Ints("versions")
	for i, name := range a.Strings("extensions") {
		lines = append(lines, fmt.Sprint(name, " ", numbers[i]))
	}
	return lines
}

// create makes one vkCreateInstance.
func (g *guest) create(d *description, t try, n int) int32 {
	g.rest()
	g.accesses()
	g.messages()
	name := func(part string) string { return fmt.Sprintf("create %d: %s", n, part) }
	answer := g.do("create_instance", g.wanted(d, t)...)
	read, opened := g.opened()
	if g.ended != nil { // its records are gone
		return 0
	}
	g.seen.add(name("read"), read...)
	g.seen.add(name("opened"), opened...)
	g.seen.add(name("calls"), creations(g.rest())...)
	g.seen.add(name("result"), fmt.Sprintf("%d, written %d", answer.Result(), answer.Int("written")))
	said := g.messages()
	g.seen.add(name("messages"), said...)
	if d.has("messenger") {
		told := toldBy(answer)
		g.seen.add(name("told"), told...)
		g.seen.add(name("told alone"), without(told, severities(said))...)
	}
	return int32(answer.Result())
}

// opened returns the files that were read and the libraries that were opened since the last call.
func (g *guest) opened() (read, opened []string) {
	for _, line := range g.accesses() {
		function, argument, _ := strings.Cut(line, " ")
		switch {
		case function == "opendir", function == "fopen" && strings.HasSuffix(argument, ".json"):
			read = append(read, line)
		case function == "dlopen" && !strings.Contains(argument, "libvkcore"):
			argument, text, _ := strings.Cut(argument, " ")
			flags, err := strconv.Atoi(text)
			g.w.must(err)
			const mapped = 4 // RTLD_NOLOAD: a handle of a library that is open
			if flags&mapped != 0 {
				continue
			}
			if !strings.HasPrefix(argument, g.w.Path("direct")) { // opened by the program
				opened = append(opened, argument)
			}
		}
	}
	return read, opened
}

// creations returns the instances that layers and drivers were asked to create.
func creations(log world.Log) (lines []string) {
	for _, event := range log.Fn("vkCreateInstance") {
		line := event.Text("who") + " creates, extensions "
		switch event.Text("phase") {
		case "enter":
			lines = append(lines, fmt.Sprint(line, list(event.Strings("extensions")), ", layers ", list(event.Strings("layers")),
				", api ", event.Int("api")))
		case "":
			api := int64(-1)
			if app := event.Object("app"); app != nil {
				api = app.Int("api")
			}
			lines = append(lines, fmt.Sprint(line, list(once(event.Strings("extensions"))), ", layers ", event.Int("layer_count"), ", api ", api,
				", flags ", event.Int("flags")))
		}
	}
	return lines
}

var globalNames = []string{"vkCreateInstance", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties",
	"vkEnumerateInstanceVersion"}

// instance uses the instance and destroys it.
func (g *guest) instance(d *description, t try) {
	var there []string
	for _, name := range globalNames {
		if g.do("gipa", "instance", "i", "name", name).Int("ptr") != 0 {
			there = append(there, name)
		}
	}
	g.seen.add("global commands", there...)
	answer := g.do("physical_devices")
	devices := answer.Ints("devices")
	if answer.Result() != 0 && answer.Result() != 5 { // no handle is guaranteed
		devices = nil
	}
	lines := []string{fmt.Sprint("result ", answer.Result())}
	named := map[int]string{}
	for _, device := range devices {
		named[device] = g.do("properties", "pd", world.Ref(device)).Text("name")
		lines = append(lines, named[device])
	}
	g.seen.add("devices", lines...)
	answer = g.do("device_groups")
	lines = []string{fmt.Sprint("result ", answer.Result())}
	groups := answer.Objects("groups")
	if answer.Result() != 0 && answer.Result() != 5 { // nothing is guaranteed
		groups = nil
	}
	for _, group := range groups {
		var members []string
		for _, device := range group.Ints("devices") {
			members = append(members, named[device])
		}
		lines = append(lines, list(members))
	}
	g.seen.add("groups", lines...)
	if len(devices) > 0 {
		first, last := world.Ref(devices[0]), world.Ref(devices[len(devices)-1])
		g.seen.add("active layers", g.do("device_layers", "pd", first).Strings("layers")...)
		for _, pd := range []string{first, last} {
			answer = g.do("device_extensions", "pd", pd)
			g.seen.add("device extensions", append([]string{fmt.Sprint("result ", answer.Result())}, versions(answer)...)...)
		}
		if d.app.named != "" {
			answer = g.do("device_extensions", "pd", first, "layer", d.app.named)
			g.seen.add("device extensions of a layer", append([]string{fmt.Sprint("result ", answer.Result())}, versions(answer)...)...)
		}
		g.device(d, first, 1)
		if last != first {
			g.device(d, last, 2)
		}
		g.surface(d, t, first, last)
	}
	g.destroy(d)
}

func (l library) isDriver() bool { return strings.HasPrefix(l.kind, "driver") }

// device creates a device, without extensions if they are refused.
func (g *guest) device(d *description, pd string, n int) {
	g.rest()
	for _, exts := range [][]string{d.app.deviceExts, nil} {
		words := g.allocator(d, "pd", pd)
		for _, ext := range exts {
			words = append(words, "ext", ext)
		}
		answer := g.do("create_device", words...)
		lines := []string{fmt.Sprintf("result %d, written %d", answer.Result(), answer.Int("written"))}
		for _, event := range g.rest().Fn("vkCreateDevice") {
			if event.Text("phase") != "leave" {
				lines = append(lines, fmt.Sprint(event.Text("who"), " creates, extensions ", list(event.Strings("extensions"))))
			}
		}
		g.seen.add(fmt.Sprintf("device %d of %d extensions", n, len(exts)), lines...)
		if answer.Result() == 0 {
			g.do("destroy_device", g.allocator(d)...)
			break
		}
		if len(exts) == 0 {
			break
		}
	}
}
