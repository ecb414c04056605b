package windows

import (
	"bytes"
	"context"
	"debug/pe"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sizes are the tested word sizes: both, or those of WINDOWS_SIZES, for a Wine that runs programs of one size only.
var sizes = func() []string {
	if some := os.Getenv("WINDOWS_SIZES"); some != "" {
		return strings.Fields(some)
	}
	return []string{"x64", "x86"}
}()

// root returns the chroot with Wine, and top the repository's directory there.
func root(t *testing.T) (dir, top string) {
	t.Helper()
	dir = os.Getenv("WINDOWS_ROOT")
	if dir == "" {
		t.Skip("make test TARGET=windows has a chroot with Wine")
	}
	return dir, "/vkloader"
}

// Characteristics of a DLL.
const (
	highEntropy  = pe.IMAGE_DLLCHARACTERISTICS_HIGH_ENTROPY_VA
	dynamicBase  = pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE
	nxCompatible = pe.IMAGE_DLLCHARACTERISTICS_NX_COMPAT
)

func build(size string) string { return filepath.Join("../../../build/windows", size) }

// run runs a program of build/windows in Wine with variables, and returns its output and the loader's log. Processes of Wine outlive the
// program, so it does not wait for the end of their output.
func run(t *testing.T, size string, variables []string, program string, args ...string) string {
	t.Helper()
	dir, top := root(t)
	windows := `Z:` + strings.ReplaceAll(top, "/", `\`) + `\build\windows\` + size + `\`
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context()) // without a timeout: a machine may be busy
	defer cancel()
	list := []string{dir, "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/bin:/bin", "WINEPREFIX=/root/prefix", "WINEDEBUG=-all",
		"DISPLAY=:77", "WINEDLLOVERRIDES=vulkan-1=n,b;mscoree,mshtml=", "wine", windows + `test\with.exe`}
	list = append(list, variables...)
	list = append(list, windows+`test\`+program)
	for _, a := range args {
		list = append(list, strings.ReplaceAll(a, "BUILD", windows))
	}
	cmd := exec.CommandContext(ctx, "chroot", list...)
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	text, _ := os.ReadFile(out.Name())
	text = bytes.ReplaceAll(text, []byte("\r"), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(text)
}

// holds: WIN-001 WIN-002 WIN-003 WIN-004
//
// The file exports exactly the names of the statements, by name, and needs only the system's libraries.
func TestFile(t *testing.T) {
	t.Parallel()
	root(t)
	list, err := os.ReadFile("../../../spine/gen/zexports.def")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^    (\w+) = `).FindAllStringSubmatch(string(list), -1) {
		want = append(want, m[1])
	}
	slices.Sort(want)
	if len(want) != 265 || !slices.Contains(want, "vkCreateWin32SurfaceKHR") || slices.Contains(want, "vkCreateXcbSurfaceKHR") {
		t.Fatalf("the list has %d names", len(want))
	}
	for _, size := range sizes {
		path := filepath.Join(build(size), "vulkan-1.dll")
		file, err := pe.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		switch head := file.OptionalHeader.(type) { // the flags of the loaded file that docs/windows.md lists
		case *pe.OptionalHeader64:
			if want := uint16(dynamicBase | nxCompatible | highEntropy); head.DllCharacteristics&want != want {
				t.Errorf("%s: characteristics %#x", size, head.DllCharacteristics)
			}
		case *pe.OptionalHeader32:
			if want := uint16(dynamicBase | nxCompatible); head.DllCharacteristics&want != want {
				t.Errorf("%s: characteristics %#x", size, head.DllCharacteristics)
			}
		}
		libraries, _ := file.ImportedLibraries()
		for _, l := range libraries {
			if !slices.Contains([]string{"advapi32.dll", "kernel32.dll", "msvcrt.dll"}, strings.ToLower(l)) {
				t.Errorf("%s needs %s", size, l)
			}
		}
		out, err := exec.Command("x86_64-w64-mingw32-objdump", "-p", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		_, names, _ := strings.Cut(string(out), "[Ordinal/Name Pointer] Table")
		names, _, _ = strings.Cut(names, "\n\n")
		var got []string
		for _, m := range regexp.MustCompile(`(?m)\[ *\d+\].*?(\S+)$`).FindAllStringSubmatch(names, -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s exports %d names: %q", size, len(got), got)
		}
	}
}

// holds: WIN-006 WIN-038 WIN-041 WIN-059 WIN-074
//
// A program computes on lavapipe, found through the registry, with the sample layer; the log identifies the DLL. Each word size has the
// layer in its own view of the key.
func TestCompute(t *testing.T) {
	for _, size := range sizes {
		text := run(t, size, []string{"VK_LOADER_DEBUG=all", "VK_LOADER_DEVICE_SELECT=8086:1",
			"VK_INSTANCE_LAYERS=VK_LAYER_VKLOADER_drawstats"}, "compute.exe", "BUILDvulkan-1.dll", "1000")
		for _, want := range []string{
			"1000 dispatches, result 1000,", "INFO:           Vulkan Loader: Z:", `\build\windows\` + size + `\vulkan-1.dll`,
			`C:\windows\system32\winevulkan.json is not a known driver`,
			`Inserted device layer "VK_LAYER_VKLOADER_drawstats" (Z:\vkloader\build\windows\` + size + `\layers\`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", size, want, text)
			}
		}
		if strings.Contains(text, "VK_LOADER_DEVICE_SELECT") {
			t.Errorf("%s: the variable has an effect\n%s", size, text)
		}
	}
}

// A program presents to a window through the sample layer.
func TestPresent(t *testing.T) {
	for _, size := range sizes {
		text := run(t, size, []string{"VK_INSTANCE_LAYERS=VK_LAYER_VKLOADER_drawstats"}, "present.exe", "win32", "20", "--library",
			"BUILDvulkan-1.dll")
		if !strings.Contains(text, "presented 20 frames") || !strings.Contains(text, "\n0 messages") ||
			strings.Count(text, "drawstats: command buffer") != 20 {
			t.Errorf("%s:\n%s", size, text)
		}
	}
}

// holds: WIN-010
//
// After 1,000 loads and unloads, with a call every tenth time, the DLL leaves no handle and no thread open. The time is printed next to that
// of Wine's own loader.
func TestCycles(t *testing.T) {
	for _, size := range sizes {
		text := run(t, size, nil, "cycles.exe", "1000", "BUILDvulkan-1.dll", `C:\windows\system32\vulkan-1.dll`)
		if ours, other, _ := strings.Cut(text, "\n"); !strings.HasPrefix(ours, "0 more handles, 0 more threads,") || !strings.Contains(other, "loaded in") {
			t.Errorf("%s: %s", size, text)
		}
		t.Logf("%s: %s", size, text)
	}
}
