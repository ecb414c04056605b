package commands

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// The dynamic linker of the system's shell starts a probe whose own is missing, as on NixOS.
func TestProbeThroughTheShellsLinker(t *testing.T) {
	t.Parallel()
	needSys(t)
	w, _ := computing(t)
	probe, err := os.ReadFile(filepath.Join(built, "libexec/vkloader/probe"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"vkloader", "libvulkan.so.1"} {
		if err := copyFile(filepath.Join(built, file), w.Path("installed/"+file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(w.Path("installed/libexec/vkloader"), 0o755); err != nil {
		t.Fatal(err)
	}
	probe = bytes.Replace(probe, []byte("/ld-"), []byte("/no-"), 1)
	if err := binary.WriteProgram(w.Path("installed/libexec/vkloader/probe"), probe); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"doctor --probe", "list devices"} {
		out, exit := w.Run(time.Minute, w.Path("installed/vkloader"), strings.Fields(words)...)
		if exit.Code != 0 || exit.Stderr != "" || !strings.Contains(out, "null") {
			t.Errorf("vkloader %s: exit code %d\n%s%s", words, exit.Code, out, exit.Stderr)
		}
	}
}

// A program with a C library of its own, as from Nix's store, is tried with its dynamic linker and its loader.
func TestProbeThroughTheProgramsLinker(t *testing.T) {
	t.Parallel()
	shell, err := elf.Open("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	linker, err := io.ReadAll(shell.Section(".interp").Open())
	if err != nil {
		t.Fatal(err)
	}
	w := world.NewSystem(t)
	w.Driver("acme", "device name=acme")
	if err := copyFile(strings.TrimRight(string(linker), "\x00"), w.Path("store/ld.so")); err != nil {
		t.Fatal(err)
	}
	source := w.Write("game.c", `#include <dlfcn.h>
int main(void) { return !dlopen("libvulkan.so.1", RTLD_NOW); }
`)
	game := w.Path("store/game")
	if out, err := exec.Command("gcc", "-o", game, source, "-Wl,--dynamic-linker,"+w.Path("store/ld.so")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.Env["LD_LIBRARY_PATH"] = filepath.Dir(world.SystemLibrary)
	out, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), "doctor", "--probe", "--json", "--app", game)
	var report struct {
		Works   bool
		Through []string `json:"probed_through"`
	}
	debian, err := filepath.EvalSymlinks(world.SystemLibrary)
	if err := errors.Join(err, json.Unmarshal([]byte(out), &report)); err != nil {
		t.Fatalf("%v\n%s%s", err, out, exit.Stderr)
	}
	if !report.Works || !slices.Equal(report.Through, []string{debian}) {
		t.Errorf("works: %v, through %v, not through %s\n%s", report.Works, report.Through, debian, exit.Stderr)
	}
}

// A probe that cannot run tells nothing about drivers: every screen says why nothing was tried, and blames no driver.
func TestUnusableProbe(t *testing.T) {
	t.Parallel()
	needSys(t)
	probe, err := os.ReadFile(filepath.Join(built, "libexec/vkloader/probe"))
	if err != nil {
		t.Fatal(err)
	}
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
				told := strings.Contains(exit.Stderr, at)
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
