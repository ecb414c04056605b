package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The test program is its own guard, as the tool is.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "guard" {
		os.Exit(guard(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// guarded runs a shell script under the guard; it returns the exit code and the process that the script has left behind.
func guarded(t *testing.T, limit, script string) (code int, gone bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(t.TempDir(), "pid")
	cmd := exec.Command(self, "guard", limit, "/bin/sh", "-c", script, "sh", note)
	cmd.Run()
	text, err := os.ReadFile(note)
	if err != nil || len(text) == 0 { // it was ended before it had written that
		return cmd.ProcessState.ExitCode(), true
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), syscall.Kill(pid, 0) == syscall.ESRCH
}

func TestGuard(t *testing.T) {
	t.Parallel()
	orphan := `setsid sleep 1000 & echo $! > "$1"; `
	for _, c := range []struct {
		limit, script string
		want          int
	}{
		{"1m", orphan + "exit 3", 3},
		{"1ms", orphan + "sleep 1000", exitLate},
	} {
		if code, gone := guarded(t, c.limit, c.script); code != c.want || !gone {
			t.Errorf("%v: code %d, what is left behind is gone: %v", c, code, gone)
		}
	}
}
