package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestModuleCanBeRenamed gives a copy of the sources another module path with tools/rename-module.sh. All packages of the copy are
// found, and its package discover, which other projects import, passes its own tests.
func TestModuleCanBeRenamed(t *testing.T) {
	if os.Getenv("VKLOADER_TEST_ALL") == "" {
		t.Skip("part of make test-all")
	}
	t.Parallel()
	copied := t.TempDir()
	run := func(directory string, words ...string) string {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = directory
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
		return string(out)
	}
	run(top, "git", "checkout-index", "-a", "--prefix="+copied+"/")
	run(copied, "git", "init", "-q")
	run(copied, "git", "add", "-A")
	run(copied, filepath.Join(copied, "tools/rename-module.sh"), "example.org/a/vulkan")
	run(copied, "go", "list", "-deps", "./...")
	built, err := filepath.Abs(filepath.Join(top, "build"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(built, filepath.Join(copied, "build")); err != nil {
		t.Fatal(err)
	}
	run(copied, "go", "test", "-count=1", "./discover")
	imported := regexp.MustCompile(`"vkloader/(internal|discover|test|tools)`)
	for _, f := range sources(t) {
		if text, err := os.ReadFile(filepath.Join(copied, f.path)); err == nil && f.path != "test/source/rename_test.go" && imported.Match(text) {
			t.Errorf("%s still names the old path", f.path)
		}
	}
}
