package ui

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	browserdomain "github.com/chromedp/cdproto/browser"
)

// A manifest with a syntax error is shown at its line; other files of the machine are not shown.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("share/vulkan/explicit_layer.d/broken.json", "{\n  \"file_format_version\": \"1.2.0\",\n  \"layer\": {\n    \"name\": \"VK_LAYER_TEST_broken\"\n    \"type\": \"GLOBAL\"\n  }\n}\n")
	b := s.serve().page("files")
	b.sees("expected a comma or a closing brace")
	order := eval[[]string](b, `Array.from(document.querySelectorAll("ol.places h3 .path"), (e) => e.innerText)`)
	var want []string
	for line := range strings.Lines(s.run("list", "paths", "--json")) {
		if _, path, ok := strings.Cut(line, `"path": "`); ok {
			want = append(want, path[:strings.IndexByte(path, '"')])
		}
	}
	if len(order) < len(want) || len(want) < 10 {
		t.Fatalf("%d places, want %d", len(order), len(want))
	}
	for i := range want {
		if order[i] != want[i] {
			t.Errorf("place %d is %s, want %s", i, order[i], want[i])
		}
	}
	if got := b.text("ol.places"); !strings.Contains(got, "no package") || !strings.Contains(got, "null_icd.json") {
		t.Errorf("the places:\n%s", got)
	}
	b.then(func() { b.click(`.bad-files h3 a`) })
	if got := b.text("ol.text li.marked"); !strings.Contains(got, `"type": "GLOBAL"`) || !strings.Contains(got, "expected a comma") {
		t.Errorf("the marked line: %q", got)
	}
	if n := eval[int](b, `document.querySelector("ol.text li.marked").value`); n != 5 {
		t.Errorf("line %d is marked", n)
	}
	b.to("files?file=%252Fetc%252Fpasswd")
	if got := b.text("main"); !strings.Contains(got, "the loader does not search this file") || strings.Contains(got, "root:") {
		t.Errorf("another file of the machine:\n%s", got)
	}
}

// What could not be asked is told from what is not there, with the reason: kernel devices, packages, layers' settings, directories and processes.
func TestUnknown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("image/etc/vulkan/icd.d/null_icd.json", manifestOf("ICD", map[string]any{"library_path": "/lib/x.so", "api_version": "1.3.0"}))
	b := s.serve("--root", s.path("image")).page("overview")
	for address, want := range map[string]string{"overview": "/sys, the kernel's list of devices, is empty", "files": "no list of packages was found",
		"programs": "Nothing runs below --root"} {
		b.to(address)
		if got := b.text("main"); !strings.Contains(got, want) || strings.Contains(got, "shows no graphics device") || strings.Contains(got, "no package") {
			t.Errorf("%s: %s", address, b.shown())
		}
	}
	other := newSite(t)
	other.layer("explicit_layer.d/closed.json", "VK_LAYER_TEST_closed", nil)
	other.own("share/vulkan/icd.d/sub")
	for _, closed := range []string{"share/vulkan/explicit_layer.d/closed.json", "share/vulkan/icd.d"} {
		if err := os.Chmod(other.path(closed), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(other.path("share/vulkan/icd.d"), 0o700) })
	b = other.serve().page("layers")
	if got := b.text("main"); !strings.Contains(got, "Whether these have settings is unknown") || !strings.Contains(got, "closed.json: ") {
		t.Errorf("a manifest that cannot be read: %s", b.shown())
	}
	b.to("files")
	if got := eval[string](b, `Array.from(document.querySelectorAll("ol.places > li"), (e) => e.innerText).find((t) => t.startsWith(%s))`, other.path("share/vulkan/icd.d")); !strings.Contains(got, "may not look at it") ||
		strings.Contains(got, "no file") || strings.Contains(got, "does not exist") {
		t.Errorf("a directory that cannot be read: %s", got)
	}
}

// The report is read, a part is removed, and the archive has exactly the visible rest.
func TestReport(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.serve("--read-only").page("report")
	b.press("#still", " ")
	b.click(`main form button.first`)
	b.sees("variables.json")
	archive := func() map[string]string {
		t.Helper()
		text := eval[string](b, `send(document.getElementById("save").dataset.save).then((r) => r.blob()).then((b) => new Promise((done) => {
  const reader = new FileReader(); reader.onload = () => done(reader.result.split(",")[1]); reader.readAsDataURL(b) }))`)
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		zip, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for files := tar.NewReader(zip); ; {
			header, err := files.Next()
			if err != nil {
				return found
			}
			content, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			found[strings.TrimPrefix(header.Name, "vkloader-bundle/")] = string(content)
		}
	}
	all := archive()
	if all["variables.json"] == "" || all["system.txt"] == "" {
		t.Fatalf("the archive has %d parts", len(all))
	}
	// The button saves the same with the browser.
	saved := t.TempDir()
	b.do(browserdomain.SetDownloadBehavior(browserdomain.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(saved).
		WithBrowserContextID(b.owner))
	b.click("#save")
	for until := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(filepath.Join(saved, "vkloader-bundle.tar.gz")); err == nil && info.Size() > 1000 {
			break
		}
		if time.Now().After(until) {
			t.Fatal("nothing is saved")
		}
	}
	b.then(func() { b.press(`input[value="system.txt"]`, " ") })
	if b.text("tr.removed a") != "system.txt" || !strings.Contains(b.text("main"), "vkloader bundle --no-probe --without system.txt") {
		t.Errorf("after it was removed:\n%s", b.text("main"))
	}
	less := archive()
	if _, in := less["system.txt"]; in || len(less) != len(all)-1 || less["variables.json"] != all["variables.json"] {
		t.Errorf("the archive has %d parts, before %d", len(less), len(all))
	}
	b.then(func() { b.click(`a[href*="part=explain.json"]`) })
	if got := eval[string](b, `document.querySelector("pre.whole").textContent`); got != all["explain.json"] {
		t.Errorf("what is read is not what is in the archive: %d and %d bytes", len(got), len(all["explain.json"]))
	}
}
