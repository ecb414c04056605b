package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/world"
)

// holds: G-10
func TestG10VariablesOfGo(t *testing.T) {
	plain(t)
	t.Parallel()
	usual := run{}.holds(t, "environment-same")
	for name, value := range map[string]string{"GOMEMLIMIT": "garbage", "GOMAXPROCS": "999999",
		"GODEBUG": "inittrace=1,schedtrace=1,gctrace=1,asyncpreemptoff=0", "GOGC": "1", "GOTRACEBACK": "crash"} {
		e := run{env: map[string]string{name: value}}.start(t, "environment-same")
		if e.state.ExitCode() != 0 || e.stderr != "" || e.stdout != usual {
			t.Errorf("%s=%s: %v, %q, saying %q", name, value, e.state, e.stdout, e.stderr)
		}
	}
}

// holds: G-10
func TestG10NoRoom(t *testing.T) {
	plain(t)
	t.Parallel()
	for _, c := range []struct {
		name string
		mb   []int
	}{
		{"address-space", []int{60, 200, 500, 900, 1300, 1700, 1800, 1850, 1860, 1870, 1880, 1900, 1950, 2100, 3000}},
		{"data-size", []int{2, 10, 30, 60, 90, 95, 100, 105, 120, 200, 400}},
	} {
		failed, worked := 0, 0
		for _, mb := range c.mb {
			got, text := run{}.result(t, c.name, strconv.Itoa(mb))
			switch got {
			case success:
				worked++
			case outOfMemory:
				failed++
				if mb >= 60 {
					wantText(t, text, "The Vulkan loader's core cannot be used: ")
				}
			default:
				t.Errorf("%s %d MB: result %d", c.name, mb, got)
			}
		}
		if failed == 0 || worked == 0 {
			t.Errorf("%s: %d failed, %d worked", c.name, failed, worked)
		}
	}
	run{}.holds(t, "limit-lifted")
}

// holds: G-10
func TestG10LockedMemory(t *testing.T) {
	plain(t)
	root(t)
	t.Parallel()
	result := func(words ...string) (result, kb int) {
		text := run{}.holds(t, append([]string{"locked-memory"}, words...)...)
		if n, err := fmt.Sscanf(text, "%d\n%d kB", &result, &kb); n != 2 {
			t.Fatalf("%q: %v", text, err)
		}
		return result, kb
	}
	if got, kb := result(); got != success || kb > 300<<10 {
		t.Errorf("without a limit: result %d, %d kB more", got, kb)
	}
	for _, mb := range []int{5, 8, 16, 64, 200, 1000, 1800, 1900, 2500} { // how many may be had differs
		if got, _ := result(strconv.Itoa(mb << 10)); got != outOfMemory && (got != success || mb < 200) {
			t.Errorf("%d MB may be locked: result %d", mb, got)
		}
	}
	control(t, "locked-memory")
}

// holds: G-10
func TestG10SystemCallsOfTheList(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "allowed-calls", "core")
	run{}.holds(t, "allowed-calls", "child")
	control(t, "allowed-calls")
	if e := (run{}).start(t, "allowed-calls"); e.state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSYS {
		t.Errorf("without the core's calls: %v", e.state) // else the filter forbids nothing
	}
	text, err := os.ReadFile(filepath.Join(world.Top(), "docs/guest-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	for line := range strings.Lines(run{}.holds(t, "list-calls")) {
		if _, list, found := strings.Cut(strings.TrimSpace(line), ": "); !found || !strings.Contains(page, list) {
			t.Errorf("docs/guest-rules.md does not have %q", line)
		}
	}
}

// holds: G-10
func TestG10NoThreads(t *testing.T) {
	plain(t)
	t.Parallel()
	got, text := run{}.result(t, "no-threads")
	if got != outOfMemory {
		t.Errorf("result %d", got)
	}
	wantText(t, text, "threads cannot be started: Resource temporarily unavailable")
}

// holds: G-10
func TestG10FewTasks(t *testing.T) {
	plain(t)
	root(t)
	for tasks := 1; tasks <= 20; tasks++ {
		got, text := run{}.result(t, "few-tasks", strconv.Itoa(tasks))
		if got != success && got != outOfMemory || tasks < 8 && got == success || tasks > 16 && got != success {
			t.Errorf("%d tasks: result %d", tasks, got)
		}
		if got == outOfMemory {
			wantText(t, text, "threads cannot be started")
		}
	}
}

// holds: G-10
func TestG10AllThreadsAreMadeAtOpening(t *testing.T) {
	plain(t)
	t.Parallel()
	run{}.holds(t, "no-threads-later")
	run{}.holds(t, "crowd")
	run{}.holds(t, "core-crowd", coreFile(t))
}

// holds: G-10
func TestG10Descriptors(t *testing.T) {
	t.Parallel()
	both(t, "descriptors-same")
	both(t, "descriptors-same", "closed")
}

// holds: G-10
func TestG10DescriptorsThatAreClosed(t *testing.T) {
	plain(t) // a sanitizer may have one of its own
	t.Parallel()
	both(t, "close-everything")
}

// holds: G-10
func TestG10NoProc(t *testing.T) {
	root(t)
	t.Parallel()
	e := run{}.start(t, "no-proc")
	if e.state.ExitCode() != 0 || strings.Join(strings.Fields(e.stdout), " ") != "0 -3" {
		t.Errorf("%v, %q\n%s", e.state, e.stdout, e.stderr)
	}
	wantText(t, e.stderr, "a forked process opens it by way of /proc, which is not there")
	noGoTrace(t, e.stderr)
}

// holds: G-10
func TestG10NoExecPermission(t *testing.T) {
	root(t)
	t.Parallel()
	folder := resolved(t)
	loader := copyFile(t, world.Library(), filepath.Join(folder, "libvulkan.so.1"))
	core := copyFile(t, coreFile(t), filepath.Join(folder, filepath.Base(coreFile(t))))
	got, text := run{loader: loader}.result(t, "no-exec", folder)
	if got != notInitialised {
		t.Errorf("result %d", got)
	}
	wantText(t, text, "The Vulkan loader's core cannot be used: "+core+": failed to map segment")
}

// holds: G-10
func TestG10ThreadLocalStorage(t *testing.T) {
	plain(t)
	t.Parallel()
	large := compile(t, "guest-large", "-rdynamic", "-DLARGE", "program/*.c")
	run{program: large}.holds(t, "large-tls")
	words := []string{"no-tls"}
	for size := 2048; size >= 1; size /= 2 {
		for _, again := range []string{"a", "b"} {
			words = append(words, compile(t, fmt.Sprintf("hog%d%s.so", size, again), "-shared", "-fPIC",
				fmt.Sprintf("-DSIZE=%d", size), "library/hog.c"))
		}
	}
	got, text := run{}.result(t, words...)
	if got != notInitialised {
		t.Errorf("result %d", got)
	}
	wantText(t, text, "cannot allocate memory in static TLS block")
}
