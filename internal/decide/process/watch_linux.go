package process

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Watch waits for programs that start or end. It does nothing while it waits.
type Watch struct {
	inotify int
	ended   [2]int // a pipe; its writing end is closed with the context
}

// withoutEvents is the time between two checks where the system does not report the end of a program.
const withoutEvents = 2 * time.Second

// settle is the time after an event in which a program opens further files, and the least time between two events.
const settle = time.Second

// NewWatch watches files, and directories with their files, for programs that open one. The end of the context ends
// every Wait.
func NewWatch(ctx context.Context, paths []string) (*Watch, error) {
	w := &Watch{}
	var err error
	if w.inotify, err = unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK); err != nil {
		return nil, err
	}
	if err := unix.Pipe2(w.ended[:], unix.O_CLOEXEC); err != nil {
		unix.Close(w.inotify)
		return nil, err
	}
	for _, path := range paths { // nobody opens a missing file
		_, _ = unix.InotifyAddWatch(w.inotify, path, unix.IN_OPEN|unix.IN_CREATE|unix.IN_MOVED_TO)
	}
	context.AfterFunc(ctx, func() { unix.Close(w.ended[1]) })
	return w, nil
}

// Wait returns true after the end of a process, after one of its mapped files was replaced, or after a program has
// opened a watched file. It returns false after a time, unless the time is negative, and after the end of the context.
func (w *Watch) Wait(processes []*Process, limit time.Duration) bool {
	files := []unix.PollFd{{Fd: int32(w.ended[0])}, {Fd: int32(w.inotify), Events: unix.POLLIN}}
	for _, p := range processes {
		for _, m := range p.Mapped {
			_, _ = unix.InotifyAddWatch(w.inotify, m.Path, unix.IN_MASK_ADD|unix.IN_ATTRIB|unix.IN_MOVE_SELF)
		}
		switch fd, err := unix.PidfdOpen(p.PID, 0); {
		case errors.Is(err, unix.ESRCH):
			return true
		case err == nil:
			defer unix.Close(fd)
			files = append(files, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		case limit < 0: // Linux before 5.3
			limit = withoutEvents
		}
	}
	timeout := -1
	if limit >= 0 {
		timeout = int(limit.Milliseconds())
	}
	n, err := unix.Poll(files, timeout)
	if n == 0 || err != nil && !errors.Is(err, unix.EINTR) || files[0].Revents != 0 {
		return false
	}
	_, _ = unix.Poll(files[:1], int(settle.Milliseconds()))
	for buffer := [4096]byte{}; ; {
		if n, err := unix.Read(w.inotify, buffer[:]); n <= 0 || err != nil {
			return true
		}
	}
}

// Close releases the watch after the end of its context.
func (w *Watch) Close() {
	unix.Close(w.inotify)
	unix.Close(w.ended[0])
}
