// Overlay writes the altered copies of eight files of Go's runtime that the core is built with, and the description of
// them that "go build -overlay" reads. Every alteration replaces a text that must stand in the file exactly once;
// otherwise nothing is built. It changes nothing in the Go installation.
//
// Usage: overlay GOROOT FOLDER
//
// What is altered, and why, is said beside each alteration; docs/guest-rules.md has the whole.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// version is the only line of Go releases whose runtime these alterations were read against.
const version = "go1.26"

type alteration struct {
	file     string // in GOROOT
	old, new string
}

var alterations = []alteration{
	// Threads of the core block everything but the synchronous signals and the C library's own two (G-2). Go unblocks
	// five more on each of its threads: a program that waits for SIGCHLD with signalfd, or has one thread for its
	// signals, would lose some of them to a thread of the core.
	{"src/runtime/sigtab_linux_generic.go", `{_SigThrow + _SigUnblock, "SIGSTKFLT: stack fault"}`, `{_SigThrow, "SIGSTKFLT: stack fault"}`},
	{"src/runtime/sigtab_linux_generic.go", `{_SigNotify + _SigUnblock + _SigIgn, "SIGCHLD: child status has changed"}`, `{_SigNotify + _SigIgn, "SIGCHLD: child status has changed"}`},
	{"src/runtime/sigtab_linux_generic.go", `{_SigNotify + _SigUnblock, "SIGPROF: profiling alarm clock"}`, `{_SigNotify, "SIGPROF: profiling alarm clock"}`},
	{"src/runtime/sigtab_linux_generic.go", `{_SigSetStack + _SigUnblock, "signal 34"}`, `{_SigSetStack, "signal 34"}`},
	// A blocked SIGSYS kills where seccomp's filter meant to run the program's handler.
	{"src/runtime/sigtab_linux_generic.go", `{_SigThrow, "SIGSYS: bad system call"}`, `{_SigThrow + _SigUnblock, "SIGSYS: bad system call"}`},

	// The runtime sees an environment of its own, never the program's (G-10): GOMEMLIMIT=garbage would abort the
	// program, GOMAXPROCS=999999 hang it. Two processors on every machine, collection only when asked for (G-8).
	{"src/runtime/runtime1.go", `	n := int32(0)
	for argv_index(argv, argc+1+n) != nil {
		n++
	}

	envs = make([]string, n)
	for i := int32(0); i < n; i++ {
		envs[i] = gostring(argv_index(argv, argc+1+i))
	}
`, `	envs = []string{"GOMAXPROCS=1", "GOGC=off"}
`},
	{"src/runtime/proc.go", `		n := int32(0)
		for argv_index(argv, argc+1+n) != nil {
			n++
		}

		for i := int32(0); i < n; i++ {
			p := argv_index(argv, argc+1+i)
			s := unsafe.String(p, findnull(p))

			if stringslite.HasPrefix(s, prefix) {
				env = gostringnocopy(p)[len(prefix):]
				break
			}
		}
		break
`, `		_ = stringslite.HasPrefix(env, prefix)
`},
	// Arguments may be overwritten by the program at any time (setproctitle).
	{"src/runtime/runtime1.go", `	argslice = make([]string, argc)
	for i := int32(0); i < argc; i++ {
		argslice[i] = gostringnocopy(argv_index(argv, i))
	}
`, `	argslice = []string{"libvkcore"}
`},

	// Memory goes back to the system only when a collection is asked for: the background worker's timer would open an
	// epoll descriptor and an eventfd in the program (G-8, G-10).
	{"src/runtime/mgcscavenge.go", `			return heapRetained() <= scavenge.gcPercentGoal.Load() &&
				gcController.mappedReady.Load() <= scavenge.memoryLimitGoal.Load()
`, `			return true
`},

	// No huge pages for the heap's metadata: with collections only on demand the heap has no goal, which the runtime
	// takes for a very large one, and the kernel makes 2 MB resident of the 4 kB that are used.
	{"src/runtime/mgc.go", `	if gcController.heapGoal() > minHeapForMetadataHugePages {
`, `	if gcController.gcPercent.Load() >= 0 && gcController.heapGoal() > minHeapForMetadataHugePages {
`},

	// Signals 32 and 33 stay open on the core's threads, and the C library's handlers of them use the stack of the
	// moment: a goroutine's. Room for a signal's frame (about 11 kB where the processor has AMX) below every goroutine
	// stack's guard, as the runtime itself has it on systems without a second stack.
	{"src/runtime/stack.go", `	stackSystem = goos.IsWindows*4096 + goos.IsPlan9*512 + goos.IsIos*goarch.IsArm64*1024
`, `	stackSystem = goos.IsWindows*4096 + goos.IsPlan9*512 + goos.IsIos*goarch.IsArm64*1024 + goos.IsLinux*16384
`},

	// No monitor: it exists to take processors from long system calls and long runs, of which there are none here. It
	// would be woken by every entry, and it takes the rest between two calls for one long run of the caller's goroutine
	// and asks that one to yield, for which it needs another thread (G-8).
	{"src/runtime/proc.go", `const haveSysmon = GOARCH != "wasm"
`, `const haveSysmon = false
`},
	// At the start the first goroutine is bound to the first thread, so that waiting for these two would start a second
	// one and change threads four times.
	{"src/runtime/mgc.go", `	go bgsweep(c)
	go bgscavenge(c)
	<-c
	<-c
`, `	unlockOSThread()
	go bgsweep(c)
	go bgscavenge(c)
	<-c
	<-c
	lockOSThread()
`},
	// How much is allocated, for one who asks after every call: runtime/metrics makes 95 allocations at the start.
	{"src/runtime/mgc.go", `// Garbage collector phase.
// Indicates to write barrier and synchronization task to perform.
`, `// vkcoreHeap is the number of bytes of objects in the heap that are live, or were not collected yet.
//
//go:linkname vkcoreHeap
func vkcoreHeap() uint64 { return gcController.heapLive.Load() }

// Garbage collector phase.
// Indicates to write barrier and synchronization task to perform.
`},
	// The number of processors is known: no file of the program's control group is read for it, none of the kernel's
	// about huge pages, and no memory profile is kept.
	{"src/runtime/proc.go", `	defaultGOMAXPROCSInit()
`, ``},
	{"src/runtime/os_linux.go", `	physHugePageSize = getHugePageSize()
`, `	physHugePageSize = 0
`},
	{"src/runtime/mprof.go", `var MemProfileRate int = 512 * 1024
`, `var MemProfileRate int = 0
`},
}

// present are texts that the core's C side counts on, in files that are not altered.
var present = []alteration{
	// Thread starts go through pthread_create, with the size that pthread_attr_getstacksize said.
	{"src/runtime/cgo/gcc_linux_amd64.c", "\tpthread_attr_getstacksize(&attr, &size);\n\t// Leave stacklo=0 and set stackhi=size; mstart will do the rest.\n\tts->g->stackhi = size;\n\terr = _cgo_try_pthread_create(&p, &attr, threadentry, ts);\n", ""},
	// The first thread too: start.c keeps that first call until vkcore_start.
	{"src/runtime/cgo/gcc_libinit.c", "\terr = _cgo_try_pthread_create(&p, &attr, func, arg);\n", ""},
	{"src/runtime/asm_amd64.s", "\tMOVQ\t_cgo_sys_thread_create(SB), AX\n\tTESTQ\tAX, AX\n\tJZ\tnocgo\n", ""},
	// A failing pthread_key_create means that no thread of the program stays bound to the runtime.
	{"src/runtime/cgo/gcc_libinit.c", "if (x_cgo_pthread_key_created == 0 && pthread_key_create(&pthread_g, pthread_key_destructor) == 0) {\n", ""},
	// Where stack bounds come from.
	{"src/runtime/cgo/gcc_stack_unix.c", "\tpthread_getattr_np(pthread_self(), &attr);  // GNU extension\n\tpthread_attr_getstack(&attr, &addr, &size); // low address\n", ""},
	// The one way to sigaction, and the raw system call only when that one says EINVAL.
	{"src/runtime/cgo_sigaction.go", "\tif _cgo_sigaction == nil || inForkedChild {\n\t\tsysSigaction(sig, new, old)\n\t} else {\n", ""},
	{"src/runtime/cgo_sigaction.go", "\t\tif ret == EINVAL {\n", ""},
	{"src/runtime/cgo/gcc_sigaction.c", "\tret = sigaction((int)signum, goact ? &act : NULL, oldgoact ? &oldact : NULL);\n", ""},
	// What a thread of the runtime frees when it begins (start.c gives it).
	{"src/runtime/cgo/gcc_util.c", "\tts = malloc(sizeof *ts);\n", ""},
	{"src/runtime/cgo/gcc_linux_amd64.c", "\tfree(v);\n", ""},
	// Closed standard descriptors of the program stay closed.
	{"src/runtime/fds_unix.go", "\tif islibrary || isarchive {\n", ""},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: overlay GOROOT FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

func write(root, folder string) error {
	if v := runtime.Version(); v != version && !strings.HasPrefix(v, version+".") {
		return fmt.Errorf("the core is built with %s and its patch releases only; this is %s", version, v)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	texts := map[string]string{}
	read := func(a alteration) error {
		if _, ok := texts[a.file]; !ok {
			b, err := os.ReadFile(filepath.Join(root, a.file))
			if err != nil {
				return err
			}
			texts[a.file] = string(b)
		}
		if n := strings.Count(texts[a.file], a.old); n != 1 {
			return fmt.Errorf("%s: this text stands there %d times, not once:\n%s", a.file, n, a.old)
		}
		return nil
	}
	for _, p := range present {
		if err := read(p); err != nil {
			return err
		}
	}
	replace := map[string]string{}
	for _, a := range alterations {
		if err := read(a); err != nil {
			return err
		}
		texts[a.file] = strings.Replace(texts[a.file], a.old, a.new, 1)
		replace[filepath.Join(root, a.file)] = filepath.Join(folder, filepath.Base(a.file))
	}
	for from, to := range replace {
		rel, err := filepath.Rel(root, from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(texts[filepath.ToSlash(rel)]), 0o666); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "overlay.json"), append(b, '\n'), 0o666)
}
