package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A watch ends its wait when a file is opened or replaced, when a process ends, and with its context, but not for a file that
// nobody opens.
func TestWatch(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "driver.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w, err := NewWatch(ctx, []string{directory, filepath.Join(directory, "missing")})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.Wait(nil, 0) {
		t.Error("an event before the first")
	}
	for range 2 {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !w.Wait(nil, -1) || w.Wait(nil, 0) {
		t.Error("two openings are no single event")
	}
	mapped := []*Process{{PID: os.Getpid(), Mapped: []Mapping{{Path: filepath.Join(t.TempDir(), "library.so")}}}}
	if err := os.WriteFile(mapped[0].Mapped[0].Path, nil, 0o600); err != nil || w.Wait(mapped, 0) {
		t.Errorf("a library that stays: %v", err)
	}
	if err := os.Remove(mapped[0].Mapped[0].Path); err != nil || !w.Wait(mapped, -1) {
		t.Errorf("a removed library: %v", err)
	}
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, func() { _ = child.Process.Kill() })
	if !w.Wait([]*Process{{PID: child.Process.Pid}}, -1) {
		t.Error("the end of a process is no event")
	}
	_ = child.Wait()
	if !w.Wait([]*Process{{PID: child.Process.Pid}}, -1) {
		t.Error("a process that has ended is no event")
	}
	cancel()
	if w.Wait(nil, -1) {
		t.Error("the end of the context is an event")
	}
}
