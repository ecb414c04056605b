package discovery

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	success             = 0
	outOfMemory         = -1
	layerNotPresent     = -6
	extensionNotPresent = -7
	incompatibleDriver  = -9

	implicitDirectory = "/usr/share/vulkan/implicit_layer.d"
	explicitDirectory = "/usr/share/vulkan/explicit_layer.d"
	driverDirectory   = "/usr/share/vulkan/icd.d"

	own = "VK_EXT_debug_report VK_EXT_debug_utils VK_KHR_portability_enumeration VK_LUNARG_direct_driver_loading"
)

// session is a host with an open loader, and the length of the part of its log that was read.
type session struct {
	t    *testing.T
	w    *world.World
	h    *world.Host
	seen int
}

// loud creates a world whose loader logs everything.
func loud(t *testing.T) *world.World {
	t.Helper()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	return w
}

func start(t *testing.T, w *world.World) *session {
	t.Helper()
	s := &session{t: t, w: w, h: w.Start()}
	s.h.Do("state") // messages about opening are written before this call returns
	s.lines()
	return s
}

// lines returns the loader's new lines, with their tags.
func (s *session) lines() log {
	var all []string
	for _, l := range strings.Split(strings.TrimSuffix(s.h.Stderr(), "\n"), "\n") {
		if strings.HasPrefix(l, "[Vulkan Loader] ") {
			all = append(all, l)
		}
	}
	fresh := all[s.seen:]
	s.seen = len(all)
	return fresh
}

func (s *session) set(name, value string) *session {
	if value == world.Unset {
		s.h.Do("unsetenv", "name", name)
	} else {
		s.h.Do("setenv", "name", name, "value", value)
	}
	return s
}

// with sets variables for the duration of f.
func (s *session) with(vars map[string]string, f func()) {
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		s.set(name, vars[name])
	}
	f()
	for name := range vars {
		s.set(name, world.Unset)
	}
}

// outcome is the visible behavior of an instance's life.
type outcome struct {
	result int
	active string // names of the active list
	log    log
}

// create creates an instance, lists its active layers and destroys it. words are those of create_instance.
func (s *session) create(words ...string) outcome {
	s.t.Helper()
	s.lines()
	var o outcome
	o.result = s.h.Do("create_instance", words...).Result()
	if o.result == success {
		if devices := s.h.OK("physical_devices").Ints("devices"); len(devices) > 0 {
			o.active = strings.Join(s.h.OK("device_layers", "pd", world.Ref(devices[0])).Strings("layers"), " ")
		}
		s.h.Do("destroy_instance")
	}
	o.log = s.lines()
	return o
}

// layers returns create_instance words with layer names.
func layers(names ...string) []string {
	var words []string
	for _, n := range names {
		words = append(words, "layer", n)
	}
	return words
}

func (s *session) listed() string {
	s.t.Helper()
	return strings.Join(s.h.OK("instance_layers").Strings("layers"), " ")
}

func (s *session) extensions(words ...string) string {
	s.t.Helper()
	return strings.Join(s.h.OK("instance_extensions", words...).Strings("extensions"), " ")
}

func (s *session) end() { s.h.Quit() }

// log is a list of lines with tags.
type log []string

// tagged formats a line according to LOG-9.
func tagged(tag, text string) string {
	head := "[Vulkan Loader] " + tag + ": "
	if len(head) < 32 {
		head += strings.Repeat(" ", 32-len(head))
	}
	return head + text
}

func (l log) has(t *testing.T, tag, text string) {
	t.Helper()
	if want := tagged(tag, text); !slices.Contains(l, want) {
		t.Errorf("no line\n%s\nin\n%s", want, strings.Join(l, "\n"))
	}
}

func (l log) lacks(t *testing.T, part string) {
	t.Helper()
	for _, line := range l {
		if strings.Contains(line, part) {
			t.Errorf("the line %s", line)
		}
	}
}

// block checks that lines follow each other.
func (l log) block(t *testing.T, lines ...string) {
	t.Helper()
	if want := strings.Join(lines, "\n"); !strings.Contains(strings.Join(l, "\n")+"\n", want+"\n") {
		t.Errorf("not together:\n%s\nin\n%s", want, strings.Join(l, "\n"))
	}
}

// places returns the locations that a search logged.
func (l log) places(what string) []string {
	tag := "LAYER"
	if what == "driver" {
		tag = "DRIVER"
	}
	at := slices.Index(l, tagged(tag, "Searching for "+what+" manifest files"))
	if at < 0 || at+1 >= len(l) || l[at+1] != tagged(tag, "   In following locations:") {
		return nil
	}
	var out []string
	for _, line := range l[at+2:] {
		text, ok := strings.CutPrefix(line, tagged(tag, "      "))
		if !ok {
			break
		}
		out = append(out, text)
	}
	return out
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// explicit and implicit create a fake layer in the system's directory.
func explicit(w *world.World, name string, lines ...string) *world.Fake {
	return w.ExplicitLayer(name, lines...).MoveManifest("system" + explicitDirectory)
}

func implicit(w *world.World, name string, lines ...string) *world.Fake {
	return w.ImplicitLayer(name, lines...).MoveManifest("system" + implicitDirectory)
}

// meta writes a meta-layer's manifest.
func meta(w *world.World, directory, name string, components []string, more map[string]any) {
	content := map[string]any{"name": name, "type": "INSTANCE", "api_version": "1.3.0", "implementation_version": "1",
		"description": "meta " + name, "component_layers": components}
	if directory == implicitDirectory {
		content["disable_environment"] = map[string]any{world.Disable(name): "1"}
	}
	maps.Copy(content, more)
	w.Write("system"+directory+"/"+name+".json", world.JSON(map[string]any{"file_format_version": "1.2.0", "layer": content}))
}

// blunt returns a layer manifest whose library is never opened.
func blunt(version, name string, change map[string]any) string {
	content := map[string]any{"name": name, "type": "INSTANCE", "api_version": "1.3.0", "implementation_version": "1",
		"description": "about " + name, "library_path": "/nowhere/lib.so", "disable_environment": map[string]any{"NO": ""}}
	for k, v := range change {
		if v == nil {
			delete(content, k)
		} else {
			content[k] = v
		}
	}
	return world.JSON(map[string]any{"file_format_version": version, "layer": content})
}

// exe returns the path of the program that uses the loader.
func (s *session) exe() string {
	s.t.Helper()
	return s.h.Program()
}
