package commands

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The loader of a program that an address names is a file from that address. So a button loads it only with the box that confirms it.
func TestUIProgramsOwnLoader(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a")
	library, _, mark := s.hostile("evil", false)
	for _, c := range []struct{ name, directory, rpath string }{{"rpath", "a b", "/"}, {"origin", "c", "$ORIGIN"}} {
		directory := filepath.Join(filepath.Dir(library), c.directory)
		program, loader := filepath.Join(directory, c.name), filepath.Join(directory, "libvulkan.so.1")
		if err := os.Mkdir(directory, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(library, loader); err != nil {
			t.Fatal(err)
		}
		path := strings.Replace(c.rpath, "/", directory, 1)
		cmd := exec.Command("gcc", "-x", "c", "-o", program, "-", "-Wl,--no-as-needed,--disable-new-dtags,-rpath,"+path, "-L"+directory, "-l:libvulkan.so.1")
		cmd.Stdin = strings.NewReader("int main(void) { return 0; }\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	s.serve()
	for _, c := range []struct{ name, directory string }{{"rpath", "a b"}, {"origin", "c"}} {
		directory := filepath.Join(filepath.Dir(library), c.directory)
		program, loader := filepath.Join(directory, c.name), filepath.Join(directory, "libvulkan.so.1")
		page, start := "/page/program"+(&url.URL{Path: program}).EscapedPath(), "/start/picture"+(&url.URL{Path: program}).EscapedPath()
		if text := s.page(page); !strings.Contains(text, `id="confirm"`) || !strings.Contains(text, "required") || !strings.Contains(text, loader) {
			t.Errorf("%s:\n%s", c.name, text)
		}
		for path, values := range map[string]url.Values{start: {}, "/start/picture": {"app": {program}}, start + "?loader=" + url.QueryEscape(loader): {}, start + "?x": {"loader": {program}}} {
			if _, text, _ := s.ask(http.MethodPost, path, values); !strings.Contains(text, "before it is loaded") || strings.Contains(text, "<svg") {
				t.Errorf("%s, %s %v:\n%s", c.name, path, values, text)
			}
		}
		if s.read(mark) != "" {
			t.Fatalf("%s: the loader was loaded: %s", c.name, s.read(mark))
		}
		s.ask(http.MethodPost, start, url.Values{"loader": {url.QueryEscape(loader)}})
		if s.read(mark) == "" {
			t.Errorf("%s: the control: the confirmed loader is not loaded", c.name)
		}
		if err := os.Remove(mark); err != nil {
			t.Fatal(err)
		}
	}
	if text := s.page("/page/program/bin/sh"); !strings.Contains(text, `id="ask"`) || strings.Contains(text, `id="confirm"`) {
		t.Errorf("a program without a loader:\n%s", text)
	}
}
