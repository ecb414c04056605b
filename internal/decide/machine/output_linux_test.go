package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// WriteFile writes the whole file or nothing. It refuses a link. Without over, it changes no existing file. It leaves no
// temporary file.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	name, link := filepath.Join(d, "out"), filepath.Join(d, "link")
	if err := errors.Join(WriteFile(name, []byte("one"), 0o600, false), os.Symlink("out", link)); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(name, []byte("two"), 0o600, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it is there: %v", err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	for _, over := range []bool{false, true} {
		if err := WriteFile(link, []byte("two"), 0o600, over); !errors.Is(err, ErrLink) {
			t.Errorf("a link: %v", err)
		}
	}
	if f, err := Output(link, 0o600); !errors.Is(err, ErrLink) {
		t.Errorf("a link: %v, %v", f, err)
	}
	if err := WriteFile(name, []byte("three"), 0o600, true); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "three" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if entries, err := os.ReadDir(d); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := WriteFile(filepath.Join(d, "none", "out"), nil, 0o600, true); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Output creates the file before the first write, as another file than the existing one.
func TestOutput(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("of an earlier run"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Output(name, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, text := range []string{"", "a line"} {
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if after, err := os.Stat(name); err != nil || os.SameFile(before, after) {
		t.Errorf("the file that was there is written: %v", err)
	}
}

// Output writes to a device, a pipe or a descriptor of this process itself, and refuses another user's pipe.
func TestOutputOfOtherKinds(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	pipe := filepath.Join(d, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := WriteFile(pipe, []byte("text"), 0o600, true); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 10)
	if n, err := reader.Read(got); err != nil || string(got[:n]) != "text" {
		t.Errorf("%q, %v", got[:n], err)
	}
	if err := WriteFile("/dev/null", []byte("text"), 0o600, true); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("/dev/null is %v, %v", info, err)
	}
	if err := WriteFile(d, nil, 0o600, true); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	if os.Getuid() != 0 {
		return
	}
	if err := os.Chown(pipe, 4242, 4242); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(pipe, nil, 0o600, true); !errors.Is(err, ErrOthers) {
		t.Errorf("another user's pipe: %v", err)
	}
}
