package sealed

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// holds: PRO-009 PRO-010
func TestSeals(t *testing.T) {
	t.Parallel()
	code, err := Code("library", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	data, err := Data("data", []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	for _, f := range []*os.File{code, data} {
		again, err := Again(f)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		const want = unix.F_SEAL_SEAL | unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK
		if seals, err := unix.FcntlInt(again.Fd(), unix.F_GET_SEALS, 0); err != nil || seals&want != want {
			t.Errorf("%s: seals %#x, %v", f.Name(), seals, err)
		}
		flags, err := unix.FcntlInt(again.Fd(), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY {
			t.Errorf("%s: flags %#x, %v", f.Name(), flags, err)
		}
		if flags, err := unix.FcntlInt(again.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("%s: descriptor flags %#x, %v", f.Name(), flags, err)
		}
		if text, err := io.ReadAll(again); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", f.Name(), text, err)
		}
	}
}

// Again opens the same file even when another one has its name.
func TestAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Again(f)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if text, err := io.ReadAll(again); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
}
