package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal returns the two ends of a new terminal. It skips the test on a machine that has none.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// If the tool's standard error is a terminal, so is the program's, of the same size. The tool removes the loader's lines, and passes the
// program's output on unchanged.
func TestRunKeepsTheTerminal(t *testing.T) {
	t.Parallel()
	master, slave := terminal(t)
	size := &unix.Winsize{Row: 31, Col: 77}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(filepath.Join(built, "vkloader"), "run", "--log", log, "--", "sh", "-c",
		`test -t 2 && stty size <&2; printf 'a\n[Vulkan Loader] b\nc' >&2`)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, slave
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	shown, _ := io.ReadAll(master) // ends with EIO
	if out.String() != "31 77\n" {
		t.Errorf("the program saw %q on its terminal", out.String())
	}
	if !strings.HasPrefix(string(shown), "a\r\nc") || strings.Contains(string(shown), "Vulkan Loader") {
		t.Errorf("on the terminal: %q", shown)
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "[Vulkan Loader] b\n" {
		t.Errorf("log %q, %v", text, err)
	}
}

// The tool ends with the same signal as its program, also with one that Go's runtime handles.
func TestRunEndsAsTheProgramEnded(t *testing.T) {
	t.Parallel()
	for _, option := range [][]string{nil, {"--log", os.DevNull}, {"--time"}} {
		for _, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGUSR1} {
			args := append([]string{"run"}, option...)
			args = append(args, "--", "sh", "-c", fmt.Sprintf("kill -%d $$", int(sig)))
			err := exec.Command(filepath.Join(built, "vkloader"), args...).Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != sig {
				t.Errorf("run %v: the program ended with %v, the tool with %v", option, sig, err)
			}
		}
	}
}

// A signal for the tool is passed to the program; a signal that was ignored when the tool started stays ignored.
func TestRunPassesSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal  syscall.Signal
		program string
		code    int
	}{
		{syscall.SIGTERM, `trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done`, 9},
		{syscall.SIGINT, `trap 'exit 8' INT; echo ready; while :; do sleep 0.01; done`, 8},
		{syscall.SIGUSR1, `trap 'exit 7' USR1; echo ready; while :; do sleep 0.01; done`, 7},
	} {
		for _, option := range [][]string{nil, {"--log", os.DevNull}} {
			args := append([]string{"run"}, option...)
			limited, stop := context.WithTimeout(t.Context(), time.Minute) // a program that gets no signal never ends
			defer stop()
			cmd := exec.CommandContext(limited, filepath.Join(built, "vkloader"), append(args, "--", "sh", "-c", c.program)...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal, no foreground
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			heeded(c.signal)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(out); err != nil {
				t.Fatal(err)
			}
			if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("run %v, %v: the tool ended with %v", option, c.signal, cmd.ProcessState)
			}
		}
	}
	ignored := exec.Command("sh", "-c", `trap '' HUP; exec "$0" run --log /dev/null sh -c 'kill -HUP $$; exit 6'`,
		filepath.Join(built, "vkloader"))
	if _ = ignored.Run(); ignored.ProcessState.ExitCode() != 6 {
		t.Errorf("with SIGHUP ignored: %v", ignored.ProcessState)
	}
}
