package component

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vkloader/internal/decide/machine"
)

// The cache is used only if no other user can change it: an image in a foreign directory is neither used nor unpacked there.
//
// holds: PRO-024
func TestCacheOfOthers(t *testing.T) {
	t.Parallel()
	r := resolver(t)
	if err := errors.Join(os.Chmod(r.Cache, 0o755), r.ownCache()); err != nil {
		t.Errorf("its own: %v", err)
	}
	r.Cache = filepath.Join(t.TempDir(), "cache")
	if err := errors.Join(os.Mkdir(r.Cache, 0o700), os.Chmod(r.Cache, 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := r.ownCache(); !errors.Is(err, machine.ErrOthers) {
		t.Errorf("one that everybody writes to: %v", err)
	}
}
