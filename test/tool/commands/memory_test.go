package commands

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// memoryFile is the variable that makes this test program run its arguments and write their memory to a file.
const memoryFile = "VKLOADER_TEST_MEMORY"

// measured runs a command, and returns its output and its largest memory in MB. Linux counts the memory of the process that starts a
// program as the program's, so a small process starts it.
func measured(t *testing.T, cmd *exec.Cmd) (out string, memory int64) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/memory"
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = self
	cmd.Env = append(cmd.Environ(), memoryFile+"="+file)
	text, _ := cmd.CombinedOutput()
	content, _ := os.ReadFile(file)
	if memory, err = strconv.ParseInt(string(content), 10, 64); err != nil {
		t.Errorf("%v: no memory was measured: %v", cmd.Args[1:], err)
	}
	return string(text), memory
}

// measure runs this process's arguments as a command, writes the command's largest memory in MB to the file, and
// returns its exit code.
func measure(file string) int {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	os.Unsetenv(memoryFile)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 126
	}
	memory := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	if err := os.WriteFile(file, strconv.AppendInt(nil, int64(memory), 10), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 126
	}
	return cmd.ProcessState.ExitCode()
}
