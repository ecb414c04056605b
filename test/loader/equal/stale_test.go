package equal

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// current fails unless the core in C was translated from the present core in Go: an older core's answers would look
// like faults of the translation. command translates it.
func current(t *testing.T, object, command string) {
	t.Helper()
	path := filepath.Join(top, object)
	made, err := os.Stat(path)
	if err != nil {
		t.Fatalf("%v: build it first (%s)", err, command)
	}
	newer, err := newer(top, made.ModTime())
	if err != nil {
		t.Fatal(err)
	}
	if newer != "" {
		t.Fatalf("%s is older than %s: build it again (%s)", object, newer, command)
	}
}

// newer returns a source of the core in C that was changed after a time, or "".
func newer(root string, than time.Time) (found string, err error) {
	if file, err := os.Stat(filepath.Join(root, "build/core.c")); err == nil && file.ModTime().After(than) {
		return "build/core.c", nil
	}
	for _, directory := range []string{"internal/core", "tools/goc"} {
		err := filepath.WalkDir(filepath.Join(root, directory), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			switch filepath.Ext(path) {
			case ".go", ".c", ".h":
			default:
				return nil
			}
			file, err := d.Info()
			if err == nil && file.ModTime().After(than) {
				found, err = filepath.Rel(root, path)
			}
			return err
		})
		if err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}

// TestNewer checks that a core in C older than its sources is noticed; tests and documents are not sources.
func TestNewer(t *testing.T) {
	t.Parallel()
	made := time.Now().Add(-time.Hour)
	for _, c := range []struct{ changed, want string }{
		{"internal/core/plan/plan.go", "internal/core/plan/plan.go"},
		{"internal/core/runtime/c/goc.c", "internal/core/runtime/c/goc.c"},
		{"build/core.c", "build/core.c"},
		{"internal/core/plan/plan_test.go", ""},
		{"internal/core/wire/wire.def", ""},
		{"build/obj/core.o", ""},
	} {
		root := t.TempDir()
		for _, path := range []string{"internal/core/plan/plan.go", "tools/goc/main.go", "build/core.c", c.changed} {
			at := made.Add(-time.Minute)
			if path == c.changed {
				at = made.Add(time.Minute)
			}
			path = filepath.Join(root, path)
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			if err == nil {
				err = os.WriteFile(path, nil, 0o644)
			}
			if err == nil {
				err = os.Chtimes(path, at, at)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, err := newer(root, made); err != nil || got != c.want {
			t.Errorf("%s was changed: got %q (%v), want %q", c.changed, got, err, c.want)
		}
	}
}
