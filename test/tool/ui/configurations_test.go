package ui

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// savedHere is the directory of the user's configurations.
const savedHere = "home/.config/vkloader/configurations/"

// enter replaces the text of a field.
func (b *browser) enter(selector, text string) {
	b.t.Helper()
	b.wait(`document.querySelector(%s)`, selector)
	eval[bool](b, `(() => { const e = document.querySelector(%s); e.value = ""; e.focus(); return true })()`, selector)
	b.press(selector, text)
}

// A configuration is made of the settings in force, used for all programs and for one, duplicated, renamed and removed; one of vkconfig is
// read. The page shows layers and drivers without and with the configuration. It writes the bytes of the command line, and undoes each change.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.validation()
	s.run("settings", "set", "--layer", "VK_LAYER_TEST_second=on", "--layer", "VK_LAYER_TEST_first=off", "--log", "error")
	b := s.serve().page("configurations")
	b.sees("There is no configuration yet.")
	b.enter("#name", "quiet one")
	line := b.apply("#save")
	written := s.read(savedHere + "quiet one.json")
	if !strings.Contains(written, `"VK_LAYER_TEST_first"`) || strings.Contains(written, "app_keys") {
		t.Errorf("saved: %q", written)
	}
	b.undo()
	if s.read(savedHere+"quiet one.json") != "" {
		t.Error("the configuration is there after undo")
	}
	if again := s.shell(line, savedHere+"quiet one.json"); again != written {
		t.Errorf("%s writes %q, the page wrote %q", line, again, written)
	}
	s.run("settings", "clear")
	b.to("configurations")
	// With the keyboard alone, for all programs, and until a time.
	const use = `[aria-label="Use quiet one"]`
	eval[bool](b, `(() => { document.querySelector("main select[name=expires]").value = "8h"; return true })()`)
	b.press(use, kb.Enter)
	b.wait(`document.querySelector("#dialog[open] form button.first")`)
	line = b.text("#dialog pre")
	b.then(func() { b.press("#dialog form button.first", kb.Enter) })
	written = s.read(settingsFile)
	b.sees("In force for all programs.")
	b.undo()
	if s.read(settingsFile) != "" {
		t.Error("the settings are there after undo")
	}
	if again := s.shell(line, settingsFile); expiryless(again) != expiryless(written) || !strings.Contains(again, "expires") {
		t.Errorf("%s writes %q, the page wrote %q", line, again, written)
	}
	s.run("settings", "clear")
	// What differs from none, and the same as a settings file.
	b.to("configurations")
	b.apply(`[aria-label="Use quiet one"]`)
	line = b.apply(`[id^=stop-]`) // Stop using quiet one for all programs
	if s.read(settingsFile) != "" || line != "vkloader settings clear" {
		t.Errorf("after the end by %s: %q", line, s.read(settingsFile))
	}
	b.undo()
	b.undo()
	b.to("configurations/gone")
	b.then(func() { b.press(`main p a`, kb.Enter) }) // as after undo of its save
	b.then(func() { b.press(`main h2 a`, kb.Enter) })
	if got := b.text(".sides"); !strings.Contains(got, "VK_LAYER_TEST_first (goes)") || !strings.Contains(b.text("#text"), `"settings_array"`) {
		t.Errorf("the differences: %s", b.shown())
	}
	if got := eval[string](b, `send(document.getElementById("download").dataset.save).then((r) => r.text())`); got != s.read(savedHere+"quiet one.json") || got == "" {
		t.Errorf("the saved file: %q", got)
	}
	b.click("#download")
	b.wait(`document.getElementById("status").textContent === "Saved quiet one.json"`)
	// A duplicate, for one program only.
	b.to("configurations")
	b.press("main summary", kb.Enter)
	b.enter(`main details input[name=name]`, "other")
	b.apply(`[aria-label="Duplicate quiet one"]`)
	if s.read(savedHere+"other.json") != s.read(savedHere+"quiet one.json") {
		t.Error("the duplicate differs")
	}
	b.enter(`form[data-change=use] input[name=app]`, "/bin/sh")
	line = b.apply(`[aria-label="Use other"]`)
	if !strings.Contains(line, "vkloader settings use other --app ") || !strings.Contains(s.read(settingsFile), "app_keys") {
		t.Errorf("for one program: %s, %q", line, s.read(settingsFile))
	}
	b.undo()
	// Renamed and removed.
	b.press("main summary", kb.Enter)
	b.enter(`main details input[name=name]`, "third")
	line = b.apply(`[aria-label="Rename other"]`)
	if s.read(savedHere+"other.json") != "" || s.read(savedHere+"third.json") == "" || !strings.Contains(line, "--move") {
		t.Errorf("renamed by %s", line)
	}
	b.undo()
	if s.read(savedHere+"other.json") == "" || s.read(savedHere+"third.json") != "" {
		t.Error("the old name is not back")
	}
	b.press("main summary", kb.Enter)
	b.apply(`[aria-label="Remove other"]`)
	if s.read(savedHere+"other.json") != "" {
		t.Error("it is not removed")
	}
	for _, width := range []int64{1280, 390} {
		b.size(width)
		if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%d pixels wide: %d too much", width, over)
		}
		if !s.accessible() {
			continue
		}
		if wrong := b.serious(); len(wrong) > 0 {
			t.Error(strings.Join(wrong, "\n"))
		}
	}
}

// The button that applies a change is within three Tabs of the moved layer. All changes are undone at once, and the file in force is one
// link away.
func TestApplyIsNear(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.serve().page("program")
	for range 2 {
		b.then(func() {
			b.press(`[aria-label="Switch VK_LAYER_TEST_first off"], [aria-label="Switch VK_LAYER_TEST_second off"]`, kb.Enter)
		})
		tabs := 0
		for ; tabs < 3 && !eval[bool](b, `document.activeElement.innerText.startsWith("Apply")`); tabs++ {
			b.do(chromedp.KeyEvent(kb.Tab))
		}
		if got := eval[string](b, `document.activeElement.innerText`); !strings.HasPrefix(got, "Apply") {
			t.Fatalf("after %d Tabs: %q", tabs, got)
		}
		b.do(chromedp.KeyEvent(kb.Enter))
		b.wait(`document.querySelector("#dialog[open] form button.first")`)
		b.then(func() { b.press("#dialog form button.first", kb.Enter) })
	}
	b.then(func() { b.click(`.banner dd a`) })
	b.sees("VK_LAYER_TEST_second")
	b.wait(`document.querySelector("ol.text")`)
	b.then(func() { b.click(`button[name=all]`) })
	if text := s.read(settingsFile); text != "" {
		t.Errorf("after undo of all changes: %q", text)
	}
}

// One button shows every file that "settings clear --everything" changes, and changes them so. The page's own undo is named otherwise, and
// restores them.
func TestUndoEverything(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.validation()
	for _, directory := range []string{"home/.config", "home/.config/vulkan", filepath.Dir(settingsFile)} {
		s.own(directory)
	}
	const foreign = `{"file_format_version": "1.0.0", "settings": {"stderr_log": ["error"]}}`
	s.write(settingsFile, foreign)
	b := s.serve().page("overview")
	b.click("#everything")
	b.sees("There is nothing to undo.")
	b.click("#dialog [data-close]")
	s.run("settings", "save", "mine")
	s.run("settings", "set", "--force", "--layer", "VK_LAYER_TEST_first=off")
	s.run("settings", "layer", tasksLayer, "report_flags=error,warn")
	before := s.written()
	b.to("overview")
	b.click("#everything")
	b.wait(`document.querySelector("#dialog[open] form button.first")`)
	shown := b.text("#dialog")
	for _, file := range []string{"Writes " + s.path(settingsFile) + ":", foreign, "Removes " + s.path(savedHere+"mine.json"), "Removes " + s.path(settingsOfLayers)} {
		if !strings.Contains(shown, file) {
			t.Errorf("no %q in the preview:\n%s", file, shown)
		}
	}
	b.then(func() { b.press("#dialog form button.first", kb.Enter) })
	if after := s.written(); after[s.path(settingsFile)] != foreign || strings.Contains(fmt.Sprint(after), "vkloader settings") {
		t.Errorf("afterwards: %q", after)
	}
	if got := b.text(`form[data-post="/undo"]`); !strings.Contains(got, "Undo the last change") || strings.Contains(got, "Undo everything …") {
		t.Errorf("the page's own undo: %q", got)
	}
	b.undo()
	if after := s.written(); !maps.Equal(after, before) {
		t.Errorf("after undo: %q, before %q", after, before)
	}
}

// accessible reports whether the check of accessibility is available.
func (s *site) accessible() bool {
	_, missing := axe()
	return missing == ""
}

// expiryless returns a file without the line of its expiry.
func expiryless(text string) string {
	before, rest, found := strings.Cut(text, `"expires"`)
	_, after, _ := strings.Cut(rest, "\n")
	if !found {
		return text
	}
	return before + after
}
