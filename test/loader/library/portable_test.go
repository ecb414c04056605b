package library

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// portable runs "make PORTABLE=1" for a machine, and returns its output directory.
func portable(t *testing.T, target string) string {
	t.Helper()
	test := exec.Command("gcc", "-m32", "-x", "c", "-shared", "-o", os.DevNull, "-")
	if target == "arm64" {
		test = exec.Command(world.CrossCompiler(target), "-x", "c", "-shared", "-o", os.DevNull, "-")
	}
	test.Stdin = strings.NewReader("#include <stdio.h>\nint f(void) { return puts(\"\"); }\n")
	if text, err := test.CombinedOutput(); target != "" && err != nil {
		t.Skipf("nothing compiles for %s here: %s", target, text)
	}
	cmd := exec.Command("make", "-s", "-o", "build/core.c", "PORTABLE=1", "TARGET="+target, "spine", "drivers", "layers")
	cmd.Dir = world.Top()
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "MAKE") || strings.HasPrefix(e, "MFLAGS=") || strings.HasPrefix(e, "CC=")
	})
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make PORTABLE=1 TARGET=%s: %v\n%s", target, err, text)
	}
	return filepath.Join(world.Top(), "build", target, "portable")
}

var glibcVersion = regexp.MustCompile(`^GLIBC_2\.(\d+)(\.\d+)?$`)

// TestPortableNeedsAnOldLibrary checks that the portable library, the null driver and the sample layer need nothing newer than glibc
// 2.17, and are linked with the two libraries that had threads and dlopen before glibc 2.34. A program runs with them.
func TestPortableNeedsAnOldLibrary(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" || world.Target() != "" {
		t.Skip("it builds for each machine itself")
	}
	for _, target := range []string{"", "i386", "arm64"} {
		t.Run("target "+target, func(t *testing.T) {
			at := portable(t, target)
			for _, name := range []string{"libvulkan.so.1", "drivers/libvk_null.so", "layers/libVkLayer_drawstats.so"} {
				f, err := elf.Open(filepath.Join(at, name))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				needed, err := f.ImportedLibraries()
				if err != nil || !slices.Contains(needed, "libdl.so.2") || !slices.Contains(needed, "libpthread.so.0") {
					t.Errorf("%s: it needs %v: %v", name, needed, err)
				}
				symbols, err := f.ImportedSymbols()
				if err != nil || len(symbols) < 5 {
					t.Fatalf("%s: %d symbols: %v", name, len(symbols), err)
				}
				for _, s := range symbols {
					m := glibcVersion.FindStringSubmatch(s.Version)
					if s.Version == "" && strings.HasPrefix(s.Name, "_ITM_") || s.Version == "" && s.Name == "__gmon_start__" {
						continue // a weak symbol without a version
					}
					if m == nil {
						t.Errorf("%s: %s has version %q of %s", name, s.Name, s.Version, s.Library)
					} else if minor, _ := strconv.Atoi(m[1]); minor > 17 {
						t.Errorf("%s needs %s@%s", name, s.Name, s.Version)
					}
				}
			}
			if target == "" {
				portableRuns(t, at)
			}
		})
	}
}

// portableRuns runs a program with the portable library and driver.
func portableRuns(t *testing.T, at string) {
	t.Helper()
	cmd := exec.Command("vulkaninfo", "--summary")
	cmd.Env = []string{"LD_LIBRARY_PATH=" + at, "VK_DRIVER_FILES=" + filepath.Join(at, "drivers/null_icd.json"),
		"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "deviceName         = vkloader null device") {
		t.Errorf("vulkaninfo: %v\n%s", err, text)
	}
}
