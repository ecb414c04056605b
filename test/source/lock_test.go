package source

import (
	"debug/elf"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Functions that the library calls with the lock, or may: they neither wait nor call back, and take no lock of the C library's.
// What ends the process or the call (abort, longjmp) does not come back.
const harmless = ` __errno_location _setjmp longjmp abort memchr memcmp memcpy memmove memset
	strchr strcmp strcspn strlen strspn strncmp strncpy strnlen strrchr strstr strtoll strtoull snprintf vsnprintf __isoc99_sscanf __isoc23_sscanf __isoc23_strtoll __isoc23_strtoull
	clock_gettime getauxval getegid geteuid getpid getresgid getresuid sched_yield syscall sysconf
	pthread_mutex_clocklock pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_self
	pthread_getcpuclockid pthread_getspecific pthread_setspecific pthread_key_delete
	pthread_setcancelstate stderr `

// Every function that the library calls is checked in the builds with sanitizers (test/lib/lock_check.h), or is known
// as harmless.
//
// holds: THR-012
func TestLockCheckIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../test/lib/lock_check.h")
	if err != nil {
		t.Fatal(err)
	}
	checked := []string{"__register_atfork"} // of pthread_atfork
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+)\(\.\.\.\) \(lock_wanted\(false\), (\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		if m[1] != m[2] {
			t.Errorf("%s calls %s", m[1], m[2])
		}
		checked = append(checked, m[1])
	}
	f, err := elf.Open(world.Build() + "/libvulkan.so.1")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	called, err := f.ImportedSymbols()
	if err != nil || len(called) < 40 {
		t.Fatalf("%d functions are called: %v", len(called), err)
	}
	for _, s := range called {
		known := slices.Contains(strings.Fields(harmless), s.Name)
		if checked := slices.Contains(checked, s.Name); checked == known && !strings.HasPrefix(s.Name, "__cxa_finalize") {
			t.Errorf("%s: checked %v, harmless %v", s.Name, checked, known)
		}
	}
}
