package ui

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// twoDrivers adds two drivers with a device each.
func (s *site) twoDrivers() {
	const api, ids = "api 1.3.0", "ext VK_KHR_get_physical_device_properties2"
	s.driver("acme", api, ids, "device name=Acme type=discrete vendor=0x1002 device=1 uuid=1 api=1.3.0")
	s.driver("zeta", api, ids, "device name=Zeta type=integrated vendor=0x1002 device=2 uuid=2 api=1.3.0", "device name=Oldest type=other vendor=0x1002 device=3 api=1.0.0",
		"device name=Twin type=cpu uuid=9 api=1.3.0", "device name=Other%20twin type=cpu uuid=9 api=1.3.0")
}

// Drivers are ordered and switched off, and devices are chosen in an order, by the keyboard. The page writes the bytes of the command line,
// and says what an update does. A settings file of another program's cannot be hidden: the file in force is marked.
func TestDriversAndDevices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.twoDrivers()
	b := s.serve().page("program")
	b.then(func() { b.press(`[aria-label="Move zeta.json up"], [aria-label="Move zeta up"]`, kb.Enter) })
	b.then(func() { b.press(`[aria-label^="Switch null_icd"][aria-label$="off"]`, kb.Enter) })
	b.sees("an update of a driver keeps")
	line := b.apply("#apply")
	written := s.read(settingsFile)
	if !strings.Contains(line, "--driver "+s.path("share/vulkan/icd.d/")) || strings.Contains(written, "null_icd") {
		t.Errorf("%s writes %s", line, written)
	}
	if got := b.text(".banner"); !strings.Contains(got, "drivers "+s.path("share/vulkan/icd.d/zeta.json")) {
		t.Errorf("the first driver is not named first: %s", got)
	}
	var drivers []string
	for line := range strings.Lines(s.run("explain", "--json")) {
		if _, name, is := strings.Cut(line, `"manifest": "`); is && strings.Contains(line, "icd.d") {
			drivers = append(drivers, filepath.Base(name[:strings.IndexByte(name, '"')]))
		}
	}
	if got := strings.Join(drivers, " "); !strings.HasPrefix(got, "zeta.json acme.json") {
		t.Errorf("the drivers: %s", got)
	}
	b.undo()
	if again := s.shell(line, settingsFile); again != written {
		t.Errorf("%s writes %q, the page wrote %q", line, again, written)
	}
	s.run("settings", "clear")

	b.to("program")
	b.press("#list-devices", kb.Enter)
	b.wait(`document.querySelectorAll("#devices select[name^=at]").length === 2`)
	if got := b.text("#devices"); !strings.Contains(got, "Oldest supports only Vulkan 1.0") || !strings.Contains(got, "the same UUIDs as Twin") ||
		b.has(`[aria-label="Place of Oldest"], [aria-label="Place of Twin"]`) {
		t.Errorf("the devices: %s", got)
	}
	for name, place := range map[string]string{"Zeta": "1", "Acme": "2"} {
		eval[bool](b, `(() => { document.querySelector(%s).value = %s; return true })()`, `[aria-label="Place of `+name+`"]`, place)
	}
	line = b.apply("#choose")
	written = s.read(settingsFile)
	if strings.Index(written, "Zeta") > strings.Index(written, "Acme") || !strings.Contains(written, "Zeta") || strings.Count(line, "--device") != 2 {
		t.Errorf("%s writes %s", line, written)
	}
	b.undo()
	if again := s.shell(line, settingsFile); again != written {
		t.Errorf("%s writes %q, the page wrote %q", line, again, written)
	}
	if got := s.run("list", "devices"); strings.Index(got, "Zeta") > strings.Index(got, "Acme") || !strings.Contains(got, "Zeta") {
		t.Errorf("programs get:\n%s", got)
	}
	// The file in force is marked, and its errors are at their lines.
	b.to("files")
	if got := b.text("main"); !strings.Contains(got, "vk_loader_settings.json (") || strings.Count(got, "in force") == 0 {
		t.Errorf("the file in force is not marked:\n%s", got)
	}
	s.replace(settingsFile, `"settings_array"`, `"settings_array`)
	b.to("files?file=" + strings.ReplaceAll(s.path(settingsFile), "/", "%252F"))
	if !b.has("ol.text li.marked") || b.has("ol.text input, ol.text textarea") {
		t.Errorf("the errors of the settings file:\n%s", b.shown())
	}
}

// The window shows what a terminal has changed as soon as it gets the focus, and keeps a text that the user has typed.
func TestTerminalChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.serve().page("program")
	focus := func() { eval[bool](b, `window.dispatchEvent(new Event("focus"))`) }
	s.run("settings", "set", "--layer", "VK_LAYER_TEST_first=off")
	b.then(focus)
	if !b.has(".banner") || !b.has(`[aria-label="Switch VK_LAYER_TEST_first on"]`) {
		t.Errorf("after a change in a terminal:\n%s", b.shown())
	}
	b.enter("#find", "typed")
	s.run("settings", "clear")
	focus()
	b.wait(`!document.querySelector(".banner")`)
	if got := eval[string](b, `document.getElementById("find").value`); got != "typed" {
		t.Errorf("the typed text is now %q", got)
	}
}
