package guest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

const (
	success        = 0
	outOfMemory    = -1
	notInitialised = -3
)

// holds: G-1
func TestG1LookUpsDoNothing(t *testing.T) {
	t.Parallel()
	both(t, "look-up")
}

// holds: G-1
func TestG1LinkedAndNeverCalled(t *testing.T) {
	plain(t)
	t.Parallel()
	library := world.Library()
	linked := compile(t, "linked", "library/linked.c", "-Wl,--no-as-needed", library, "-Wl,-rpath,"+filepath.Dir(library))
	alone := compile(t, "alone", "-DALONE", "library/linked.c")
	look := func(path string) (values [4]int) {
		best := values
		for i := 0; i < 5; i++ { // the smallest of five, because the number of shared pages varies
			out, err := exec.Command(path).Output()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(string(out), &values[0], &values[1], &values[2], &values[3]); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			if i == 0 || values[1] < best[1] {
				best = values
			}
		}
		return best
	}
	with, without := look(linked), look(alone)
	t.Logf("resident: %d kB with the library, %d kB without", with[1], without[1])
	if with[3] != 1 || without[3] != 0 {
		t.Fatalf("the library is mapped: with %d, without %d", with[3], without[3])
	}
	if with[0] != 1 || with[2] != without[2] {
		t.Errorf("%d threads, %d dispositions changed (%d without)", with[0], with[2], without[2])
	}
	if with[1]-without[1] >= 1024 {
		t.Errorf("%d kB more resident memory", with[1]-without[1])
	}
}

// holds: G-2 THR-015
func TestG2DispositionsStay(t *testing.T) {
	t.Parallel()
	both(t, "keep-dispositions")
}

// holds: G-2
func TestG2NoSignalIsLost(t *testing.T) {
	t.Parallel()
	both(t, "signal-descriptor")
}

// holds: G-2
func TestG2SignalsThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	both(t, "signal-wait")
}

// holds: G-2
func TestG2SendsNoSignal(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "sends-nothing")
}

// holds: G-3
func TestG3MaskAndAlternateStackStay(t *testing.T) {
	t.Parallel()
	both(t, "thread-states")
}

// holds: G-3
func TestG3TimerWithDeepHandler(t *testing.T) {
	plain(t)
	run{}.holds(t, "timer")
}

// holds: G-3
func TestG3ProfilingTimer(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "profiling-timer")
}

// holds: G-3
func TestG3FaultsReachTheProgram(t *testing.T) {
	t.Parallel()
	both(t, "own-handler")
}

// holds: G-3
func TestG3ProgramDiesOfItsOwnSignal(t *testing.T) {
	plain(t)
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGILL, syscall.SIGBUS, syscall.SIGFPE,
		syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGPROF, syscall.SIGUSR1} {
		e := run{}.start(t, "own-fault", strconv.Itoa(int(sig)))
		status := e.state.Sys().(syscall.WaitStatus)
		if !status.Signaled() || status.Signal() != sig || e.stderr != "" {
			t.Errorf("%v: ended with %v, saying %q", sig, e.state, e.stderr)
		}
	}
	e := run{}.start(t, "fault-beside")
	if status := e.state.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGSEGV || e.stderr != "" {
		t.Errorf("a fault on another thread: ended with %v, saying %q", e.state, e.stderr)
	}
}

// holds: G-4
func TestG4ChildrenOfAnIdleParent(t *testing.T) {
	run{}.holds(t, "fork-idle")
}

// holds: G-4
func TestG4ChildrenOfABusyParent(t *testing.T) {
	plain(t) // a child may inherit a sanitizer's own lock
	run{limit: 5 * time.Minute}.holds(t, "fork-busy")
	run{limit: 5 * time.Minute, env: map[string]string{"GUEST_CHILDREN": "20", "GUEST_DEPTH": "2"}}.holds(t, "fork-busy")
}

// holds: G-4
func TestG4OtherChildren(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"fork-untouched", "fork-deep", "raw-clone", "fork-shared", "fork-reload", "fork-inherited"} {
		t.Run(c, func(t *testing.T) { run{}.holds(t, c) })
	}
}

// holds: G-4 HND-003 HND-004
func TestG4BadHandleInAChild(t *testing.T) {
	plain(t) // a child may inherit a sanitizer's own lock
	t.Parallel()
	e := run{}.start(t, "fork-bad-handle")
	const line = "[Vulkan Loader] ERROR:          vkDestroyInstance: Invalid instance [VUID-vkDestroyInstance-instance-parameter]\n"
	if n := strings.Count(e.stderr, line); e.state.ExitCode() != 0 || n != 20 {
		t.Errorf("%v, the message came %d times:\n%s", e.state, n, e.stderr)
	}
}

// holds: G-4
func TestG4ForkWaitsForOpening(t *testing.T) {
	t.Parallel()
	root := resolved(t)
	for _, where := range []string{"CONSTRUCTOR", "SYMBOL", "DESTRUCTOR"} {
		slow := compile(t, "slow.so", "-shared", "-fPIC", "-DIN_"+where, "library/slow.c")
		manifest := filepath.Join(root, where+".json")
		text := fmt.Sprintf(`{"file_format_version": "1.0.0", "ICD": {"library_path": %q, "api_version": "1.0.0"}}`, slow)
		if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			run{env: map[string]string{"VK_DRIVER_FILES": manifest}}.holds(t, "fork-bounded")
		})
	}
}

// holds: G-5 GEN-1 SYS-002
func TestG5EnvironmentAtTheTimeOfTheCall(t *testing.T) {
	t.Parallel()
	both(t, "environment-now")
}

// holds: G-6 GEN-12 LAY-2 SYS-001 LOG-11
func TestG6FunctionsOfTheCLibrary(t *testing.T) {
	t.Parallel()
	own := compile(t, "guest-functions", "-rdynamic", "-DOWN_FUNCTIONS", "program/*.c")
	run{program: own, env: map[string]string{"VK_LOADER_DEBUG": "all"}}.holds(t, "own-functions")
}

// holds: G-7
func TestG7BytesAreNotKept(t *testing.T) {
	t.Parallel()
	both(t, "bytes-not-kept")
}

// holds: G-8 THR-015
func TestG8AnswersWithOtherThreadsStopped(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "threads-stopped")
}

// holds: G-8
func TestG8MemoryComesToRest(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "steady")
}

// holds: G-11
func TestG11UnloadingUnmaps(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "close-rounds")
}

// holds: G-11
func TestG11TwoLoaders(t *testing.T) {
	t.Parallel()
	second := copyFile(t, world.Library(), filepath.Join(resolved(t), "libvulkan.so.1"))
	run{}.holds(t, "two-loaders", second)
}

// holds: G-11
func TestG11EndWithLiveInstances(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"return", "exit", "_exit", "quick", "busy-return", "busy-exit", "busy-_exit", "busy-quick",
		"child", "busy-child", "elsewhere-exit", "elsewhere-_exit", "elsewhere-quick"} {
		if world.Variant() == "tsan" && (strings.HasPrefix(how, "busy") || strings.HasPrefix(how, "elsewhere")) {
			continue // the sanitizer reports running threads
		}
		for i := 0; i < 5; i++ {
			e := run{}.start(t, "end-alive", how)
			if e.state.ExitCode() != 0 || e.stderr != "" {
				t.Errorf("%s: %v, saying %q", how, e.state, e.stderr)
			}
		}
	}
}

// holds: G-11
func TestG11NothingIsOpenedAtTheEnd(t *testing.T) {
	t.Parallel()
	both(t, "end-untouched")
}

// holds: G-12
func TestG12SmallStacks(t *testing.T) {
	plain(t)
	t.Parallel()
	// No control: the distribution's loader needs more than 16 kB.
	run{}.holds(t, "small-stack-first")
	run{}.holds(t, "small-stacks")
}

// The stack use of enumerations and whole lives is compared with the distribution's loader.
//
// holds: G-12
func TestG12StackUse(t *testing.T) {
	plain(t)
	t.Parallel()
	use := func(loader string) (empty, enumerations, lives int) {
		text := run{loader: loader}.holds(t, "stack-use")
		if _, err := fmt.Sscan(text, &empty, &enumerations, &lives); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return empty, enumerations, lives
	}
	empty, enumerations, lives := use(world.Library())
	t.Logf("an empty thread %d bytes, enumerations %d, lives %d", empty, enumerations, lives)
	if enumerations >= 13600 || lives >= 13600 {
		t.Errorf("%d and %d bytes of the thread's stack are used", enumerations, lives)
	}
	if _, err := os.Stat(world.SystemLibrary); err == nil {
		_, theirEnumerations, theirLives := use(world.SystemLibrary)
		t.Logf("the distribution's loader: enumerations %d, lives %d", theirEnumerations, theirLives)
		if enumerations > theirEnumerations || lives > theirLives {
			t.Errorf("%d and %d bytes of stack are used, by the distribution's loader %d and %d", enumerations, lives,
				theirEnumerations, theirLives)
		}
	}
}

// holds: G-12
func TestG12Fibers(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "fibers")
	run{}.holds(t, "callback-fiber") // no control: the distribution's loader holds its lock during callbacks
}

// holds: G-12
func TestG12ShortThreads(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "short-threads")
}

// holds: G-12
func TestG12ConstructorIsFirst(t *testing.T) {
	t.Parallel()
	first := compile(t, "first.so", "-shared", "-fPIC", "library/first.c")
	both(t, "constructor", first)
}

// holds: G-3 G-12
func TestG12FloatingPointEnvironment(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	manifest := w.Driver("one", "device name=one uuid=7 driver_uuid=8 driver_version=3").API("1.1.0").ManifestPath // the null driver has no UUIDs
	run{env: map[string]string{"VK_DRIVER_FILES": manifest, "VK_ICD_FILENAMES": manifest}}.holds(t, "float-environment")
}

// holds: G-13
func TestG13RelativeDirectories(t *testing.T) {
	if world.Variant() == "tsan" {
		t.Skip("a child of several threads")
	}
	t.Parallel()
	top := resolved(t)
	real := filepath.Join(top, "real")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	copyFile(t, world.Library(), filepath.Join(real, "libvulkan.so.1"))
	for _, c := range []struct{ from, path string }{
		{real, "."}, {real, ""}, {top, "real"}, {top, "link"}, {top, "link/../real/."}, {"/", filepath.Join(top, "link")},
	} {
		in := []string{"/bin/sh", "-c", `cd "$1" && shift && exec "$@"`, "sh", c.from}
		env := map[string]string{"LD_LIBRARY_PATH": c.path}
		if c.path == "" { // an empty element is the current directory
			env["LD_LIBRARY_PATH"] = "/nonexistent:"
		}
		run{loader: "libvulkan.so.1", prefix: in, env: env}.holds(t, "change-directory")
	}
	control(t, "change-directory")
}

// holds: G-13
func TestG13AnyName(t *testing.T) {
	t.Parallel()
	directory := resolved(t)
	file := copyFile(t, world.Library(), filepath.Join(directory, "another.so"))
	link := filepath.Join(resolved(t), "libvulkan.so.1")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, loader := range []string{file, link} {
		if got, text := (run{loader: loader}).result(t, "first-result"); got != success {
			t.Errorf("%s: result %d\n%s", loader, got, text)
		}
	}
}

// A running program keeps its file when another version is installed over it, also if its first call comes later. The test runs
// tools/install.sh, as "make install" does, in a separate tree.
//
// holds: G-13
func TestG13Upgrade(t *testing.T) {
	t.Parallel()
	tree, root := resolved(t), resolved(t)
	for _, directory := range []string{"tools", "packaging/systemd", "build/libexec/vkloader", "build/share"} {
		if err := os.MkdirAll(filepath.Join(tree, directory), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, filepath.Join(world.Top(), "tools/install.sh"), filepath.Join(tree, "tools/install.sh"))
	if err := os.CopyFS(filepath.Join(tree, "packaging/systemd"), os.DirFS(filepath.Join(world.Top(), "packaging/systemd"))); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"vkloader", "libexec/vkloader/probe"} {
		copyFile(t, filepath.Join(world.Top(), "build", file), filepath.Join(tree, "build", file))
	}
	install := func(version string) string {
		copyFile(t, world.Library(), filepath.Join(tree, "build/libvulkan.so."+version))
		return fmt.Sprintf("DESTDIR='%s' PREFIX=/opt LIBDIR=/opt/lib BINDIR=/opt/bin INCLUDEDIR=/opt/include LIBEXECDIR=/opt/libexec "+
			"DATADIR=/opt/share BUILD=build BITS=64 VERSION=%s sh %s/tools/install.sh >&2", root, version, tree)
	}
	for _, next := range []string{"1.4.400", "1.4.401"} { // the same name, and another
		if text, err := exec.Command("sh", "-c", install("1.4.400")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		run{loader: root + "/opt/lib/libvulkan.so.1"}.holds(t, "upgrade", install(next))
	}
}
