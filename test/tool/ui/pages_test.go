package ui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vkloader/internal/decide/process"
)

// settingsFile is the file that the page of a chain writes.
const settingsFile = "home/.config/vulkan/loader_settings.d/vk_loader_settings.json"

// addresses are the addresses of all pages.
func addresses() []string {
	return []string{"overview", "programs", "start", "program", "configurations", "layers", "files", "report"}
}

// Names, descriptions and paths of a manifest that try to be markup, or to control a terminal, are text on every page. No script of
// theirs runs; the browser reports no refused one.
func TestHostile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const script = `<script>window.evil = 1</script><img src=x onerror="window.evil = 1">"'>&amp;` + "\u202e\u0007\u001b[2J\u2028"
	features := map[string]any{"presets": []any{map[string]any{"label": script, "description": script, "settings": []any{map[string]any{"key": "k" + script, "value": script}}}},
		"settings": []any{
			map[string]any{"key": "k" + script, "label": script, "description": script, "type": "STRING", "default": script, "env": script, "unit": script, "status": script},
			map[string]any{"key": "f" + script, "label": script, "type": "FLAGS", "default": []any{script}, "flags": []any{map[string]any{"key": script, "label": script, "status": script}}},
			map[string]any{"key": "e", "type": "ENUM", "default": "</select>" + script, "flags": []any{map[string]any{"key": "</select>" + script, "label": script}}}}}
	// The loader reads control characters in names as other text, so that such a layer has another name in Go's reading.
	name := "VK_LAYER_" + strings.NewReplacer("\u0007", "", "\u001b", "").Replace(script)
	s.layer("implicit_layer.d/a.json", name, map[string]any{"description": script, "url": "javascript:window.evil=1", "platforms": script, "features": features, "disable_environment": map[string]any{script: "1"}})
	s.layer("explicit_layer.d/b.json", strings.Replace(name, "VK_LAYER_", "VK_LAYER_b/../?x=#", 1), map[string]any{"features": features, "library_path": "/x/" + script, "url": "https://layer.example/a?b"})
	s.write("share/vulkan/explicit_layer.d/<img src=x onerror=alert(1)>.json", `{"`+script)
	s.write("share/vulkan/icd.d/javascript:alert(1).json", manifestOf("ICD", map[string]any{"library_path": script, "api_version": script}))
	b := s.serve().page("overview")
	visit := func(address string) {
		t.Helper()
		b.to(address)
		if eval[bool](b, `"evil" in window || document.querySelector("main script, main img, main iframe, main [onerror]") !== null`) {
			t.Errorf("%s: markup of a manifest is on the page", address)
		}
		if text := b.text("main"); strings.ContainsAny(text, "\u202e\u0007\u001b\u2028") {
			t.Errorf("%s: control characters are on the page", address)
		}
		if over := eval[[]string](b, `Array.from(document.querySelectorAll("main a"), (a) => a.getAttribute("href")).filter((h) => !/^(#\/|\/report\/)/.test(h) && h !== "https://layer.example/a?b")`); len(over) > 0 && !strings.HasPrefix(address, "program") {
			t.Errorf("%s: links lead to %q", address, over)
		}
	}
	for _, address := range addresses() {
		visit(address)
	}
	b.wait(`!window.evil`)
	// The form of the hostile layer keeps untouched values.
	b.to("layers")
	links := eval[[]string](b, `Array.from(document.querySelectorAll("main .cards a"), (a) => a.getAttribute("href"))`)
	if len(links) != 2 {
		t.Errorf("the layers with settings: %q\n%s", links, b.shown())
	}
	for _, link := range links {
		visit(strings.TrimPrefix(link, "#/"))
		if b.has("main > div > p.problem") {
			t.Errorf("%s:\n%s", link, b.shown())
			continue
		}
		b.then(func() { b.press("#where-variables", " ") })
		b.then(func() { b.press("#where-all", " ") })
		if got := b.text(".outcome"); !strings.Contains(got, "Nothing.") || b.has("#save") {
			t.Errorf("a form that nobody touched has changes:\n%s\n%s", got, b.shown())
		}
	}
	b.collect()
	for _, link := range eval[[]string](b, `Array.from(document.querySelectorAll("main td + th a"), (a) => a.getAttribute("href"))`) {
		visit(strings.TrimPrefix(link, "#/"))
	}
	b.to("files")
	for _, link := range eval[[]string](b, `Array.from(document.querySelectorAll("main tbody a"), (a) => a.getAttribute("href"))`) {
		visit(strings.TrimPrefix(link, "#/"))
	}
}

// Thousands of layers: every page is shown in parts that a browser can bear, and the last one can be found.
func TestManyLayers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("share/vulkan/explicit_layer.d/00000.json", "{}")
	count := 2000
	if os.Getenv("VKLOADER_TEST_ALL") != "" {
		count = 10_000
	}
	for i := range count {
		text := fmt.Sprintf(`{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_many_%05d","type":"GLOBAL","library_path":"/x/lib.so","api_version":"1.3.0","implementation_version":"1","description":"many"}}`, i)
		if err := os.WriteFile(s.path(fmt.Sprintf("share/vulkan/explicit_layer.d/%05d.json", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := s.serve().page("layers")
	for _, address := range addresses() {
		b.to(address)
		if b.has("main > div > p.problem[role=alert]") {
			t.Errorf("%s:\n%s", address, b.shown())
		}
		if n := eval[int](b, `document.querySelectorAll("main *").length`); n > 8000 {
			t.Errorf("%s has %d elements", address, n)
		}
	}
	b.to("files")
	last := fmt.Sprintf("%05d", count-1)
	b.then(func() { b.press("#name", last+kb.Enter) })
	b.sees(last + ".json")
	b.sees("1 file")
}

// A layer is moved by the keyboard; the decisions without and with the change are shown; it is applied for eight hours, undone,
// and the page writes the same file as the command line. When the time is over the page does not show it any more.
func TestReorder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.serve().page("program")
	names := func(selector string) []string {
		return eval[[]string](b, `Array.from(document.querySelectorAll(%s), (e) => e.innerText.match(/VK_LAYER_TEST_\w+/)?.[0]).filter((n) => n)`, selector)
	}
	const down = `[aria-label="Move VK_LAYER_TEST_first down"]`
	b.wait(`document.querySelector(%s)`, down)
	b.then(func() { b.press(down, kb.Enter) })
	b.wait(`document.getElementById("compared")`)
	if now, then := names(".sides section:first-child li"), names(".sides section:last-child li"); fmt.Sprint(now, then) != "[VK_LAYER_TEST_first VK_LAYER_TEST_second] [VK_LAYER_TEST_second VK_LAYER_TEST_first]" {
		t.Errorf("decided: %v and %v", now, then)
	}
	if got := eval[string](b, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName`); got != "Move VK_LAYER_TEST_first up" && got != "Move VK_LAYER_TEST_first down" {
		t.Errorf("the focus went to %s", got)
	}
	if text := s.read(settingsFile); text != "" {
		t.Errorf("something is written before it was applied: %s", text)
	}
	address := strings.TrimPrefix(eval[string](b, `location.hash`), "#/")
	line := b.apply("#apply")
	written := s.read(settingsFile)
	if !strings.Contains(written, "VK_LAYER_TEST_second") || !b.has(".banner") {
		t.Errorf("written: %s\n%s", written, b.shown())
	}
	if out := s.run("explain"); strings.Index(out, "VK_LAYER_TEST_second") > strings.Index(out, "VK_LAYER_TEST_first") {
		t.Errorf("explain has another order:\n%s", out)
	}
	b.undo()
	if text := s.read(settingsFile); text != "" || b.has(".banner") {
		t.Errorf("after undo: %s\n%s", text, b.shown())
	}
	if again := s.shell(line, settingsFile); again != written {
		t.Errorf("%s writes\n%s\nand the page wrote\n%s", line, again, written)
	}
	s.run("settings", "clear")

	// With an expiry.
	b.to(address)
	b.wait(`document.getElementById("expires")`)
	eval[bool](b, `(() => { document.getElementById("expires").value = "8h"; return true })()`)
	b.apply("#apply")
	var file struct {
		Vkloader struct{ Expires string }
	}
	if err := json.Unmarshal([]byte(s.read(settingsFile)), &file); err != nil || file.Vkloader.Expires == "" {
		t.Fatalf("no expiry: %v\n%s", err, s.read(settingsFile))
	}
	if got := b.text(".banner"); !strings.Contains(got, "until") {
		t.Errorf("the banner: %s", got)
	}
	over := regexp.MustCompile(`"expires": "[^"]*"`).ReplaceAllString(s.read(settingsFile), `"expires": "2020-01-01T00:00:00Z"`)
	if err := os.WriteFile(s.path(settingsFile), []byte(over), 0o644); err != nil {
		t.Fatal(err)
	}
	b.to("overview")
	if b.has(".banner") || s.read(settingsFile) != "" {
		t.Errorf("after its time:\n%s", b.shown())
	}
}

// A running program appears on the page while it runs, and goes with it, without another visit.
func TestLivePrograms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.serve().page("programs")
	const shown = `document.querySelector("#process-PID")`
	p := s.start("livegame")
	at := strings.Replace(shown, "PID", fmt.Sprint(p.pid), 1)
	b.wait(at + `?.innerText.includes("VK_LAYER_TEST_first")`) // the page shows the program when it has loaded the loader, and again with its drivers and layers
	if got := b.text(fmt.Sprintf("#process-%d", p.pid)); !strings.Contains(got, "null_icd.json") || !strings.Contains(got, "VK_LAYER_TEST_first") || !strings.Contains(got, "livegame") {
		t.Errorf("the program: %s", got)
	}
	p.end()
	b.wait("!" + at)
}

// collect collects a report with the page's buttons, without loading a driver.
func (b *browser) collect() {
	b.t.Helper()
	b.to("report")
	eval[bool](b, `(() => { document.getElementById("still").click(); return true })()`)
	b.click(`main form button.first`)
	b.wait(`document.getElementById("save")`)
}

// axe-core finds no serious fault on any page, light or dark, with and without overrides.
func TestAccessible(t *testing.T) {
	t.Parallel()
	needAxe(t)
	s := newSite(t)
	s.validation()
	s.write("share/vulkan/explicit_layer.d/broken.json", "{ \"layer\": \n")
	s.run("settings", "set", "--layer", "VK_LAYER_KHRONOS_validation=on", "--expires", "8h")
	b := s.serve().page("overview")
	more := []string{"layers/VK_LAYER_KHRONOS_validation?preset=3", "files?file=" + strings.ReplaceAll(s.path("share/vulkan/explicit_layer.d/broken.json"), "/", "%252F"), "report/collected"}
	for _, address := range append(addresses(), more...) {
		if address == "report/collected" {
			b.collect()
		} else {
			b.to(address)
		}
		if strings.HasPrefix(address, "program") {
			b.wait(`!document.querySelector("[data-later]") || document.querySelector(".picture svg")`)
		}
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			for _, found := range b.serious() {
				t.Errorf("%s, dark %v: %s", address, dark, found)
			}
		}
	}
	// The dialog of a change.
	b.to("layers/VK_LAYER_KHRONOS_validation?preset=3")
	b.click("#save")
	b.wait(`document.querySelector("#dialog[open] form button.first")`)
	for _, found := range b.serious() {
		t.Errorf("the dialog: %s", found)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait(`!document.getElementById("dialog").open`)
}

// A first visit transfers less than 60 kB: all answers as they are sent, without compression, with their headers. The first paint waits for
// two of them alone, neither a script nor a trial. Times are logged but not judged, because the machine may be busy.
func TestSize(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.serve().page("overview")
	b.lock.Lock()
	total := b.bytes
	b.lock.Unlock()
	if total < 5_000 || total > 60_000 {
		t.Errorf("the first page is %d bytes", total)
	}
	b.do(chromedp.Reload())
	b.wait(`document.querySelector("main h1") && !document.querySelector("main[aria-busy]")`)
	paint := eval[float64](b, `new Promise((done) => { const look = () => { const p = performance.getEntriesByName("first-contentful-paint")[0];
  if (!p) return requestAnimationFrame(look); done(p.startTime - performance.getEntriesByType("navigation")[0].responseStart) }; look() })`)
	const resources = `performance.getEntriesByType("resource")`
	waits := eval[[]string](b, resources+`.filter((e) => e.renderBlockingStatus === "blocking").map((e) => new URL(e.name).pathname)`)
	size := eval[int](b, resources+`.concat(performance.getEntriesByType("navigation")).filter((e) => e.renderBlockingStatus !== "non-blocking")
  .reduce((sum, e) => sum + e.transferSize, 0)`)
	if fmt.Sprint(waits) != "[/assets/ui.css]" || size < 5_000 || size > 20_000 {
		t.Errorf("the first paint waits for %v, %d bytes", waits, size)
	}
	if started := eval[[]string](b, resources+`.map((e) => new URL(e.name).pathname).filter((p) => p.startsWith("/start/"))`); len(started) > 0 {
		t.Errorf("without a click: %v", started)
	}
	t.Logf("%d bytes, %d of them before the first paint; first contentful paint %.0f ms after the server's answer", total, size, paint)
}

// switches returns how often the threads of the server have waited.
func (s *site) switches() (n int) {
	s.t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", s.server))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("the server has no threads: %v", err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		var count int
		if _, err := fmt.Sscan(rest, &count); err != nil {
			s.t.Fatal(err)
		}
		n += count
	}
	return n
}

// At rest, no page sends a request, and no thread of the server runs. A page that polled every two seconds would never rest so long. On a
// machine whose programs open the searched directories all the time, the page of programs does not rest.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.start("restinggame")
	var searched struct{ Places []struct{ Path string } }
	if err := json.Unmarshal([]byte(s.run("list", "paths", "--json")), &searched); err != nil || len(searched.Places) == 0 {
		t.Fatal(err)
	}
	watched := []string{"/dev/dri"}
	for _, place := range searched.Places {
		watched = append(watched, place.Path)
	}
	others, err := process.NewWatch(t.Context(), watched)
	if err != nil {
		t.Fatal(err)
	}
	defer others.Close()
	b := s.serve().page("overview")
	for _, address := range []string{"overview", "start", "programs", fmt.Sprintf("program%s?pid=%d", s.path("bin/restinggame"), p.pid)} {
		b.to(address)
		b.wait(`!document.querySelector("main [aria-busy]")`)
		work := func() string {
			b.lock.Lock()
			defer b.lock.Unlock()
			return fmt.Sprint(b.asked, " requests, ", s.switches(), " waits of threads")
		}
		begun := time.Now()
		for busy := 0; busy < 10; {
			before := work()
			time.Sleep(3 * time.Second)
			after := work()
			if after == before {
				break
			}
			if others.Wait(nil, 0) {
				busy++
			}
			if time.Since(begun) > limit {
				t.Fatalf("%s: %s, and three seconds later %s", address, before, after)
			}
		}
	}
	// It is still live.
	p.end()
	b.sees(fmt.Sprintf("Process %d has ended.", p.pid))
}
