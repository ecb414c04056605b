package directory

import (
	"os"
	"path/filepath"
	"testing"

	"vkloader/internal/containers/border"
)

// holds: PRO-036 PRO-037 FLS-096
func TestTree(t *testing.T) {
	t.Parallel()
	for _, through := range []*border.Border{nil, {}} {
		top := t.TempDir()
		base, err := os.OpenRoot(top)
		if err != nil {
			t.Fatal(err)
		}
		defer base.Close()
		tree, err := New(base, "tree", "staging", through)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Directory("class/drm"); err != nil {
			t.Fatal(err)
		}
		before, err := tree.Open()
		if (err == nil) != (through != nil && os.Geteuid() == 0) || (err == nil) != (tree.Handed() == nil) {
			t.Errorf("through %v: %v, %v", through, err, tree.Handed())
		}
		if err != nil { // a client never gets the directory itself
			if before, err = os.Open(filepath.Join(top, "tree")); err != nil {
				t.Fatal(err)
			}
		}
		defer before.Close()
		for range 2 { // the second one takes the first one's place
			if err := tree.Write("a.json", []byte("text")); err != nil {
				t.Fatal(err)
			}
			if err := tree.Link("class/drm/x", "/dev/x"); err != nil {
				t.Fatal(err)
			}
		}
		if err := tree.Write("../out", nil); err == nil {
			t.Error("an entry outside")
		}
		if err := tree.Link("nowhere/x", "y"); err == nil {
			t.Error("an entry in a directory that is not there")
		}
		if target, there := tree.Has("class/drm/x"); !there || target != "/dev/x" {
			t.Error(target, there)
		}
		if target, there := tree.Has("a.json"); !there || target != "" {
			t.Error(target, there)
		}
		if names, err := before.Readdirnames(-1); err != nil || len(names) != 2 {
			t.Errorf("%v, %v", names, err)
		}
		if left, err := os.ReadDir(filepath.Join(top, "staging")); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		for range 2 {
			if err := tree.Remove("a.json"); err != nil {
				t.Error(err)
			}
		}
		if _, there := tree.Has("a.json"); there {
			t.Error("it is still there")
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(top, "tree")); !os.IsNotExist(err) {
			t.Error(err)
		}
	}
	base, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	if err := RemoveAll(base, "nothing"); err != nil {
		t.Error(err)
	}
}
