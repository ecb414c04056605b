package guest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// unoptimized builds the library in a separate directory, like distributions with "noopt".
func unoptimized(t *testing.T, b string, settings ...string) (library string) {
	t.Helper()
	arguments := append([]string{"-s", "-C", world.Top(), "-o", "build/core.c", "spine", "B=" + b, "OPT=-O0"}, settings...)
	cmd := exec.Command("make", arguments...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "MAKE") || strings.HasPrefix(e, "MFLAGS=") })
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make %s: %v\n%s", arguments, err, text)
	}
	return filepath.Join(b, "libvulkan.so.1")
}

// A library built without optimisation works, also on stacks of 16 kB. A core without any optimisation works on the stacks that threads
// usually have.
//
// holds: G-12
func TestG12WithoutOptimization(t *testing.T) {
	plain(t)
	if world.Target() != "" {
		t.Skip("the compiler of this machine alone")
	}
	t.Parallel()
	b := t.TempDir()
	library := unoptimized(t, b)
	run{loader: library}.holds(t, "small-stack-first")
	run{loader: library}.holds(t, "small-stacks")
	if err := os.Remove(filepath.Join(b, "obj/core.o")); err != nil {
		t.Fatal(err)
	}
	library = unoptimized(t, b, "CORE_OPT=")
	t.Log(run{loader: library}.holds(t, "stack-use"))
	run{loader: library}.holds(t, "short-threads")
}
