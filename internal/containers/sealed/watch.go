package sealed

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/descriptor"
)

// Watch reports the end of sealed files. A file ends when its last descriptor, also one of O_PATH, and its last mapping
// are closed. Watch uses inotify(7), because a lease ignores descriptors of O_PATH. The zero Watch is ready for use.
type Watch struct {
	events *os.File // nil before the first Add
}

// Add watches a file and returns its number. Ended returns this number after the end of the file.
func (w *Watch) Add(f *os.File) (number int, err error) {
	if w.events == nil {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return 0, fmt.Errorf("inotify_init: %w", err)
		}
		w.events = os.NewFile(uintptr(fd), "inotify")
	}
	err = descriptor.Use(f, func(fd int) (err error) {
		number, err = unix.InotifyAddWatch(int(w.events.Fd()), fmt.Sprintf("/proc/self/fd/%d", fd),
			unix.IN_DELETE_SELF)
		return err
	})
	return number, err
}

// Ended returns the numbers of the files that ended since the last call. It does not wait.
func (w *Watch) Ended(watched func() []int) (ended []int, err error) {
	if w.events == nil {
		return nil, nil
	}
	fd := int(w.events.Fd())
	for {
		unread, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		if err != nil || unread == 0 {
			return ended, err
		}
		events := make([]byte, unread)
		n, err := unix.Read(fd, events)
		if err != nil {
			return ended, fmt.Errorf("inotify: %w", err)
		}
		for events = events[:n]; len(events) >= unix.SizeofInotifyEvent; {
			number := int(int32(binary.NativeEndian.Uint32(events)))
			switch mask := binary.NativeEndian.Uint32(events[4:]); {
			case mask&unix.IN_IGNORED != 0:
				ended = append(ended, number)
			case mask&unix.IN_Q_OVERFLOW != 0:
				lost, err := w.missingWatches(watched())
				if err != nil {
					return ended, err
				}
				ended = append(ended, lost...)
			}
			events = events[unix.SizeofInotifyEvent+binary.NativeEndian.Uint32(events[12:]):]
		}
	}
}

// missingWatches returns the files that the kernel no longer watches, after an overflow of the event queue.
func (w *Watch) missingWatches(watched []int) (ended []int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", w.events.Fd()))
	if err != nil {
		return nil, err
	}
	alive := map[int]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "inotify wd:"); ok {
			digits, _, _ := strings.Cut(rest, " ")
			if number, err := strconv.ParseInt(digits, 16, 32); err == nil {
				alive[int(number)] = true
			}
		}
	}
	for _, number := range watched {
		if !alive[number] {
			ended = append(ended, number)
		}
	}
	return ended, nil
}

// Close ends the watch.
func (w *Watch) Close() error {
	if w.events == nil {
		return nil
	}
	return w.events.Close()
}
