package discover

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/workers"
)

// The inotify events of a watch. Writing to a device node is none of them.
const (
	inNodes = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_ATTRIB | unix.IN_DELETE | unix.IN_ONLYDIR
	inFiles = inNodes | unix.IN_CLOSE_WRITE
)

// watcher reports changes in directories and the kernel's events about devices, as far as the system allows.
type watcher struct {
	events  chan struct{}
	inotify int // -1: none
	sources []*os.File
	wait    workers.Group
}

// watch begins with the directories of device nodes.
func watch() *watcher {
	w := &watcher{events: make(chan struct{}, 1), inotify: -1}
	if fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK); err == nil {
		w.inotify = fd
		w.sources = append(w.sources, os.NewFile(uintptr(fd), "inotify"))
	}
	if fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT); err == nil {
		if unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 1}) == nil {
			w.sources = append(w.sources, os.NewFile(uintptr(fd), "netlink"))
		} else {
			unix.Close(fd)
		}
	}
	for _, source := range w.sources {
		w.wait.Go(func() { w.read(source) })
	}
	return w
}

// add watches directories, and /dev and /dev/dri. It skips a missing directory: the directory's creation is an event of its
// parent, and the next call watches it.
func (w *watcher) add(directories []string) {
	if w.inotify < 0 {
		return
	}
	for _, directory := range []string{"/dev", "/dev/dri"} {
		_, _ = unix.InotifyAddWatch(w.inotify, directory, inNodes)
	}
	for _, directory := range directories {
		_, _ = unix.InotifyAddWatch(w.inotify, directory, inFiles)
	}
}

// read reports each event of a source until the source is closed.
func (w *watcher) read(source *os.File) {
	buffer := make([]byte, 64<<10)
	for {
		if _, err := source.Read(buffer); err != nil && !errors.Is(err, unix.ENOBUFS) { // lost events count as an event
			return
		}
		select {
		case w.events <- struct{}{}:
		default:
		}
	}
}

func (w *watcher) stop() {
	for _, source := range w.sources {
		source.Close()
	}
	w.wait.Wait()
}
