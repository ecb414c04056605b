package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// settingsOfLayers is the file that the page writes for all programs of the user.
const settingsOfLayers = "home/.local/share/vulkan/settings.d/vk_layer_settings.txt"

// apply opens the change of a button, makes it, and returns the command line on the page.
func (b *browser) apply(button string) (line string) {
	b.t.Helper()
	b.click(button)
	b.wait(`document.querySelector("#dialog[open]")`)
	if !b.has("#dialog form button.first") {
		b.t.Fatalf("%s: %s", button, b.text("#dialog"))
	}
	line = b.text("#dialog pre")
	b.then(func() { b.click(`#dialog form button.first`) })
	if !eval[bool](b, `!document.getElementById("dialog").open`) {
		b.t.Fatalf("not applied\n%s", b.shown())
	}
	return line
}

// undo undoes the last change.
func (b *browser) undo() {
	b.t.Helper()
	b.then(func() { b.click(`form[data-post="/undo"] button`) })
}

// shell runs a command line of the page without the file, and returns the new file's content.
func (s *site) shell(line, file string) string {
	s.t.Helper()
	cmd := s.command("sh", "-c", line)
	cmd.Env = append(slices.Clone(s.environ), "PATH="+s.tool+":/usr/bin:/bin")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := within(s.t, "the end of "+line, cmd.Run); err != nil {
		s.t.Fatalf("%s: %v\n%s", line, err, out.String())
	}
	return s.read(file)
}

// The settings of the validation layer as a form: a preset, flags, dependent settings, an empty list, a wrong value, and
// differences from the defaults. The page writes the same bytes as the command line, and the change can be undone.
func TestLayerSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.validation()
	b := s.serve().page("layers")
	b.sees("VK_LAYER_KHRONOS_validation")
	b.then(func() { b.click(`main .cards a`) })
	differs := func() string { return b.text(".outcome") }
	if !strings.Contains(differs(), "Nothing.") {
		t.Errorf("it differs from the defaults from the beginning:\n%s", differs())
	}
	idle := `document.querySelector('[data-key="printf_verbose"]').classList.contains("idle")`
	if !eval[bool](b, idle) {
		t.Error("a setting whose dependence does not hold has an effect")
	}
	// A preset, and then a flag by the keyboard alone.
	b.then(func() { b.click(`.presets li:last-child a`) })
	if eval[bool](b, idle) || !strings.Contains(differs(), "Debug Printf") {
		t.Errorf("the preset:\n%s", differs())
	}
	severity := `[data-key="report_flags"] input[value="warn"]`
	b.then(func() { b.press(severity, " ") })
	if !eval[bool](b, `document.querySelector(%s).checked && document.activeElement === document.querySelector(%s)`, severity, severity) {
		t.Error("the flag is not set, or lost the focus")
	}
	if !strings.Contains(differs(), "Warning, Error") {
		t.Errorf("the flag is no difference:\n%s", differs())
	}
	// An empty value differs from the default.
	b.to("layers/VK_LAYER_KHRONOS_validation")
	b.then(func() {
		b.press(`[data-key="disables"] input[value="VK_VALIDATION_FEATURE_DISABLE_THREAD_SAFETY_EXT"]`, " ")
	})
	if !strings.Contains(differs(), "khronos_validation.disables = \n") && !strings.HasSuffix(strings.TrimSpace(b.text(".outcome pre")), "khronos_validation.disables =") {
		t.Errorf("an empty list:\n%s", differs())
	}
	// The page refuses a value that the layer does not know, with the command line's message.
	b.then(func() { b.press(`[data-key="duplicate_message_limit"] input`, "many"+kb.Enter) })
	if got := b.text(".outcome [role=alert]"); !strings.Contains(got, "it must be a whole number") || b.has("#save") {
		t.Errorf("a wrong number: %q", got)
	}
	b.to("layers/VK_LAYER_KHRONOS_validation?preset=2")
	line := b.apply("#save")
	written := s.read(settingsOfLayers)
	if !strings.Contains(written, "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT\n") {
		t.Errorf("written: %q", written)
	}
	if out := s.run("settings", "show"); !strings.Contains(out, "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT") {
		t.Errorf("settings show does not know it:\n%s", out)
	}
	b.undo()
	if text := s.read(settingsOfLayers); text != "" {
		t.Errorf("after undo: %q", text)
	}
	if again := s.shell(line, settingsOfLayers); again != written {
		t.Errorf("%s writes %q, the page wrote %q", line, again, written)
	}
	// With all defaults, the file is removed.
	b.to("layers/VK_LAYER_KHRONOS_validation?preset=defaults")
	b.apply("#save")
	if text := s.read(settingsOfLayers); text != "" {
		t.Errorf("with the defaults: %q", text)
	}
	// As variables.
	b.to("layers/VK_LAYER_KHRONOS_validation?preset=2")
	b.then(func() { b.press("#where-variables", " ") })
	if got := b.text("#exports"); !strings.Contains(got, "export VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT") {
		t.Errorf("as variables: %q", got)
	}
}
