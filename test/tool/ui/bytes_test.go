package ui

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// written returns the content of the user's files, by path, without times that the tool writes.
func (s *site) written() map[string]string {
	s.t.Helper()
	times := regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`)
	found := map[string]string{}
	for _, directory := range []string{"home", "work"} {
		if err := filepath.WalkDir(s.path(directory), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			found[path] = times.ReplaceAllString(string(text), "TIME")
			return err
		}); err != nil {
			s.t.Fatal(err)
		}
	}
	return found
}

// Each kind of change writes on the page what its command line writes in a terminal, in every file of the user, and undo restores all.
func TestChangesAreCommandLines(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.validation()
	s.twoDrivers()
	s.write("checked.json", `{"file_format_version": "1.0.0", "settings_array": [{"layers": [{"name": "VK_LAYER_KHRONOS_validation", "control": "on"}]}]}`)
	s.write("work/game", "#!/bin/sh\n")
	if err := os.Chmod(s.path("work/game"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.run("settings", "set", "--layer", "VK_LAYER_TEST_first=off", "--layer", "VK_LAYER_TEST_second=auto", "--log", "error")
	s.run("settings", "set", "--app", "/bin/sh", "--layer", "VK_LAYER_TEST_second=off")
	s.run("settings", "set", "--hardware", "present")
	s.run("settings", "save", "one")
	s.run("settings", "save", "with checks", "--from", s.path("checked.json"))
	b := s.serve().page("overview")
	choose := func(selector, value string) {
		b.wait(`document.querySelector(%s)`, selector)
		eval[bool](b, `(() => { const e = document.querySelector(%s); e.value = %s; return e.value === %s })()`, selector, value, value)
	}
	more := func() { // the page keeps it open from an earlier change
		if !eval[bool](b, `document.querySelector("main details").open`) {
			b.click("main summary")
		}
	}
	for name, change := range map[string]struct {
		address, button string
		prepare         func()
	}{
		"clear":              {"overview", `[aria-label^="Remove Settings file"]`, nil},
		"everything":         {"overview", "#everything", nil},
		"policy":             {"overview", `[aria-label^="Remove Policy: hardware"]`, nil},
		"use for one":        {"configurations", `[aria-label="Use one"]`, func() { b.enter(`form[data-change=use] input[name=app]`, "/bin/ls") }},
		"use until":          {"configurations", `[aria-label="Use one"]`, func() { choose(`form[data-change=use] select`, "90m") }},
		"save for one":       {"configurations", "#save", func() { b.enter("#name", "two"); choose("#saved", "%2Fbin%2Fsh") }},
		"save of a file":     {"configurations", "#save", func() { b.enter("#name", "two"); b.enter("#file", s.path(settingsFile)) }},
		"rename":             {"configurations", `[aria-label="Rename one"]`, func() { more(); b.enter("main details input[name=name]", "two") }},
		"duplicate":          {"configurations", `[aria-label="Duplicate one"]`, func() { more(); b.enter("main details input[name=name]", "two") }},
		"forget":             {"configurations", `[aria-label="Remove one"]`, more},
		"layers and driver":  {"program?do=driver-up:" + ref(s.path("share/vulkan/icd.d/zeta.json")), "#apply", func() { b.then(func() { b.click(`[aria-label="Switch VK_LAYER_TEST_second off"]`) }) }},
		"for all programs":   {"program/bin/sh?do=usual:VK_LAYER_TEST_second", "#apply", func() { choose("#for", "all") }},
		"devices":            {"program/bin/sh", "#choose", func() { b.click("#list-devices"); choose(`[aria-label="Place of Acme"]`, "1") }},
		"settings of layer":  {"layers/VK_LAYER_KHRONOS_validation?preset=2", "#save", nil},
		"in a configuration": {"layers/VK_LAYER_KHRONOS_validation?preset=2", "#save", func() { b.then(func() { b.press("#where-configuration", " ") }) }},
		"in it, by preset":   {"configurations/with%20checks", `[aria-label^="Preset Best Practices"]`, nil},
	} {
		before := s.written()
		b.to(change.address)
		if change.prepare != nil {
			change.prepare()
		}
		line := b.apply(change.button)
		after := s.written()
		b.undo()
		if now := s.written(); !maps.Equal(now, before) {
			t.Fatalf("%s: undo leaves %q, before %q", name, now, before)
		}
		s.shell(line, "")
		if again := s.written(); !maps.Equal(again, after) || maps.Equal(after, before) {
			t.Errorf("%s: %s writes %q, the page %q, before %q", name, line, again, after, before)
		}
		for path := range s.written() { // as before, for the next change
			if _, was := before[path]; !was {
				_ = os.Remove(path)
			}
		}
		for path, text := range before {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ref returns a text as the page writes it into its addresses.
func ref(text string) string { return strings.ReplaceAll(text, "/", "%252F") }
