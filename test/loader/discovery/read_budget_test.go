package discovery

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// asked returns calls whose answers depend on different facts. There are more of them than the loader's cache holds.
func asked() map[string]func(s *session) outcome {
	plain := func(call func(s *session) string) func(s *session) outcome {
		return func(s *session) outcome {
			s.lines()
			answer := call(s)
			return outcome{active: answer, log: s.lines()}
		}
	}
	calls := map[string]func(s *session) outcome{
		"version":    plain(func(s *session) string { return fmt.Sprint(s.h.OK("instance_version").Result()) }),
		"layers":     plain((*session).listed),
		"extensions": plain(func(s *session) string { return s.extensions() }),
		"instance":   func(s *session) outcome { return s.create() },
		"refused":    func(s *session) outcome { return s.create(layers("nobody")...) },
		"named":      func(s *session) outcome { return s.create("app_name", "game") },
	}
	for _, name := range []string{"E1", "E2", "E3"} {
		calls["extensions of "+name] = plain(func(s *session) string { return fmt.Sprint(s.h.Do("instance_extensions", "layer", name).Result()) })
		calls["instance with "+name] = func(s *session) outcome { return s.create(layers(name)...) }
	}
	return calls
}

// A process that has made every call many times returns the answers of a new process, after every change.
//
// holds: LAY-3 SYS-002 ENV-2
func TestOftenAskedAsAtFirst(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{true, false} {
		t.Run(map[bool]string{true: "quiet", false: "heard"}[quiet], func(t *testing.T) {
			t.Parallel()
			oftenAskedAsAtFirst(t, quiet)
		})
	}
}

func oftenAskedAsAtFirst(t *testing.T, quiet bool) {
	w, s := open(t, false)
	environment := map[string]string{"VK_LAYER_PATH": w.Path("explicit"), "VK_IMPLICIT_LAYER_PATH": w.Path("implicit"), "VK_LOADER_DEBUG": "all"}
	if quiet {
		environment["VK_LOADER_DEBUG"] = world.Unset
	}
	set := func(name, value string) {
		environment[name] = value
		s.set(name, value)
	}
	w.Write("explicit/E1.json", blunt("1.2.0", "E1", nil))
	w.Write("explicit/E2.json", blunt("1.2.0", "E2", nil))
	w.Write("other/E3.json", blunt("1.2.0", "E3", nil))
	w.Write("implicit/I1.json", blunt("1.2.0", "I1", map[string]any{"disable_environment": map[string]any{"NO_I1": "1"}}))
	chosen := func(name, path string) {
		w.Write(settingsHome()+"/vulkan/loader_settings.d/vk_loader_settings.json",
			`{"file_format_version":"1.0.0","settings":`+list(entry("on", name, w.Path(path), ""))+`}`)
	}
	calls := asked()
	// Both processes get each question; the old one many times, so that its answers come from the cache.
	compare := func(what string) {
		t.Helper()
		first := &session{t: t, w: w, h: w.Start()}
		for name, value := range environment {
			first.set(name, value)
		}
		for name, call := range calls {
			want := call(first)
			for range 10 {
				got := call(s)
				same(t, what+": "+name, fmt.Sprint(got.active, got.result), fmt.Sprint(want.active, want.result))
				same(t, what+": what "+name+" says", strings.Join(got.log, "\n"), strings.Join(want.log, "\n"))
				if t.Failed() {
					t.FailNow()
				}
			}
		}
		first.end()
	}
	for name, value := range environment {
		s.set(name, value)
	}
	compare("at first")
	for _, change := range []struct {
		what string
		make func()
	}{
		{"a variable of a layer", func() { set("NO_I1", "1") }},
		{"it has gone", func() { set("NO_I1", world.Unset) }},
		{"it is empty", func() { set("NO_I1", "") }},
		{"another path", func() { set("VK_LAYER_PATH", w.Path("other")) }},
		{"both paths", func() { set("VK_LAYER_PATH", w.Path("explicit")+":"+w.Path("other")) }},
		{"a layer by variable", func() { set("VK_INSTANCE_LAYERS", "E2") }},
		{"another one", func() { set("VK_INSTANCE_LAYERS", "E3") }},
		{"none", func() { set("VK_INSTANCE_LAYERS", world.Unset) }},
		{"a layer less", func() { must(t, os.Remove(w.Path("explicit/E2.json"))) }},
		{"other content", func() {
			path := w.Path("explicit/E1.json")
			writeIn(t, path, blunt("1.2.0", "E2", nil))
		}},
		{"no directory", func() { must(t, os.Rename(w.Path("explicit"), w.Path("away"))) }},
		{"a directory again", func() { must(t, os.Rename(w.Path("away"), w.Path("explicit"))) }},
		{"settings", func() { chosen("E3", "other/E3.json") }},
		{"other settings", func() { chosen("E2", "explicit/E1.json") }},
	} {
		change.make()
		compare(change.what)
	}
	s.end()
}

// settingsHome returns a directory of a world below which a running process finds a new settings file. The registry of Windows names
// that file when the process starts.
func settingsHome() string {
	if world.Windows() {
		return "system/usr/local/etc"
	}
	return "home/.config"
}

// Two calls find the same files; each uses the settings file that was valid last.
//
// holds: SET-15
func TestLastValidSettingsCount(t *testing.T) {
	t.Parallel()
	w, s := open(t, false)
	const file = "/loader_settings.d/vk_loader_settings.json"
	for _, name := range []string{"one", "two"} {
		w.Write("layers/"+name+".json", blunt("1.2.0", name, nil))
		w.Write("settings-"+name+file,
			`{"file_format_version":"1.0.0","settings":`+list(entry("on", name, w.Path("layers", name+".json"), ""))+`}`)
	}
	w.Write("settings-empty"+file, "{}")
	must(t, os.MkdirAll(w.Path(settingsHome()), 0o755))
	must(t, os.Mkdir(w.Path("links"), 0o755))
	point := func(settings string) { // changes only the link, and no time
		must(t, os.Symlink(w.Path("settings-"+settings), w.Path("links/next")))
		must(t, os.Rename(w.Path("links/next"), w.Path(settingsHome(), "vulkan")))
	}
	for range 3 {
		for _, name := range []string{"one", "two"} {
			point(name)
			s.extensions() // another call, which does not replace the cached answers of the calls below
			point("empty")
			for range 10 {
				same(t, "an empty settings file", s.listed(), name)
			}
		}
	}
	s.end()
}

// A settings file appears on a tmpfs, and the program's file gets another name.
//
// holds: LAY-3 SET-11
func TestSettingsAppearAndProgramIsRenamed(t *testing.T) {
	t.Parallel()
	w, s := open(t, false)
	s.end()
	program := w.CopyHost("programs/one")
	s.h = w.StartProgram(program, w.Loader)
	array := `{"file_format_version":"1.0.0","settings_array":[`
	for i, name := range []string{"one", "two"} {
		w.Write("layers/"+name+".json", blunt("1.2.0", name, nil))
		array += strings.Repeat(",", i) + `{"app_keys":["` + w.Path("programs", name) + `"],` + list(entry("on", name, w.Path("layers", name+".json"), ""))[1:]
	}
	array += "]}"
	const memory, file = "/dev/shm", ".config/vulkan/loader_settings.d/vk_loader_settings.json"
	if directory, err := os.MkdirTemp(memory, "vkloader-test-"); err == nil {
		defer os.RemoveAll(directory)
		s.set("HOME", directory)
		for range 10 {
			same(t, "no settings", s.listed(), "")
		}
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(directory, file)), 0o755))
		must(t, os.WriteFile(filepath.Join(directory, file), []byte(array), 0o644))
		same(t, "settings on a tmpfs", s.listed(), "one")
	}
	s.set("HOME", w.Path("home"))
	w.Write("home/"+file, array)
	for _, name := range []string{"one", "two"} {
		must(t, os.Rename(program, w.Path("programs", name))) // changes only the name, and no time
		program = w.Path("programs", name)
		for range 10 {
			same(t, "a program "+name, s.listed(), name)
		}
	}
	s.end()
}
