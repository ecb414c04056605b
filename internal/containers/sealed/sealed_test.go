package sealed

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// Again opens the same file even if another file has its name.
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

// A watch reports a file after its last descriptor is closed, also after an overflow of the event queue.
func TestWatch(t *testing.T) {
	t.Parallel()
	var w Watch
	t.Cleanup(func() { w.Close() })
	numbers := map[int]bool{}
	open := func() *os.File {
		f, err := Data("data", []byte("text"))
		if err != nil {
			t.Fatal(err)
		}
		number, err := w.Add(f)
		if err != nil || numbers[number] {
			t.Fatal(number, err)
		}
		numbers[number] = true
		return f
	}
	ended := func(want int) {
		t.Helper()
		got, err := w.Ended(func() []int { return slices.Collect(maps.Keys(numbers)) })
		for _, number := range got {
			delete(numbers, number)
		}
		if err != nil || len(numbers) != want {
			t.Errorf("%d of the files are left, want %d; %v", len(numbers), want, err)
		}
	}
	kept := open()
	open().Close()
	ended(1)
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Fatal(err)
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for range most { // two events each
		open().Close()
	}
	ended(1)
	kept.Close()
	ended(0)
}
