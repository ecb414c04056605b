package machine

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// Walk follows a path part by part. It opens each part without following a link, so that no change of the path
// meanwhile leads past Meet.
type Walk struct {
	Root string                                // the directory that stands for "/"
	Meet func(fd int, info *unix.Stat_t) error // judges a part before it is reached, and a directory again after ".."
	Make func() error                          // makes a missing part; nil: a missing part is an error

	Info unix.Stat_t // of the reached part
	Part string      // the name of the next part
	at   []string    // the names of the reached part and of the directories above it, below the root
	open []int       // their descriptors, and before them the root's
}

// FD returns the descriptor of the reached part; -1: there is none.
func (w *Walk) FD() int {
	if len(w.open) == 0 {
		return -1
	}
	return w.open[len(w.open)-1]
}

// Name returns the path of the part that is opened or judged, for messages.
func (w *Walk) Name() string { return path.Join(w.Root, path.Join(w.at...), w.Part) }

// Close closes all parts.
func (w *Walk) Close() {
	for _, fd := range w.open {
		unix.Close(fd)
	}
	w.open, w.at = nil, nil
}

// Reach walks along a path to its end.
func (w *Walk) Reach(name string) error {
	if err := w.top(); err != nil {
		return err
	}
	links := 0
	for parts := strings.Split(name, "/"); len(parts) > 0; {
		w.Part, parts = parts[0], parts[1:]
		target, err := w.step()
		if err != nil {
			return err
		}
		if target != "" {
			if links++; links > maxLinks {
				return unix.ELOOP
			}
			parts = append(strings.Split(target, "/"), parts...)
		}
	}
	w.Part = ""
	return nil
}

// top makes the root the reached part.
func (w *Walk) top() error {
	w.Close()
	w.Part = ""
	fd, err := unix.Open(w.Root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	w.Info, err = w.meet(fd)
	w.open = []int{fd}
	return err
}

// step opens the next part as the reached one. If the part is a link, step returns its target; the reached part stays
// the same, or becomes the root for an absolute target.
func (w *Walk) step() (target string, err error) {
	switch w.Part {
	case "", ".":
		return "", nil
	case "..":
		w.Part = ""
		if last := len(w.open) - 1; last > 0 {
			unix.Close(w.open[last])
			w.open, w.at = w.open[:last], w.at[:last-1]
		}
		w.Info, err = w.meet(w.FD())
		return "", err
	}
	const how = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(w.FD(), w.Part, how, 0)
	if err == unix.ENOENT && w.Make != nil {
		if err = w.Make(); err == nil {
			fd, err = unix.Openat(w.FD(), w.Part, how, 0)
		}
	}
	if err != nil {
		return "", err
	}
	info, err := w.meet(fd)
	if err == nil && info.Mode&unix.S_IFMT != unix.S_IFLNK {
		w.Info, w.open, w.at = info, append(w.open, fd), append(w.at, w.Part)
		return "", nil
	}
	defer unix.Close(fd)
	if err != nil {
		return "", err
	}
	if target, err = readlinkat(fd, ""); err == nil && strings.HasPrefix(target, "/") {
		err = w.top()
	}
	return target, err
}

// meet judges an open part.
func (w *Walk) meet(fd int) (info unix.Stat_t, err error) {
	if err = unix.Fstat(fd, &info); err == nil {
		err = w.Meet(fd, &info)
	}
	return info, err
}

// mkdir makes the next part as a directory.
func (w *Walk) mkdir() error {
	if err := unix.Mkdirat(w.FD(), w.Part, 0o755); err != unix.EEXIST {
		return err
	}
	return nil
}

// directory opens the reached part, a directory, for reading. name is its path.
func (w *Walk) directory(name string) (*os.File, error) {
	fd, err := unix.Openat(w.FD(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}
