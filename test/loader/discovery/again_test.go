package discovery

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The same call again returns the same answer and logs the same lines, in the same order.
//
// holds: LAY-3 LOG-17 LOG-19
func TestTheSameAgain(t *testing.T) {
	t.Parallel()
	w := usual(t)
	w.Write("home/.local/share/vulkan/explicit_layer.d/broken.json", "{")
	w.Driver("old", "ext VK_KHR_surface 25", "negotiate 0 4").API("1.1.0")
	s := start(t, w)
	plain := func(call func() string) func() outcome {
		return func() outcome {
			s.lines()
			answer := call()
			return outcome{active: answer, log: s.lines()}
		}
	}
	calls := map[string]func() outcome{
		"version":    plain(func() string { return strconv.Itoa(s.h.OK("instance_version").Result()) }),
		"layers":     plain(s.listed),
		"extensions": plain(func() string { return s.extensions() }),
		"of a layer": plain(func() string { return s.extensions("layer", "E1") }),
		"instance":   func() outcome { return s.create(layers("E2")...) },
		"refused":    func() outcome { return s.create(layers("nobody")...) },
	}
	first := map[string]outcome{}
	for round := range 4 {
		for name, call := range calls {
			got := call()
			if round == 0 {
				first[name] = got
				if len(got.log) < 5 {
					t.Errorf("%s says %d lines", name, len(got.log))
				}
				continue
			}
			same(t, name, got.active+strconv.Itoa(got.result), first[name].active+strconv.Itoa(first[name].result))
			same(t, "what "+name+" says", strings.Join(got.log, "\n"), strings.Join(first[name].log, "\n"))
		}
	}
	s.end()
}

// The next call sees every change, and also the reversal of a change.
//
// holds: LAY-3 SYS-002 ENV-2
func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	w := usual(t)
	s := start(t, w)
	one, two := blunt("1.2.0", "X1", nil), blunt("1.2.0", "X2", nil) // of one length
	const extra = "home/.local/share/vulkan/explicit_layer.d/extra.json"
	directory := w.Path("other")
	w.Write("other/y.json", blunt("1.2.0", "Y", nil))
	s.set("VK_LAYER_PATH", world.Unset).set("VK_IMPLICIT_LAYER_PATH", world.Unset)
	bare := s.listed()
	for range 3 {
		w.Write(extra, one)
		same(t, "one", s.listed(), strings.TrimSpace(bare+" X1"))
		w.Write(extra, two) // in the same tick of the clock, perhaps
		same(t, "two", s.listed(), strings.TrimSpace(bare+" X2"))
		if err := os.Remove(w.Path(extra)); err != nil {
			t.Fatal(err)
		}
		same(t, "none", s.listed(), bare)
		s.with(map[string]string{"VK_LAYER_PATH": directory}, func() { same(t, "a variable", s.listed(), strings.TrimSpace(bare+" Y")) })
		same(t, "none", s.listed(), bare)
		s.with(map[string]string{"VK_INSTANCE_LAYERS": "Y", "VK_LAYER_PATH": directory}, func() {
			s.create().log.has(t, "WARNING | LAYER", `env var 'VK_INSTANCE_LAYERS' defined and adding layers "Y"`)
		})
	}
	s.end()
}

// A change of a variable that only a manifest names is seen.
//
// holds: SYS-002 LAY-3
func TestVariablesOfLayersAreSeen(t *testing.T) {
	t.Parallel()
	w := usual(t)
	s := start(t, w)
	for range 3 {
		same(t, "on", s.create().active, "I1 I2")
		s.with(map[string]string{world.Disable("I1"): "1"}, func() { same(t, "off", s.create().active, "I2") })
	}
	s.end()
}

// The settings that the global functions remember decide, although every file and variable is the same as before.
//
// holds: SET-14 SET-15
func TestSettingsDecideTheSameFactsAnew(t *testing.T) {
	t.Parallel()
	w := usual(t)
	w.Write("work/other.json", blunt("1.2.0", "E9", nil))
	s := start(t, w)
	const usually = "I1 I2 E1 E2"
	object := list(entry("on", "E9", w.Path("work/other.json"), ""))
	for range 2 {
		settings(w, "{")
		for range 3 {
			same(t, "none", s.listed(), usually)
		}
		settings(w, "{}")
		for range 3 {
			same(t, "nothing in it", s.listed(), usually)
		}
		settingsObject(w, object)
		s.lines()
		for range 3 {
			same(t, "in force", s.listed(), "E9")
		}
		if n := strings.Count(strings.Join(s.lines(), "\n"), "Using layer configurations"); n != 1 {
			t.Errorf("said %d times", n)
		}
		settings(w, "{}") // the same bytes as before the settings were remembered
		for range 3 {
			same(t, "kept", s.listed(), "E9")
		}
		same(t, "instance", s.create().active, "I1 I2")
	}
	if world.Variant() == "" && !world.Windows() { // a child may inherit a sanitizer's own lock, and Windows has no children of this kind
		s.h.Do("script", "as", "again", "line", "instance_layers", "line", "instance_layers")
		// a child has its parent's settings
		for _, a := range s.h.Do("fork", "script", "again").Objects("answers") {
			same(t, "a child's", strings.Join(a.Strings("layers"), " "), "E9")
		}
	}
	s.end()
}

// The cache of answers is bounded.
func TestRememberedAnswersAreBounded(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the sanitizers have a heap of their own")
	}
	w := world.New(t)
	w.Driver("one")
	w.ExplicitLayer("E1").Set("description", strings.Repeat("long ", 12000))
	h := w.Start()
	round := func(n int) {
		for i := range n {
			h.Do("instance_extensions", "layer", fmt.Sprintf("nobody %d of %d", i, n))
		}
	}
	round(1)
	before := h.Do("heap").Int("used")
	round(200)
	if more := h.Do("heap").Int("used") - before; more > 4<<20 || more < 1<<18 {
		t.Errorf("%d bytes for 200 questions", more)
	}
	h.Quit()
}

// A forked child gets its parent's answers, and new ones, without a thread of the loader.
//
// holds: G-4 LAY-3
func TestAChildAsksAgain(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("a child may inherit a sanitizer's own lock")
	}
	w := usual(t)
	s := start(t, w)
	want := s.listed()
	s.h.Do("script", "as", "again", "line", "instance_layers", "line", "state")
	child := s.h.Do("fork", "script", "again")
	if child.Int("exit") != 0 {
		t.Fatalf("%v", child)
	}
	answers := child.Objects("answers")
	if got := strings.Join(answers[0].Strings("layers"), " "); got != want {
		t.Errorf("the child has %s, want %s", got, want)
	}
	if n := answers[1].Int("threads"); n != 1 {
		t.Errorf("%d threads in a child that asked the same", n)
	}
	w.Write("home/.local/share/vulkan/explicit_layer.d/new.json", blunt("1.2.0", "new", nil))
	s.h.Do("script", "as", "new", "line", world.Line("setenv", "name", "VK_LAYER_PATH", "value", w.Path("home/.local/share/vulkan/explicit_layer.d")), "line", "instance_layers", "line", "state")
	answers = s.h.Do("fork", "script", "new").Objects("answers")
	if got := answers[1].Strings("layers"); !slices.Contains(got, "new") {
		t.Errorf("the child has %v", got)
	}
	if n := answers[2].Int("threads"); n != 1 {
		t.Errorf("%d threads in a child that asked something new", n)
	}
	s.end()
}
