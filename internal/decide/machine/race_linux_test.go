package machine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Root writes no file in a directory to which another user's link leads, however fast that user creates and removes the
// link. The link may be on the path or in the file's place.
func TestPlaceOfRace(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("making files of another user takes root")
	}
	const somebody = 4242
	for name, c := range map[string]struct {
		real, link, target, file string
		owner                    int // of the directory with the link
	}{
		"on the way":               {"users/real", "users/link", "precious", "users/real/sub/settings.json", 0},
		"in the file's place":      {"users/settings.json", "users/link", "precious/settings.json", "users/settings.json", 0},
		"on the way, in their own": {"users/real", "users/link", "precious", "users/real/sub/settings.json", somebody},
		"in their own":             {"users/settings.json", "users/link", "precious/settings.json", "users/settings.json", somebody},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			in := func(name string) string { return filepath.Join(top, name) }
			err := errors.Join(os.MkdirAll(in("users"), 0o755), os.MkdirAll(in("precious/sub"), 0o755),
				os.Symlink(in(c.target), in(c.link)), os.Lchown(in(c.link), somebody, somebody))
			if c.file != c.real {
				err = errors.Join(err, os.MkdirAll(filepath.Dir(in(c.file)), 0o755))
			} else {
				err = errors.Join(err, os.WriteFile(in(c.real), nil, 0o644))
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(in("users"), c.owner, c.owner); err != nil {
				t.Fatal(err)
			}
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				for {
					select {
					case <-stop:
						return
					default:
						_ = unix.Renameat2(unix.AT_FDCWD, in(c.real), unix.AT_FDCWD, in(c.link), unix.RENAME_EXCHANGE)
					}
				}
			}()
			written := 0
			for try := 0; try < 500 || written == 0 && try < 200_000; try++ {
				if p, err := (&Machine{}).PlaceOf(in(c.file), true); err == nil {
					if p.Replace([]byte("root's"), 0o644) == nil {
						written++
					}
					p.Close()
				}
				_ = WriteFile(in(c.file), []byte("root's"), 0o644, true)
				_ = WriteFile(in(c.file), []byte("root's"), 0o644, false)
				if f, err := Output(in(c.file), 0o644); err == nil {
					f.Close()
				}
			}
			close(stop)
			<-ended
			for _, name := range []string{"precious/settings.json", "precious/sub/settings.json"} {
				if _, err := os.Lstat(in(name)); err == nil {
					t.Errorf("%s is written", name)
				}
			}
			if written == 0 {
				t.Error("nothing was ever written")
			}
		})
	}
}
