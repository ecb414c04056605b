package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A program in a relative directory of PATH is found, as by a shell; on Windows also one in the current directory.
func TestLookUp(t *testing.T) {
	directory := t.TempDir()
	t.Chdir(directory)
	path, name := ".", "program"
	if runtime.GOOS == "windows" {
		path, name = t.TempDir(), "program.exe"
	}
	t.Setenv("PATH", path)
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(directory, name)
	if got, err := lookUp("program"); got != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := programPath("program"); got != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := programPath("absent"); err == nil {
		t.Error("an absent program is found")
	}
}
