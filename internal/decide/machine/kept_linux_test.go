package machine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vkloader/internal/core/facts"
)

// Sources made from a source with a FileCache share its files, whichever files they treat as missing. The source without a
// cache, and the next cache, read the files again.
func TestKeeping(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	a, b := filepath.Join(directory, "a.json"), filepath.Join(directory, "b.json")
	for _, path := range []string{a, b} {
		if err := os.WriteFile(path, []byte("before"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plain := &Source{}
	first := plain.Keeping()
	if first.Keeping() != first {
		t.Error("a source that keeps was made again")
	}
	without := *first
	without.Without = []string{a}
	if got := without.Directory(directory).Names; !slices.Equal(got, []string{"b.json"}) {
		t.Errorf("without a: %q", got)
	}
	if got := without.File(a); got.Status != facts.FileNotOpened {
		t.Errorf("without a: %+v", got)
	}
	if got := first.File(a).Content; got != "before" {
		t.Errorf("read %q", got)
	}
	if err := os.WriteFile(a, []byte("after"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	again := *first
	again.Environ = []string{"A=B"}
	names := again.Directory(directory).Names
	slices.Sort(names)
	if got := again.File(a).Content; got != "before" || !slices.Equal(names, []string{"a.json", "b.json"}) {
		t.Errorf("kept: %q, %q", got, names)
	}
	for _, fresh := range []*Source{plain, plain.Keeping()} {
		if got := fresh.File(a).Content; got != "after" || !slices.Equal(fresh.Directory(directory).Names, []string{"a.json"}) {
			t.Errorf("read again: %q", got)
		}
	}
	hidden := *first
	hidden.Without = []string{directory}
	if got := hidden.Directory(directory); got.Listed || len(got.Names) > 0 {
		t.Errorf("a hidden directory: %+v", got)
	}
}
