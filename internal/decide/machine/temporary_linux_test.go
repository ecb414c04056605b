package machine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TemporaryDirectory makes a directory only where no other user can replace it or a directory above it.
func TestTemporary(t *testing.T) {
	t.Parallel()
	asRoot(t)
	for name, c := range map[string]struct {
		mode  os.FileMode
		owner int
		fails bool
	}{
		"root's":               {0o755, 0, false},
		"like /tmp":            {0o777 | os.ModeSticky, 0, false},
		"another user's":       {0o755, somebody, true},
		"another one's /tmp":   {0o777 | os.ModeSticky, somebody, true},
		"everybody's":          {0o777, 0, true},
		"another user's alone": {0o700, somebody, true},
	} {
		for _, below := range []string{"", "below"} {
			t.Run(name+below, func(t *testing.T) {
				t.Parallel()
				top := filepath.Join(t.TempDir(), "top")
				in := filepath.Join(top, below)
				if err := errors.Join(os.MkdirAll(in, 0o755), os.Chmod(top, c.mode), os.Chown(top, c.owner, c.owner)); err != nil {
					t.Fatal(err)
				}
				made, err := TemporaryDirectory(in, "new-")
				if (err != nil) != c.fails || c.fails && !errors.Is(err, ErrOthers) {
					t.Fatalf("%q, %v", made, err)
				}
				if entries, err := os.ReadDir(in); err != nil || c.fails && len(entries) > 0 {
					t.Errorf("it leaves %v, %v", entries, err)
				}
				if info, err := os.Stat(made); !c.fails && (err != nil || info.Mode().Perm() != 0o700) {
					t.Errorf("%v, %v", info, err)
				}
			})
		}
	}
}
