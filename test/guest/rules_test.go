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

	"vkloader/test/world"
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
	look := func(path string) (values [5]int) {
		best := values
		for i := 0; i < 5; i++ { // the smallest of five: pages shared with other processes come and go
			out, err := exec.Command(path).Output()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(string(out), &values[0], &values[1], &values[2], &values[3], &values[4]); err != nil {
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
	if with[4] != 1 || without[4] != 0 {
		t.Fatalf("the library is mapped: with %d, without %d", with[4], without[4])
	}
	if with[0] != 1 || with[2] != without[2] || with[3] != 0 {
		t.Errorf("%d threads, %d dispositions changed (%d without), core mapped %d", with[0], with[2], without[2], with[3])
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
func TestG2MasksOfTheCore(t *testing.T) {
	plain(t) // a sanitizer may have a thread of its own
	t.Parallel()
	run{}.holds(t, "core-masks")
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
	for _, c := range []string{"fork-untouched", "fork-generations", "raw-clone", "fork-shared", "fork-reload",
		"fork-inherited", "fork-same"} {
		t.Run(c, func(t *testing.T) { run{}.holds(t, c) })
	}
}

// holds: G-4
func TestG4ChildWithoutFiles(t *testing.T) {
	t.Parallel()
	e := run{}.start(t, "fork-without-files")
	if e.state.ExitCode() != 0 {
		t.Errorf("%v\n%s", e.state, e.stderr)
	}
	wantText(t, e.stderr, "The Vulkan loader's core cannot be used: Too many open files\n")
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
	run{env: map[string]string{"VK_LOADER_DEBUG": "all"}}.holds(t, "own-functions")
}

// holds: G-6
func TestG6CoreAsksTheSystemForMemoryOnly(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "core-calls-nothing")
}

// holds: G-7 G-9
func TestG7BytesAreNotKept(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "bytes-not-kept", coreFile(t))
}

// holds: G-8 THR-015
func TestG8NothingRunsBetweenCalls(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "at-rest")
}

// holds: G-8
func TestG8AnswersWithItsThreadsStopped(t *testing.T) {
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

// standIn makes a folder with the loader and something else in the core's place, and returns the loader's path.
func standIn(t *testing.T, id string) string {
	t.Helper()
	root := resolved(t)
	made := compile(t, "standin.so", "-shared", "-fPIC", "-DCORE_ID=\""+id+"\"", "library/standin.c")
	copyFile(t, made, filepath.Join(root, filepath.Base(coreFile(t))))
	return copyFile(t, world.Library(), filepath.Join(root, "libvulkan.so.1"))
}

// holds: G-3
func TestG3MaskOfAnEntry(t *testing.T) {
	t.Parallel()
	env := map[string]string{"STANDIN": "mask", "VK_LOADER_DEBUG": "error"}
	_, text := run{loader: standIn(t, coreID(t)), env: env}.result(t, "first-result")
	const open = "4 5 7 8 9 11 19 31 stays. " // what a thread does to itself
	wantText(t, text, "core failed: "+open+open+"\n")
}

// The core is entered for what it has not been asked before; what is remembered is bounded, and what was used last stays.
func TestCoreIsEnteredForNewQuestions(t *testing.T) {
	t.Parallel()
	root := resolved(t)
	made := compile(t, "counted.so", "-shared", "-fPIC", "-DCORE_ID=\""+coreID(t)+"\"", "library/counted.c")
	copyFile(t, made, filepath.Join(root, filepath.Base(coreFile(t))))
	loader := copyFile(t, world.Library(), filepath.Join(root, "libvulkan.so.1"))
	env := map[string]string{"STANDIN_REAL": coreFile(t)}
	run{loader: loader, env: env}.holds(t, "asked-often")
	for size, kept := range map[int]string{128: "5", 180: "4", 197: "0"} {
		folder := filepath.Join(root, kept)
		text := `{"file_format_version": "1.0.0", "unknown": "` + strings.Repeat("x", size<<10) + `"}`
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "large.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run{loader: loader, env: map[string]string{"STANDIN_REAL": coreFile(t), "VK_LAYER_PATH": folder}}.holds(t, "asked-large", kept)
	}
}

// holds: G-9 FUZ-025
func TestG9PanicIsAnError(t *testing.T) {
	t.Parallel()
	loader := standIn(t, coreID(t))
	for way, said := range map[string]string{
		"fault": "The Vulkan loader's core failed: index out of range %s%n",
		"bad":   "The Vulkan loader's core does not answer (status 3)",
		"space": "The Vulkan loader's core does not answer (status 1)",
		"empty": "The Vulkan loader's core came to no decision",
		"need":  "The Vulkan loader's core came to no decision",
	} {
		got, text := run{loader: loader, env: map[string]string{"STANDIN": way, "VK_LOADER_DEBUG": "error"}}.result(t, "first-result")
		if got != notInitialised {
			t.Errorf("%s: result %d", way, got)
		}
		wantText(t, text, said)
	}
}

// holds: G-11
func TestG11UnloadingUnmaps(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "close-rounds")
}

// holds: G-11
func TestG11TwoSpinesOneCore(t *testing.T) {
	if world.Variant() == "tsan" {
		t.Skip("the sanitizer calls what an unloaded library gave to atexit")
	}
	t.Parallel()
	folder := resolved(t)
	second := copyFile(t, world.Library(), filepath.Join(folder, "libvulkan.so.1"))
	real, err := filepath.EvalSymlinks(coreFile(t))
	if err == nil {
		err = os.Symlink(real, filepath.Join(folder, filepath.Base(coreFile(t))))
	}
	if err != nil {
		t.Fatal(err)
	}
	run{}.holds(t, "two-spines", second)
}

// holds: G-11
func TestG11WhatTheCoreRemembersGoes(t *testing.T) {
	plain(t)
	t.Parallel()
	env := map[string]string{"STANDIN_SAY": "1"}
	_, text := run{loader: standIn(t, coreID(t)), env: env}.result(t, "result-unload")
	wantText(t, text, "standin: context 1 detached\n")
}

// holds: G-11
func TestG11EndWithLiveInstances(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"return", "exit", "_exit", "quick", "busy-return", "busy-exit", "busy-_exit", "busy-quick",
		"child", "busy-child", "elsewhere-exit", "elsewhere-_exit", "elsewhere-quick"} {
		if world.Variant() == "tsan" && (strings.HasPrefix(how, "busy") || strings.HasPrefix(how, "elsewhere")) {
			continue // the sanitizer reports what is still running
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
func TestG11NoCoreIsOpenedAtTheEnd(t *testing.T) {
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
	run{}.holds(t, "stack-use")
}

// holds: G-12
func TestG12Fibers(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "fibers")
	run{}.holds(t, "callback-fiber") // no control: the distribution's loader calls back with its lock held
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

// holds: G-12
func TestG12FloatingPointExceptions(t *testing.T) {
	t.Parallel()
	run{}.holds(t, "float-exceptions")
}

// place makes a folder with the loader's file, and gives it and what the core's file is called.
func place(t *testing.T) (folder, loader, name string) {
	folder = resolved(t)
	return folder, copyFile(t, world.Library(), filepath.Join(folder, "libvulkan.so.1.4.999")), filepath.Base(coreFile(t))
}

// holds: G-13
func TestG13CoreBesideTheRealFile(t *testing.T) {
	t.Parallel()
	folder, file, name := place(t)
	copyFile(t, coreFile(t), filepath.Join(folder, name))
	named := filepath.Join(resolved(t), "libvulkan.so.1")
	if err := os.Symlink(file, named); err != nil {
		t.Fatal(err)
	}
	if got, text := (run{loader: named}).result(t, "first-result"); got != success {
		t.Errorf("result %d\n%s", got, text)
	}
}

// holds: G-13
func TestG13CoreBesideTheName(t *testing.T) {
	t.Parallel()
	_, file, name := place(t)
	folder := resolved(t)
	named := filepath.Join(folder, "libvulkan.so.1")
	if err := os.Symlink(file, named); err != nil {
		t.Fatal(err)
	}
	copyFile(t, coreFile(t), filepath.Join(folder, name))
	if got, text := (run{loader: named}).result(t, "first-result"); got != success {
		t.Errorf("result %d\n%s", got, text)
	}
}

// holds: G-13
func TestG13RelativeFolders(t *testing.T) {
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
	copyFile(t, coreFile(t), filepath.Join(real, filepath.Base(coreFile(t))))
	for _, c := range []struct{ from, path string }{
		{real, "."}, {real, ""}, {top, "real"}, {top, "link"}, {top, "link/../real/."}, {"/", filepath.Join(top, "link")},
	} {
		in := []string{"/bin/sh", "-c", `cd "$1" && shift && exec "$@"`, "sh", c.from}
		env := map[string]string{"LD_LIBRARY_PATH": c.path}
		if c.path == "" { // an empty element is the current folder
			env["LD_LIBRARY_PATH"] = "/nonexistent:"
		}
		run{loader: "libvulkan.so.1", prefix: in, env: env}.holds(t, "change-folder")
	}
	control(t, "change-folder")
}

// holds: G-13
func TestG13NoCore(t *testing.T) {
	t.Parallel()
	folder, file, name := place(t)
	other := resolved(t)
	named := filepath.Join(other, "libvulkan.so.1")
	if err := os.Symlink(file, named); err != nil {
		t.Fatal(err)
	}
	got, text := run{loader: named}.result(t, "first-result")
	if got != notInitialised {
		t.Errorf("result %d", got)
	}
	const line = "ERROR:          The Vulkan loader's core cannot be used: there is no such file\n"
	wantText(t, text, line, filepath.Join(folder, name)+"\n", filepath.Join(other, name)+"\n")

	got, text = run{loader: file}.result(t, "first-result") // by its one name
	if got != notInitialised || strings.Count(text, "looked for as") != 1 {
		t.Errorf("result %d\n%s", got, text)
	}
	wantText(t, text, line, filepath.Join(folder, name)+"\n")
}

// holds: G-13
func TestG13WrongCore(t *testing.T) {
	t.Parallel()
	loader := standIn(t, "another")
	folder := filepath.Dir(loader)
	named := filepath.Join(resolved(t), "libvulkan.so.1")
	if err := os.Symlink(loader, named); err != nil {
		t.Fatal(err)
	}
	got, text := run{loader: named}.result(t, "first-result")
	if got != notInitialised {
		t.Errorf("result %d", got)
	}
	name := filepath.Base(coreFile(t))
	wantText(t, text, "of another version", filepath.Join(folder, name), filepath.Join(filepath.Dir(named), name))

	for way, said := range map[string]string{"abi": "interface version 77", "start": "nothing is there"} {
		got, text := run{loader: standIn(t, coreID(t)), env: map[string]string{"STANDIN": way}}.result(t, "first-result")
		if got != notInitialised && got != outOfMemory {
			t.Errorf("%s: result %d", way, got)
		}
		wantText(t, text, said)
	}
}
