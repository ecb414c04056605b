package changes

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/world"
)

var (
	sequences = flag.Int("sequences", map[bool]int{false: 100, true: 1000}[os.Getenv("VKLOADER_TEST_ALL") != ""], "random sequences of changes")
	first     = flag.Int64("seed", 1, "the first sequence")
	steps     = flag.Int("steps", 12, "changes of one sequence")
)

// After every change, the next call of a running process returns the same answer as in a new process. Exception: a driver that was
// overwritten in place is refused, and the other drivers are no longer replaced. The changes include another user's rights, mounts and
// links.
//
//	go test ./test/loader/changes -run Random -args -sequences 1000 -seed 7
//
// holds: LAY-3 INS-087 INS-088 INS-091 SYS-002
func TestRandomChanges(t *testing.T) {
	t.Parallel()
	for i := range *sequences {
		seed := *first + int64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newSequence(t, seed)
			for range *steps {
				s.step()
				if t.Failed() {
					t.Fatalf("after: %s", strings.Join(s.done, ", "))
				}
			}
			s.end()
		})
	}
}

// sequence is a process with the changes made during its life.
type sequence struct {
	*machine
	random    *rand.Rand
	done      []string
	variables map[string]string
	version   int
	long      bool // an instance lives
	mounted   string
	refused   bool // driver b was overwritten, and stays in memory
	pinned    bool // a library that it needs was replaced: the other driver stays old
}

func newSequence(t *testing.T, seed int64) *sequence {
	t.Helper()
	s := &sequence{machine: newMachine(t), random: rand.New(rand.NewSource(seed)), variables: map[string]string{}, version: 1}
	for path := s.Root; path != "/tmp" && path != "/"; path = filepath.Dir(path) {
		os.Chmod(path, 0o755)
	}
	for i, name := range []string{"x", "y", "z"} {
		s.Write("layers/"+name+".json", manifestOf(fmt.Sprint("L", i)))
	}
	s.Write("other/x.json", manifestOf("other"))
	s.Write("early/late.json", manifestOf("late"))
	s.Env["VK_LAYER_PATH"] = s.manifest() + ":" + s.Path("link") + ":" + s.Path("late")
	s.must(os.Symlink(s.Path("layers"), s.Path("link")))
	s.Env["LD_LIBRARY_PATH"] = s.Path("first") + ":" + s.Path("lib")
	s.must(os.MkdirAll(s.Path("first"), 0o755))
	if s.random.Intn(3) == 0 {
		s.Write("icd/a.json", world.DriverManifest("a.so", "1.1.0")) // a bare name
	}
	s.h = s.Start()
	return s
}

// manifestOf returns the manifest of a layer whose library is never opened.
func manifestOf(name string) string {
	return world.JSON(map[string]any{"file_format_version": "1.2.0", "layer": map[string]any{"name": name, "type": "INSTANCE",
		"library_path": "/nowhere/lib.so", "api_version": "1.3.0", "implementation_version": "1", "description": name}})
}

// seen holds the answers of the calls.
type seen struct{ layers, devices, open string }

// calls selects the calls of a comparison.
type calls struct {
	extensions, layer bool
	instance          bool // false: only the list of extensions, which leaves drivers open
}

// look makes calls in a process.
func (s *sequence) look(h *world.Host, m *machine, c calls) seen {
	var got seen
	if c.extensions || !c.instance {
		h.Do("instance_extensions")
	}
	if !c.instance {
		m.traces()
		for _, name := range []string{"a", "b"} {
			if _, err := os.Stat(s.Path("icd", name+".json")); err == nil {
				got.open += name + m.open[name] + " "
			}
		}
		return got
	}
	layers := h.Do("instance_layers").Strings("layers")
	slices.Sort(layers)
	got.layers = strings.Join(layers, " ")
	words := []string{"as", "short"}
	if c.layer {
		words = append(words, "layer", "VK_LAYER_it")
	}
	answer := h.Do("create_instance", words...)
	got.devices = fmt.Sprint("result ", answer.Result())
	if answer.Result() == 0 {
		var found []string
		for _, pd := range h.Do("physical_devices", "instance", "short").Ints("devices") {
			found = append(found, h.Do("properties", "pd", world.Ref(pd)).Text("name"))
		}
		slices.Sort(found)
		got.devices = strings.Join(found, " ")
		m.traces()
		for _, name := range names {
			if number, ok := m.open[name]; ok && (name == "layer" || slices.Contains(found, name)) {
				got.open += name + number + " "
			}
		}
		h.Do("destroy_instance", "name", "short")
	}
	m.traces()
	return got
}

// compare compares the answers of the process with those of a new one.
func (s *sequence) compare() {
	s.t.Helper()
	c := calls{extensions: s.random.Intn(2) == 0, layer: s.random.Intn(2) == 0 && !s.pinned /* which would be given the old helper */}
	c.instance = s.random.Intn(3) != 0
	fresh := &machine{World: s.World, t: s.t, open: map[string]string{}}
	got := s.look(s.h, s.machine, c)
	os.Remove(s.Path("trace"))
	h := s.Start()
	for name, value := range s.variables {
		set(h, name, value)
	}
	want := s.look(h, fresh, c)
	h.Quit()
	os.Remove(s.Path("trace"))
	if s.long { // the libraries of an instance do not change
		got.open, want.open = "", ""
	}
	for _, answer := range []*seen{&got, &want} {
		if s.pinned {
			answer.devices, answer.open = "", ""
		}
		if s.refused {
			answer.devices, answer.open = withoutB(answer.devices), withoutB(answer.open)
		}
	}
	if got != want {
		s.t.Errorf("got %+v, and a fresh process %+v", got, want)
	}
}

// withoutB removes the words about driver b.
func withoutB(list string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(list), func(word string) bool { return word[0] == 'b' }), " ")
}

func set(h *world.Host, name, value string) {
	if value == world.Unset {
		h.Do("unsetenv", "name", name)
	} else {
		h.Do("setenv", "name", name, "value", value)
	}
}

func (s *sequence) variable(name, value string) {
	s.variables[name] = value
	set(s.h, name, value)
}

// step makes a change and compares.
func (s *sequence) step() {
	s.t.Helper()
	changes := []struct {
		what string
		make func()
	}{
		{"upgrade", s.upgradeAll},
		{"replace a driver", func() { s.install(names[s.random.Intn(2)], s.version) }},
		{"replace the layer", func() { s.install("layer", s.version) }},
		{"status change", func() { s.status(s.lib(append([]string{"helper"}, names...)[s.random.Intn(4)])) }},
		{"touch", func() {
			now := time.Now()
			s.must(os.Chtimes(s.lib(append([]string{"helper"}, names...)[s.random.Intn(4)]), now, now))
		}},
		{"status change of a manifest", func() { s.status(s.Path("layers/z.json")) }},
		{"add a manifest", func() { s.Write("layers/n.json", manifestOf(fmt.Sprint("N", s.random.Intn(9)))) }},
		{"remove a manifest", func() { os.Remove(s.Path("layers/n.json")) }},
		{"edit a manifest", func() {
			s.must(os.WriteFile(s.Path("layers/z.json"), []byte(manifestOf(fmt.Sprint("E", s.random.Intn(9)))), 0o644))
		}},
		{"exchange", func() { s.exchange("layers/x.json", "layers/y.json") }},
		{"a directory less", func() { os.Rename(s.Path("late"), s.Path("early")) }},
		{"a directory more", func() { os.Rename(s.Path("early"), s.Path("late")) }},
		{"exchange directories", func() { s.exchange("layers", "other") }},
		{"switch the link", s.switchLink},
		{"mount over", s.mount},
		{"unlock", s.unmount},
		{"a variable", func() {
			s.variable("VK_LAYER_PATH", []string{s.Path("other"), s.Path("link"), s.Env["VK_LAYER_PATH"]}[s.random.Intn(3)]+":"+filepath.Dir(s.lib("a"))+":"+s.manifest())
		}},
		{"settings", func() {
			s.Write("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{"layers":[{"name":"S","path":"`+
				s.Path("other/x.json")+`","control":"on"}]}}`)
		}},
		{"other settings", func() { // without a settings file, its last contents count (SET-15)
			s.Write("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{}}`)
		}},
		{"a driver less", func() { os.Rename(s.Path("icd/b.json"), s.Path("b.json")) }},
		{"a driver more", func() { os.Rename(s.Path("b.json"), s.Path("icd/b.json")) }},
		{"rights", func() { s.must(os.Chmod(s.Path("layers"), os.FileMode([]int{0o700, 0o755}[s.random.Intn(2)]))) }},
		{"other user", s.otherUser},
		{"an earlier file", s.earlier},
		{"overwrite", s.overwriteDriver},
		{"an instance", s.instance},
	}
	change := changes[s.random.Intn(len(changes))]
	if s.long && slices.Contains([]string{"upgrade", "replace a driver", "an earlier file", "overwrite"}, change.what) {
		s.instance() // mapped libraries are not replaced by a version that does not fit them
	}
	s.done = append(s.done, change.what)
	change.make()
	s.compare()
}

func (s *sequence) upgradeAll() {
	s.version = 1 + s.random.Intn(versions)
	os.Remove(s.Path("first/a.so"))
	s.upgrade(s.version)
	s.pinned = s.refused
}

// status changes only the time of the last status change.
func (s *sequence) status(path string) {
	if os.Link(path, path+".link") == nil {
		os.Remove(path + ".link")
	}
}

func (s *sequence) exchange(one, two string) {
	if s.mounted != "" {
		return // a mount point cannot be moved
	}
	s.must(unix.Renameat2(unix.AT_FDCWD, s.Path(one), unix.AT_FDCWD, s.Path(two), unix.RENAME_EXCHANGE))
	for _, name := range []string{"x", "y", "z"} {
		if _, err := os.Stat(s.Path("layers", name+".json")); err != nil {
			s.Write("layers/"+name+".json", manifestOf("again"+name))
		}
	}
}

func (s *sequence) switchLink() {
	s.must(os.Symlink(s.Path([]string{"layers", "other"}[s.random.Intn(2)]), s.Path("link.new")))
	s.must(os.Rename(s.Path("link.new"), s.Path("link")))
}

func (s *sequence) mount() {
	if s.mounted != "" || unix.Mount(s.Path("other"), s.Path("layers"), "", unix.MS_BIND, "") != nil {
		return
	}
	s.mounted = s.Path("layers")
	s.t.Cleanup(func() { unix.Unmount(s.Path("layers"), unix.MNT_DETACH) })
}

func (s *sequence) unmount() {
	if s.mounted != "" {
		s.must(unix.Unmount(s.mounted, unix.MNT_DETACH))
	}
	s.mounted = ""
}

// otherUser gives up rights for one comparison. A process whose ids differ ignores variables. It would still use the user's settings
// that it remembers (SET-15), unlike a new process.
func (s *sequence) otherUser() {
	if os.Geteuid() != 0 || slices.ContainsFunc(s.done, func(step string) bool { return strings.Contains(step, "settings") }) {
		return
	}
	s.Write("layers/z.json", manifestOf("Z"))
	s.must(os.Chmod(s.Path("layers/z.json"), os.FileMode([]int{0o600, 0o644}[s.random.Intn(2)])))
	fresh := s.Start()
	for name, value := range s.variables {
		set(fresh, name, value)
	}
	var got [2]string
	for i, h := range []*world.Host{s.h, fresh} {
		h.Do("set_ids", "euid", "65534", "egid", "65534")
		layers := h.Do("instance_layers").Strings("layers")
		slices.Sort(layers)
		got[i] = strings.Join(layers, " ")
		h.Do("set_ids", "euid", "0", "egid", "0")
	}
	fresh.Quit()
	if got[0] != got[1] {
		s.t.Errorf("as another user: got %q, and a fresh process %q", got[0], got[1])
	}
}

// earlier installs the first version of a driver in an earlier directory of the linker's search. It works with any version of the
// helper. The old driver stays while an overwritten driver is in memory.
func (s *sequence) earlier() {
	if s.version == 1 {
		s.version = 2
		s.upgrade(s.version)
	}
	s.pinned = s.refused
	s.copyTo("a", 1, s.Path("first/a.so.new"))
	s.must(os.Rename(s.Path("first/a.so.new"), s.Path("first/a.so")))
}

// overwriteDriver writes the first version into a driver's file. It works with any version of the helper.
func (s *sequence) overwriteDriver() {
	if s.version == 1 {
		s.version = 2
		s.upgrade(s.version)
		s.pinned = s.refused
	}
	if s.random.Intn(2) == 0 {
		s.copyOver("b", 1)
	} else {
		s.overwrite("b", 1)
	}
	s.h.Do("instance_extensions") // the loader compares the file before another one replaces it
	s.refused = true
}

// instance creates an instance that stays alive, or destroys it.
func (s *sequence) instance() {
	if s.long {
		s.h.Do("destroy_instance", "name", "long")
	} else if s.h.Do("create_instance", "as", "long").Result() == 0 {
		s.h.Do("physical_devices", "instance", "long")
		s.long = true
		return
	}
	s.long = false
}

func (s *sequence) end() {
	s.h.Exit() // exit runs the destructors of mapped libraries
	s.unmount()
}
