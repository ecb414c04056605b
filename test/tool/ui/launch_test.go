package ui

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vkloader/test/lib/binary"
)

// With a loader that reads no settings file, a program is started with the variable that switches a layer. The address names neither.
func TestLaunchWithVariable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	library, err := binary.Parse(strings.Fields("soname=libvulkan.so.1 exports=vkCreateInstance,vkEnumerateInstanceVersion"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("old/libvulkan.so.1.3.239", string(library.Bytes()))
	s.write("bin/talks", "#!/bin/sh\necho \"off: $VK_LOADER_LAYERS_DISABLE\"\n")
	if err := errors.Join(os.Symlink("libvulkan.so.1.3.239", s.path("old/libvulkan.so.1")), os.Chmod(s.path("bin/talks"), 0o755)); err != nil {
		t.Fatal(err)
	}
	s.environ = append(s.environ, "LD_LIBRARY_PATH="+s.path("old"))
	b := s.serve().page("program" + s.path("bin/talks"))
	b.sees("which reads no settings file")
	b.then(func() { b.press(`[aria-label="Start with VK_LAYER_TEST_first off"]`, kb.Enter) })
	if got := eval[string](b, `document.activeElement.id + location.hash`); got != "start#/start" {
		t.Errorf("the focus and the address: %q", got)
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.sees("off: VK_LAYER_TEST_first")
	b.to("overview")
	b.to("start")
	if got := eval[string](b, `document.getElementById("app").value + document.getElementById("variables").value`); got != "" {
		t.Errorf("the next visit: %q", got)
	}
}

// A program is started with a configuration, arguments, a directory and variables. Its lines and the loader's come while it runs, by level
// and text. It is stopped, the settings are as before, and one button looks for what crashes it.
func TestLaunch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.run("settings", "set", "--layer", "VK_LAYER_TEST_first=off")
	s.run("settings", "save", "plain")
	s.run("settings", "clear")
	s.write("bin/talks", "#!/bin/sh\necho \"$1 $GIVEN $(pwd)\"\necho '[Vulkan Loader] WARNING:        broken' >&2\nprintf 'a\\tb\\n'\ncat "+
		s.path(settingsFile)+"\nexec sleep 100000\n")
	s.write("bin/short", "#!/bin/sh\nexit 3\n")
	for _, name := range []string{"talks", "short"} {
		if err := os.Chmod(s.path("bin/"+name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // after the end of the server
		if text := s.read(settingsFile); text != "" {
			t.Errorf("the server has ended, and the settings stay: %q", text)
		}
	})
	b := s.serve().page("start")
	b.enter("#app", s.path("bin/talks"))
	b.enter("#arguments", "an argument")
	b.enter("#variables", "export GIVEN=value") // as the page copies variables
	b.enter("#directory", s.path("work"))
	eval[bool](b, `(() => { document.getElementById("configuration").selectedIndex = 1; return true })()`)
	b.press("#start", kb.Enter)
	b.sees("an argument value " + s.path("work"))
	b.sees("app_keys")
	b.sees("a    b")
	if s.read(settingsFile) == "" {
		t.Error("the program runs without the configuration")
	}
	lines := func() string {
		return eval[string](b, `Array.from(document.querySelectorAll("#output li:not([hidden])"), (e) => e.innerText).join("\n")`)
	}
	eval[bool](b, `(() => { const e = document.getElementById("level"); e.value = "loader warning"; e.dispatchEvent(new Event("input", { bubbles: true })); return true })()`)
	if got := lines(); got != "[Vulkan Loader] WARNING: broken" && got != "[Vulkan Loader] WARNING:        broken" {
		t.Errorf("the warnings: %q", got)
	}
	eval[bool](b, `(() => { const e = document.getElementById("level"); e.value = ""; e.dispatchEvent(new Event("input", { bubbles: true })); return true })()`)
	b.enter("#search", "value")
	if got := lines(); !strings.Contains(got, "an argument value") || strings.Contains(got, "broken") {
		t.Errorf("searched: %q", got)
	}
	b.press("#stop", kb.Enter)
	b.wait(`document.getElementById("end").textContent === "Stopped." && document.getElementById("stop").disabled`)
	b.enter("#search", "")
	b.enter("#app", s.path("bin/short"))
	b.enter("#variables", "")
	eval[bool](b, `(() => { document.getElementById("configuration").selectedIndex = 0; return true })()`)
	b.press("#start", kb.Enter)
	b.sees("The program has ended: exit status 3.")
	if text := s.read(settingsFile); text != "" {
		t.Errorf("the settings stay: %q", text)
	}
	b.press("#culprit", kb.Enter)
	b.sees("The culprit is the program:")
	b.enter("#variables", "LD_PRELOAD=/x")
	b.press("#start", kb.Enter)
	b.sees("the page refuses the variable LD_PRELOAD")
	for _, width := range []int64{1280, 390} {
		b.size(width)
		if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%d pixels wide: %d too much", width, over)
		}
		if s.accessible() {
			if wrong := b.serious(); len(wrong) > 0 {
				t.Error(strings.Join(wrong, "\n"))
			}
		}
	}
	b.enter("#app", s.path("bin/talks"))
	b.enter("#variables", "")
	eval[bool](b, `(() => { document.getElementById("configuration").selectedIndex = 1; return true })()`)
	b.press("#start", kb.Enter)
	b.sees("app_keys") // the program runs until the end of the server
}
