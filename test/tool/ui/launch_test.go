package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

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
	b.sees("No culprit:")
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
