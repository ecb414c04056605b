package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// noChildren skips cases with children if the library has a sanitizer, whose own lock they may inherit.
func noChildren(t *testing.T) {
	t.Helper()
	if world.Variant() != "" {
		t.Skip("a child may inherit a sanitizer's own lock")
	}
}

// The program's fork handlers use Vulkan. They are registered before the loader's, so they run between these.
//
// holds: G-4
func TestG4HandlersOfForkUseVulkan(t *testing.T) {
	noChildren(t)
	t.Parallel()
	for _, words := range [][]string{{"0"}, {"4"}, {"0", "late"}} {
		run{}.holds(t, append([]string{"fork-handlers"}, words...)...)
	}
}

// A fork handler waits for a thread that uses Vulkan.
//
// holds: G-4
func TestG4HandlerOfForkWaits(t *testing.T) {
	noChildren(t)
	t.Parallel()
	run{}.holds(t, "fork-own-lock")
}

// Some threads create instances, and others open and close a library whose constructor and destructor do so, with the dynamic
// linker's lock held.
//
// holds: G-4 G-12
func TestG12ConstructorsBesideOtherThreads(t *testing.T) {
	t.Parallel()
	library := compile(t, "constructed.so", "-shared", "-fPIC", "library/constructed.c")
	r := run{env: map[string]string{}}
	if world.Variant() != "" {
		r.env["GUEST_FORKS"], r.env["GUEST_ROUNDS"] = "0", "40"
	}
	r.holds(t, "linker-lock", library)
}

// breaking builds the driver that calls back into the program, and returns its manifest.
func breaking(t *testing.T) string {
	t.Helper()
	null := filepath.Join(world.Build(), "drivers/libvk_null.so")
	driver := compile(t, "breaking.so", "-shared", "-fPIC", "-I"+filepath.Join(world.Top(), "spine"),
		fmt.Sprintf("-DNULL_DRIVER=%q", null), "library/breaking.c")
	manifest := filepath.Join(resolved(t), "breaking.json")
	text := fmt.Sprintf(`{"file_format_version": "1.0.0", "ICD": {"library_path": %q, "api_version": "1.1.0"}}`, driver)
	if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return manifest
}

// holds: UNK-014
func TestOutOfALookUp(t *testing.T) {
	t.Parallel()
	run{env: map[string]string{"VK_DRIVER_FILES": breaking(t)}}.holds(t, "out-of-look-up")
}

// A thread leaves a driver that creates a surface, by cancellation, an exception or longjmp. Afterwards the surface can be used by that
// thread and by others.
//
// holds: WSI-014 WSI-015
func TestOutOfADriver(t *testing.T) {
	t.Parallel()
	manifest := breaking(t)
	for _, words := range [][]string{{"cancel"}, {"throw"}, {"throw", "same"}, {"jump"}, {"jump", "same"}} {
		t.Run(fmt.Sprint(words), func(t *testing.T) {
			t.Parallel()
			run{env: map[string]string{"VK_DRIVER_FILES": manifest}}.holds(t, append([]string{"out-of-driver"}, words...)...)
		})
	}
}

// Threads are cancelled at any point; no descriptor stays open.
//
// holds: G-1
func TestG1CancelledThreadsLeaveNoDescriptor(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "cancelled-threads")
}

// The global enumerations without a count fail, with a message.
//
// holds: INS-003
func TestNoCount(t *testing.T) {
	t.Parallel()
	e := run{}.start(t, "no-count")
	if e.state.ExitCode() != 0 || e.stdout != "-1 -1 -1 -1\n" {
		t.Fatalf("%v: %s%s", e.state, e.stdout, e.stderr)
	}
	wantText(t, e.stderr, "(VUID-vkEnumerateInstanceLayerProperties-pPropertyCount-parameter)",
		"(VUID-vkEnumerateInstanceExtensionProperties-pPropertyCount-parameter)")
}

// holds: G-10
func TestG10NoFutex(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "no-futex")
}

// A seccomp filter that permits only read and lseek: with the distribution's loader a program runs with it.
//
// holds: G-10
func TestG10NoPread(t *testing.T) {
	plain(t)
	t.Parallel()
	for _, refused := range []syscall.Errno{syscall.EPERM, syscall.ENOSYS} {
		both(t, "no-pread", strconv.Itoa(int(refused)))
	}
}

// A file whose every read is interrupted cannot be read completely. The program does not wait for it: it gets no driver, and a line
// with the reason.
//
// holds: G-10 LOG-19
func TestG10NoEndOfSignals(t *testing.T) {
	plain(t)
	t.Parallel()
	e := run{limit: time.Minute, env: map[string]string{"VK_LOADER_DEBUG": "error"}}.start(t, "no-end-of-signals")
	if e.state.ExitCode() != 0 || e.stdout != "-9\n" { // VK_ERROR_INCOMPATIBLE_DRIVER
		t.Fatalf("%v: %s%s", e.state, e.stdout, e.stderr)
	}
	wantText(t, e.stderr, "loader_get_json: Failed to read entire JSON file", "null_icd.json")
}
