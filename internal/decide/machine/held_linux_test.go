package machine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const somebody = 4242

// asRoot skips a test that needs files of another user.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("making files of another user takes root")
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	asRoot(t)
	for name, c := range map[string]struct {
		prepare func(t *testing.T, top string)
		path    string
		fails   bool
	}{
		"not there":               {func(*testing.T, string) {}, "a/b", false},
		"there":                   {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o700, 0) }, "a", false},
		"of another user":         {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o755, somebody) }, "a", true},
		"below another user's":    {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o755, somebody) }, "a/b", true},
		"others may write":        {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o777, 0) }, "a", true},
		"the group may write":     {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o775, 0) }, "a", true},
		"sticky":                  {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o1777, 0) }, "a", true},
		"below one for everybody": {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o777, 0) }, "a/b", true},
		"below a sticky one":      {func(t *testing.T, top string) { mkdir(t, top+"/a", 0o1777, 0) }, "a/b", false},
		"a link":                  {func(t *testing.T, top string) { mkdir(t, top+"/b", 0o755, 0); link(t, "b", top+"/a", 0) }, "a", false},
		"a link of another user":  {func(t *testing.T, top string) { link(t, "b", top+"/a", somebody) }, "a", true},
		"a link without end":      {func(t *testing.T, top string) { link(t, "a", top+"/a", 0) }, "a", true},
		"a file":                  {func(t *testing.T, top string) { os.WriteFile(top+"/a", nil, 0o644) }, "a", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			c.prepare(t, top)
			root, err := OwnDirectory(filepath.Join(top, c.path))
			if (err != nil) != c.fails {
				t.Fatal(err)
			}
			if err == nil {
				if err := root.Mkdir("x", 0o755); err != nil {
					t.Error(err)
				}
				root.Close()
			}
		})
	}
}

// A place has the directory to which its path leads at that moment, through no link of another user.
func TestDirectory(t *testing.T) {
	t.Parallel()
	asRoot(t)
	top := t.TempDir()
	mkdir(t, top+"/users", 0o755, somebody)
	link(t, "users", top+"/ours", 0)
	link(t, top, top+"/users/theirs", somebody)
	root, err := openPlace(top+"/ours/new", true)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := os.Stat(top + "/users/new"); err != nil {
		t.Error(err)
	}
	if _, err := openPlace(top+"/users/theirs", true); !errors.Is(err, ErrOthers) {
		t.Error(err)
	}
	if _, err := openPlace(top+"/none", false); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	here, err := openPlace(".", false)
	if err != nil {
		t.Fatal(err)
	}
	here.Close()
}

func mkdir(t *testing.T, name string, mode uint32, uid int) {
	t.Helper()
	if err := errors.Join(os.Mkdir(name, 0o700), os.Chown(name, uid, uid), os.Chmod(name, os.FileMode(mode&0o777)|sticky(mode))); err != nil {
		t.Fatal(err)
	}
}

func sticky(mode uint32) os.FileMode {
	if mode&0o1000 != 0 {
		return os.ModeSticky
	}
	return 0
}

func link(t *testing.T, target, name string, uid int) {
	t.Helper()
	if err := errors.Join(os.Symlink(target, name), os.Lchown(name, uid, uid)); err != nil {
		t.Fatal(err)
	}
}
