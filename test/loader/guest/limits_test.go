package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// holds: G-10
func TestG10VariablesOfGo(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"GOMEMLIMIT": "garbage", "GOMAXPROCS": "999999",
		"GODEBUG": "inittrace=1,schedtrace=1,gctrace=1,asyncpreemptoff=0", "GOGC": "1", "GOTRACEBACK": "crash"} {
		if e := (run{env: map[string]string{name: value}}).start(t, "environment-same"); e.state.ExitCode() != 0 || e.stderr != "" {
			t.Errorf("%s=%s: %v, saying %q", name, value, e.state, e.stderr)
		}
	}
}

// served runs a process with a limit in kB, and reports whether everything succeeded.
func (r run) served(t *testing.T, what string, kb int) bool {
	t.Helper()
	e := r.start(t, what, strconv.Itoa(kb))
	var first, later int
	if n, _ := fmt.Sscan(e.stdout, &first, &later); n != 2 || e.state.ExitCode() != 0 {
		// The dynamic linker cannot start the program.
		if code := e.state.ExitCode(); code == 127 {
			return false
		}
		t.Fatalf("%s %d kB: %v\n%s%s", what, kb, e.state, e.stdout, e.stderr)
	}
	return first == success && later == success
}

// least returns the lowest limit, to 16 kB, with which everything succeeds. Below it, nothing may crash.
func (r run) least(t *testing.T, what string, most int) int {
	t.Helper()
	low, high := 0, most
	if !r.served(t, what, high) {
		t.Fatalf("%s: %d kB are not enough", what, high)
	}
	for high-low > 16 {
		if middle := (low + high) / 2; r.served(t, what, middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// largerFile is the size, in kB, by which this library may be larger than the distribution's: Debian 13's loader is 200 kB smaller.
const largerFile = 320

// Apart from the size of the file, a program needs no more address space, data and locked memory than with the distribution's loader.
//
// holds: G-10 G-12
func TestG10LittleRoom(t *testing.T) {
	plain(t)
	readable := readableByAll(t)
	for _, what := range []string{"address-space", "data-size", "locked-memory"} {
		t.Run(what, func(t *testing.T) {
			most := 1 << 16 // 64 MB are enough
			if what == "locked-memory" {
				root(t)
				const lockedMemory = 8
				var now syscall.Rlimit
				if err := syscall.Getrlimit(lockedMemory, &now); err == nil && now.Max < uint64(most)<<10 {
					most = int(now.Max >> 10) // not even root may raise it in some containers
				}
			}
			t.Parallel()
			own := readable.least(t, what, most)
			t.Logf("%d kB are enough", own)
			if _, err := os.Stat(world.SystemLibrary); err != nil {
				t.Skip(err)
			}
			theirs := run{loader: world.SystemLibrary, env: readable.env}.least(t, what, most)
			t.Logf("the distribution's loader: %d kB", theirs)
			if own > theirs+largerFile {
				t.Errorf("%d kB are needed, by the distribution's loader %d", own, theirs)
			}
		})
	}
	run{}.holds(t, "limit-lifted")
}

// The memory of the first use, compared with the distribution's loader.
//
// holds: G-1
func TestG1Room(t *testing.T) {
	plain(t)
	t.Parallel()
	take := func(loader string) (v [4]int) {
		text := run{loader: loader}.holds(t, "room")
		if _, err := fmt.Sscan(text, &v[0], &v[1], &v[2], &v[3]); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return v
	}
	own := take(world.Library())
	if own[3] != 1 {
		t.Errorf("%d threads", own[3])
	}
	if _, err := os.Stat(world.SystemLibrary); err != nil {
		t.Skip(err)
	}
	theirs := take(world.SystemLibrary)
	t.Logf("address space %d kB, at most %d, resident %d; the distribution's loader %d, %d, %d", own[0], own[1], own[2],
		theirs[0], theirs[1], theirs[2])
	if own[0] > theirs[0]+4096 || own[1] > theirs[1]+4096 {
		t.Errorf("address space: %d kB, at most %d; the distribution's loader %d, %d", own[0], own[1], theirs[0], theirs[1])
	}
}

// The loader makes exactly the system calls of the distribution's loader: among them none for a thread, a process, a
// signal or a signal mask.
//
// holds: G-1 G-2 G-3 G-10
func TestG10SystemCallsOfTheList(t *testing.T) {
	plain(t)
	t.Parallel()
	both(t, "allowed-calls")
	run{}.holds(t, "allowed-calls", "child")
	if e := (run{}).start(t, "allowed-calls", "less"); e.state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSYS {
		t.Errorf("without a call of the list: %v", e.state) // otherwise the filter forbids nothing
	}
	if world.Narrow() {
		return // the page names the 64-bit calls
	}
	text, err := os.ReadFile(filepath.Join(world.Top(), "docs/guest-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	if list := strings.TrimSpace(run{}.holds(t, "list-calls")); !strings.Contains(page, list) {
		t.Errorf("docs/guest-rules.md does not have %q", list)
	}
}

// holds: G-1 G-10
func TestG10NoThreads(t *testing.T) {
	plain(t)
	t.Parallel()
	if got, text := (run{}).result(t, "no-threads"); got != success {
		t.Errorf("result %d\n%s", got, text)
	}
	run{}.holds(t, "crowd")
}

// holds: G-1 G-10
func TestG10OneTask(t *testing.T) {
	plain(t)
	root(t)
	if got, text := readableByAll(t).result(t, "few-tasks", "1"); got != success {
		t.Errorf("result %d\n%s", got, text)
	}
}

// holds: G-10
func TestG10Descriptors(t *testing.T) {
	t.Parallel()
	both(t, "descriptors-same")
	both(t, "descriptors-same", "closed")
}

// holds: G-10
func TestG10FewDescriptors(t *testing.T) {
	plain(t) // a sanitizer may need another one
	t.Parallel()
	for _, c := range []struct {
		more   string
		served bool
	}{{"0", false}, {"1", true}} { // one more descriptor is enough
		if got, text := (run{}).result(t, "few-descriptors", c.more); (got == success) != c.served || got > 0 {
			t.Errorf("%s descriptors: result %d\n%s", c.more, got, text)
		}
	}
}

// holds: G-10
func TestG10DescriptorsThatAreClosed(t *testing.T) {
	plain(t) // a sanitizer may have one open
	t.Parallel()
	both(t, "close-everything")
}

// holds: G-10
func TestG10NoProc(t *testing.T) {
	root(t)
	t.Parallel()
	e := run{}.start(t, "no-proc")
	if e.state.ExitCode() != 0 || strings.Join(strings.Fields(e.stdout), " ") != "0 0 0 0" {
		t.Errorf("%v, %q\n%s", e.state, e.stdout, e.stderr)
	}
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
	if got, text := (run{}).result(t, words...); got != success {
		t.Errorf("result %d\n%s", got, text)
	}
}
