package world

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// MacOS reports whether the loader under test is a Mach-O library. The host is then a program of this machine with the runner of
// test/lib/macos in it, by which it opens the loader; fakes are Mach-O libraries.
func MacOS() bool { return Target() == "macos" }

// Slice is the part of the Mach-O library under test: x86_64, or arm64 with VKLOADER_TEST_SLICE=arm64. An arm64 host runs below an
// emulator where this machine is x86-64.
func Slice() string {
	if os.Getenv("VKLOADER_TEST_SLICE") == "arm64" {
		return "arm64"
	}
	return "x86_64"
}

// hostTarget is the target whose programs open the loader under test: the runner for Mach-O files is a program of Linux.
func hostTarget() string {
	switch {
	case !MacOS():
		return Target()
	case Slice() == "arm64":
		return "arm64"
	}
	return ""
}

// hostCompiler returns the compiler for these programs.
func hostCompiler() []string {
	if MacOS() && hostTarget() != "" {
		return []string{CrossCompiler(hostTarget())}
	}
	return nativeCompiler()
}

// MacOSCompiler returns the compiler for programs and libraries of macOS.
func MacOSCompiler() []string {
	machine := map[string]string{"x86_64": "x86_64", "arm64": "aarch64"}[Slice()]
	return []string{filepath.Join(Top(), "build/zig/zig"), "cc", "-target", machine + "-macos.11.0", "-Wno-unused-command-line-argument"}
}

func macosHostFlags() string {
	return "-include " + filepath.Join(Top(), "test/lib/macos/host.h") + " "
}

var macosRunner = []string{"test/lib/macos/format.c", "test/lib/macos/bind.c", "test/lib/macos/dyld.c", "test/lib/macos/files.c",
	"test/lib/macos/threads.c", "test/lib/macos/system.c", "test/lib/macos/variadic.c"}

// Samples returns the directory with the null driver and the sample layers for the loader under test, in drivers and layers.
func Samples() string {
	if MacOS() {
		return filepath.Join(Build(), Slice())
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
	return compileBy(hostCompiler(), append(words, "-pthread", "-ldl")...)
}

var otherSlice = map[string]string{"x86_64": "arm64", "arm64": "x86_64"}

// macosError returns dyld's message in place of one of glibc's.
func macosError(path, glibc string) string {
	why := map[string]string{"invalid ELF header": "not a mach-o file", "file too short": "file too short"}[glibc]
	switch {
	case strings.HasPrefix(glibc, "wrong ELF class"):
		why = fmt.Sprintf("mach-o file, but is an incompatible architecture (have '%s', need '%s')", otherSlice[Slice()], Slice())
	case why == "":
		why = "no such file"
	}
	said := fmt.Sprintf("dlopen(%s, 0x0005): tried: '%s' (%s)", path, path, why)
	if why == "no such file" && !strings.Contains(path, "/") {
		said += fmt.Sprintf(", '/usr/local/lib/%s' (%s), '/usr/lib/%s' (%s)", path, why, path, why)
	}
	return said
}

// RunMacOS returns the command that runs a Mach-O program on this machine.
func (w *World) RunMacOS(program string, arguments ...string) *exec.Cmd {
	w.T.Helper()
	path, err := tool("macos")
	w.check(err)
	return Command(w.T.Context(), path, append([]string{program}, arguments...)...)
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
