package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/binary"
)

// A probe that cannot run tells nothing about drivers: every screen says why nothing was tried, and blames no driver.
func TestUnusableProbe(t *testing.T) {
	t.Parallel()
	needSys(t)
	probe, err := os.ReadFile(filepath.Join(built, "libexec/vkloader/probe"))
	if err != nil {
		t.Fatal(err)
	}
	const noLinker = "its dynamic linker"
	other := append([]byte{}, probe...)
	other[18] ^= 0xff // the machine of the ELF header
	for name, content := range map[string][]byte{
		"cut off":         probe[:3000],
		"empty":           {},
		"another machine": other,
		"refused":         probe,
		"ends at once":    []byte("#!/bin/sh\nexit 1\n"),
		"killed at once":  []byte("#!/bin/sh\nkill -SYS $$\n"),
		"absent":          nil,
		noLinker:          bytes.Replace(probe, []byte("/ld-"), []byte("/no-"), 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := computing(t)
			directory := w.Path("installed")
			at := filepath.Join(directory, "libexec/vkloader/probe")
			for _, file := range []string{"vkloader", "libvulkan.so.1"} {
				if err := copyFile(filepath.Join(built, file), filepath.Join(directory, file)); err != nil {
					t.Fatal(err)
				}
			}
			if content != nil {
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := binary.WriteProgram(at, content); err != nil {
					t.Fatal(err)
				}
			}
			if name == "refused" {
				if err := os.Chmod(at, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for words, code := range map[string]int{"": 0, "doctor": 0, "doctor --probe": 3, "list devices": 3, "list drivers": 0, "explain": 0} {
				out, exit := w.Run(time.Minute, filepath.Join(directory, "vkloader"), strings.Fields(words)...)
				told := strings.Contains(exit.Stderr, at) && (name != noLinker || strings.Contains(exit.Stderr, noLinker+" /"))
				if exit.Code != code || (code == 3 || words == "" || words == "doctor") && !told {
					t.Errorf("vkloader %s: exit code %d, want %d\n%s%s", words, exit.Code, code, out, exit.Stderr)
				}
				if text := out + exit.Stderr; strings.Contains(text, "crash") || strings.Contains(text, "works") || code == 0 && !strings.Contains(out, "null_icd.json") {
					t.Errorf("vkloader %s:\n%s", words, text)
				}
			}
		})
	}
}
