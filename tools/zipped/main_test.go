package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The same files give the same bytes at any time, in any order and with any permissions of others.
func TestSameFilesGiveSameArchive(t *testing.T) {
	names := []string{"README.txt", "x64/vkloader.exe", "x64/libexec/probe.exe", "x86/vkloader.exe"}
	written := func(names []string, mode os.FileMode, at time.Time) []byte {
		t.Helper()
		top := filepath.Join(t.TempDir(), "vkloader-1")
		for _, name := range names {
			path := filepath.Join(top, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("of "+name), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		archive := filepath.Join(t.TempDir(), "a.zip")
		if _, err := write(archive, top, "1700000000"); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	one := written(names, 0o644, time.Unix(1600000000, 0))
	slices.Reverse(names)
	other := written(names, 0o600, time.Unix(1650000000, 0))
	if !bytes.Equal(one, other) {
		t.Error("two archives of the same files differ")
	}

	read, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"README.txt", "x64/libexec/probe.exe", "x64/vkloader.exe", "x86/vkloader.exe"} {
		f := read.File[i]
		if f.Name != "vkloader-1/"+name || !f.Modified.Equal(time.Unix(1700000000, 0)) {
			t.Errorf("file %d is %s of %v", i, f.Name, f.Modified)
		}
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(content); err != nil || string(text) != "of "+name {
			t.Errorf("%s has %q, %v", name, text, err)
		}
	}
}

// A program is executable in the archive, and a text is not.
func TestPrograms(t *testing.T) {
	top, archive := t.TempDir(), filepath.Join(t.TempDir(), "a.zip")
	for name, mode := range map[string]os.FileMode{"program": 0o700, "text": 0o600} {
		if err := os.WriteFile(filepath.Join(top, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := write(archive, top, "1700000000"); err != nil {
		t.Fatal(err)
	}
	read, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	for i, mode := range []os.FileMode{0o755, 0o644} {
		if got := read.File[i].Mode(); got != mode {
			t.Errorf("%s has the permissions %v", read.File[i].Name, got)
		}
	}
}

func TestNoTime(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.zip")
	if _, err := write(archive, t.TempDir(), "yesterday"); err == nil {
		t.Error("a time that is no number is taken")
	}
	if _, err := os.Stat(archive); err == nil {
		t.Error("there is an archive")
	}
}
