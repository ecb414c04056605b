package cli

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// listens watches standard input. It calls end after a hang-up of the terminal or the close of a pipe, and sends a
// value to again for each line. It returns false for a standard input without another end, such as /dev/null.
func listens(end func(), again chan<- struct{}) bool {
	var info unix.Stat_t
	if unix.Fstat(0, &info) != nil {
		return false
	}
	terminal := term.IsTerminal(os.Stdin)
	if kind := info.Mode & unix.S_IFMT; !terminal && kind != unix.S_IFIFO && kind != unix.S_IFSOCK {
		return false
	}
	go func() {
		for hears(terminal, again) {
		}
		end()
	}()
	return true
}

// backgroundPause is the interval at which a background process checks its terminal. Reading from it would stop the
// process.
const backgroundPause = time.Second

// hears waits for a line or the end of standard input, and returns false at the end.
func hears(terminal bool, again chan<- struct{}) bool {
	files := []unix.PollFd{{Fd: 0, Events: unix.POLLIN | unix.POLLRDHUP}}
	_, err := unix.Poll(files, -1)
	switch events := files[0].Revents; {
	case errors.Is(err, unix.EINTR):
		return true
	case err != nil || events&(unix.POLLNVAL|unix.POLLERR) != 0 || events&unix.POLLIN == 0:
		return false
	case terminal && !run.InForeground():
		if events&(unix.POLLHUP|unix.POLLRDHUP) != 0 {
			return false
		}
		time.Sleep(backgroundPause)
		return true
	}
	var text [256]byte
	n, err := unix.Read(0, text[:])
	if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
		return true
	}
	if err != nil || n == 0 && !terminal {
		return false
	}
	if n == 0 { // Ctrl-D
		return true
	}
	if slices.Contains(text[:n], '\n') {
		select {
		case again <- struct{}{}:
		default:
		}
	}
	return true
}

// runGroup runs a child in a process group. The end of the child's context terminates the group, which then ends its
// own children; the rest is killed later. The child does not outlive this process.
func runGroup(child *spawn.Child) error {
	runtime.LockOSThread() // the parent-death signal is tied to the thread
	defer runtime.UnlockOSThread()
	child.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	return runAndWait(child)
}

// opener opens a file with the user's program for its kind.
const opener = "xdg-open"
