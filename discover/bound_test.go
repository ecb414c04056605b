package discover_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"

	"vkloader/discover"
	"vkloader/internal/decide/workers"
)

// endless is a file system with a file that never ends and states any size.
type endless struct {
	fstest.MapFS
	name string
	read int64
}

type endlessFile struct {
	fs.File
	of *endless
}

const giveUp = 64 << 20

func (e *endless) Open(name string) (fs.File, error) {
	f, err := e.MapFS.Open(name)
	if err == nil && name == e.name {
		return &endlessFile{f, e}, nil
	}
	return f, err
}

func (f *endlessFile) Read(to []byte) (int, error) {
	if f.of.read >= giveUp {
		return 0, io.ErrUnexpectedEOF
	}
	f.of.read += int64(len(to))
	return len(to), nil
}

// A manifest that never ends is read up to the largest size of a manifest, and rejected as too large.
func TestEndlessManifest(t *testing.T) {
	t.Parallel()
	const name = "usr/share/vulkan/icd.d/a.json"
	files := &endless{MapFS: fstest.MapFS{name: manifest("liba.so")}, name: name}
	answer, err := discover.Decide(t.Context(), discover.Files(files), discover.Program{})
	if !errors.Is(err, discover.ErrNoDriver) || answer == nil {
		t.Fatalf("%+v, %v", answer, err)
	}
	if files.read == 0 || files.read > 17<<20 {
		t.Errorf("%d bytes were read", files.read)
	}
}

// A manifest whose stated size is too large is not read.
func TestLargeManifest(t *testing.T) {
	t.Parallel()
	const name = "usr/share/vulkan/icd.d/a.json"
	files := &endless{MapFS: fstest.MapFS{name: &fstest.MapFile{Data: make([]byte, 20<<20)}}, name: name}
	if _, err := discover.Decide(t.Context(), discover.Files(files), discover.Program{}); !errors.Is(err, discover.ErrNoDriver) {
		t.Fatal(err)
	}
	if files.read != 0 {
		t.Errorf("%d bytes were read", files.read)
	}
}

// Many goroutines can use one host, and get the same answer.
func TestOneHostForMany(t *testing.T) {
	t.Parallel()
	for _, host := range []*discover.Host{discover.Root(below(t, mixed())), discover.Files(mixed()), discover.Local()} {
		ask := func() string {
			a, err := discover.Decide(t.Context(), host, discover.Program{})
			if err != nil && !errors.Is(err, discover.ErrNoDriver) {
				t.Error(err)
				return ""
			}
			if _, err := discover.Paths(t.Context(), host, discover.Program{}); err != nil {
				t.Error(err)
			}
			if _, err := discover.GPUs(t.Context(), host); err != nil {
				t.Error(err)
			}
			names := ""
			for _, d := range a.Drivers {
				names += d.Manifest + "\n"
			}
			return names
		}
		want := ask()
		var all workers.Group
		for range 16 {
			all.Go(func() {
				for range 4 {
					if got := ask(); got != want {
						t.Errorf("%s: %q, and alone %q", host, got, want)
					}
				}
			})
		}
		all.Wait()
	}
}
