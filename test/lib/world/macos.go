package world

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// MacOS reports whether the loader under test is a Mach-O library. The host is then a program of this machine with the runner of
// test/lib/macos in it, by which it opens the loader; fakes are Mach-O libraries.
func MacOS() bool { return Target() == "macos" }

func macosCompiler() []string {
	return []string{filepath.Join(Top(), "build/zig/zig"), "cc", "-target", "x86_64-macos.11.0", "-Wno-unused-command-line-argument"}
}

func macosHostFlags() string {
	return "-include " + filepath.Join(Top(), "test/lib/macos/host.h") + " "
}

var macosRunner = []string{"test/lib/macos/format.c", "test/lib/macos/bind.c", "test/lib/macos/dyld.c", "test/lib/macos/files.c",
	"test/lib/macos/threads.c", "test/lib/macos/system.c"}

// Samples returns the directory with the null driver and the sample layers for the loader under test, in drivers and layers.
func Samples() string {
	if MacOS() {
		return filepath.Join(Build(), "x86_64")
	}
	return Build()
}

// CompileOpening compiles a program that opens libraries. For macOS it is a program of this machine with the runner in it.
func CompileOpening(arguments ...string) error {
	if !MacOS() {
		return Compile(arguments...)
	}
	words := append(strings.Fields(macosHostFlags()), arguments...)
	for _, file := range append([]string{"test/lib/macos/host.c"}, macosRunner...) {
		words = append(words, filepath.Join(Top(), file))
	}
	return compileBy(nativeCompiler(), append(words, "-pthread", "-ldl")...)
}

// macosError returns dyld's message in place of one of glibc's.
func macosError(path, glibc string) string {
	why := map[string]string{"invalid ELF header": "not a mach-o file", "file too short": "file too short"}[glibc]
	switch {
	case strings.HasPrefix(glibc, "wrong ELF class"):
		why = "mach-o file, but is an incompatible architecture (have 'arm64', need 'x86_64')"
	case why == "":
		why = "no such file"
	}
	said := fmt.Sprintf("dlopen(%s, 0x0005): tried: '%s' (%s)", path, path, why)
	if why == "no such file" && !strings.Contains(path, "/") {
		said += fmt.Sprintf(", '/usr/local/lib/%s' (%s), '/usr/lib/%s' (%s)", path, why, path, why)
	}
	return said
}

// Runner returns the program that runs Mach-O programs on this machine.
func (w *World) Runner() string {
	w.T.Helper()
	path, err := tool("macos")
	w.check(err)
	return path
}

// metal replaces the window system of the cases, xcb, with that of macOS.
var metal = []string{"VK_KHR_xcb_surface", "VK_EXT_metal_surface", "vkCreateXcbSurfaceKHR", "vkCreateMetalSurfaceEXT",
	"VkXcbSurfaceCreateInfoKHR", "VkMetalSurfaceCreateInfoEXT"}

var toMetal, fromMetal = func() (to, from *strings.Replacer) {
	back := slices.Clone(metal)
	slices.Reverse(back)
	return strings.NewReplacer(metal...), strings.NewReplacer(back...)
}()

const metalSurface = "1000217000"
