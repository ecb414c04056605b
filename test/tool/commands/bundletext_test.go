package commands

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"vkloader/test/lib/world"
)

// The tool's own texts in the archive of a bundle, and the names of its parts, have no control characters: terminals show them. A manifest
// is unchanged.
func TestBundleIsCleaned(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	const hostile = "\x1b[2J\xff\u202e\u009b"
	manifest := `{"file_format_version": "1.0.0", "ICD": {"library_path": "` + hostile + `.so", "api_version": "1.3.0"}}`
	data := filepath.Dir(filepath.Dir(filepath.Dir(w.Write("data/vulkan/icd.d/a"+hostile+"\n.json", manifest))))
	w.Write("etc/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version": "1.0.0", "settings":
		{"additional_drivers": [{"path": "/none`+hostile+`.json"}], "layers": [{"name": "VK_LAYER_a`+hostile+`", "path": "/none`+hostile+`.json", "control": "on"}]}}`)
	w.Write("root/etc/os-release", "PRETTY_NAME=\"A"+hostile+"\"\n")
	w.Env["XDG_DATA_DIRS"], w.Env["XDG_CONFIG_DIRS"] = data, w.Path("etc")
	for _, args := range [][]string{nil, {"--root", w.Path("root")}} {
		file := w.Path("work/bundle.tar.gz")
		if _, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), append([]string{"bundle", "--force", "--output", file}, args...)...); exit.Code != 0 {
			t.Fatalf("exit code %d, %s", exit.Code, exit.Stderr)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		zip, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		unclean := func(text string) bool {
			return !utf8.ValidString(text) || strings.IndexFunc(text, func(r rune) bool {
				return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf)
			}) >= 0
		}
		seen := map[string]bool{}
		for parts := tar.NewReader(zip); ; {
			header, err := parts.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(parts)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(header.Name, "vkloader-bundle/")
			whole := strings.HasPrefix(name, "files/") && strings.HasPrefix(string(text), "{")
			if unclean(name) || strings.Contains(name, "\n") || !whole && unclean(string(text)) {
				t.Errorf("%v: %q has %q", args, name, text)
			}
			if seen[name] = true; strings.HasPrefix(name, "files/") && strings.Contains(name, "/icd.d/") {
				if seen["manifest"] = true; string(text) != manifest {
					t.Errorf("the manifest is %q", text)
				}
			}
		}
		if !seen["system.txt"] || len(args) == 0 && (!seen["log.txt"] || !seen["manifest"]) {
			t.Errorf("%v: the parts are %v", args, seen)
		}
	}
}
