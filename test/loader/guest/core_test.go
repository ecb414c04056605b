package guest

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The core calls the C library for memory only: it has no other undefined symbols.
//
// holds: G-6
func TestG6CoreAsksForMemoryOnly(t *testing.T) {
	plain(t) // a sanitizer adds its own
	t.Parallel()
	text, err := exec.Command("nm", "-u", filepath.Join(world.Build(), "obj/core.o")).Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"malloc", "calloc", "free", // memory
		"memcmp", "memcpy", "memmove", "memset", "memchr", "strlen", // bytes
		"_setjmp", "longjmp", "_GLOBAL_OFFSET_TABLE_"}
	if world.Narrow() { // the compiler's functions for dividing 64-bit numbers, which are linked in
		allowed = append(allowed, "__divdi3", "__moddi3", "__udivdi3", "__umoddi3", "__udivmoddi4")
	}
	seen := 0
	for line := range strings.Lines(string(text)) {
		name := line[strings.LastIndexByte(line[:len(line)-1], ' ')+1 : len(line)-1]
		if !slices.Contains(allowed, name) {
			t.Errorf("the core calls %s", name)
		}
		seen++
	}
	if seen == 0 {
		t.Error("the core calls nothing")
	}
}

// For new questions, the memory of cached answers is bounded, and the most recently used answer stays.
//
// holds: G-8
func TestG8CoreIsAskedNewQuestions(t *testing.T) {
	t.Parallel()
	loader := standIn(t)
	run{loader: loader}.holds(t, "asked-often")
	root := resolved(t)
	for size, kept := range map[int]string{700: "5", 900: "4", 1500: "2", 2100: "0"} {
		directory := filepath.Join(root, kept)
		text := `{"file_format_version": "1.0.0", "unknown": "` + strings.Repeat("x", size<<10) + `"}`
		if err := os.MkdirAll(directory, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(directory, "large.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run{loader: loader, env: map[string]string{"VK_LAYER_PATH": directory}}.holds(t, "asked-large", kept)
	}
}

// A panic of the core, or a malformed answer, becomes a log line and an error. The next call succeeds, and no memory
// is leaked.
//
// holds: G-9 FUZ-025
func TestG9PanicIsAnError(t *testing.T) {
	t.Parallel()
	loader := standIn(t)
	for _, c := range []struct {
		way, said string
		result    int
	}{
		{"panic", "The Vulkan loader's core failed: a question of kind 0xffffffff was asked\n", notInitialised},
		{"memory", "", outOfMemory},
		{"bad", "The Vulkan loader's core came to no decision\n", notInitialised},
		{"empty", "The Vulkan loader's core came to no decision\n", notInitialised},
		{"need", "The Vulkan loader's core came to no decision\n", notInitialised},
	} {
		got, text := run{loader: loader, env: map[string]string{"STANDIN": c.way, "VK_LOADER_DEBUG": "error"}}.result(t, "first-result")
		if got != c.result || (c.said == "") != (text == "") {
			t.Errorf("%s: result %d\n%s", c.way, got, text)
		}
		wantText(t, text, c.said)
	}
	plain(t) // a sanitizer keeps freed memory
	run{loader: loader}.holds(t, "after-panics", "panic", "-3")
	run{loader: loader}.holds(t, "after-panics", "memory", "-1")
}

// The build makes a single library file, which needs only the C library.
//
// holds: G-13
func TestG13OneFile(t *testing.T) {
	plain(t) // a sanitizer is a library
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(world.Build(), "*.so*"))
	if err != nil {
		t.Fatal(err)
	}
	regular := 0
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			regular++
		}
	}
	if regular != 1 {
		t.Errorf("%d library files: %v", regular, files)
	}
	file, err := elf.Open(world.Library())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	needed, err := file.ImportedLibraries()
	libc := "libc.so.6"
	if world.Target() == "musl" {
		libc = "libc.so"
	}
	if err != nil || len(needed) != 1 || needed[0] != libc {
		t.Errorf("needs %v, %v", needed, err)
	}
}
