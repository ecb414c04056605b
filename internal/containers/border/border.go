package border

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/descriptor"
)

// Kind is a kind of file.
type Kind byte

// Kinds of files.
const (
	Library   Kind = 'l' // for reading and execution
	Directory Kind = 'd' // for reading
	Device    Kind = 'v' // for reading and writing
	Copy      Kind = 'c' // the bytes of a library, in a new file system of memory
)

// ErrUnsupported is the error where this process can make no read-only mounts.
var ErrUnsupported = protocol.Refuse(protocol.ErrUnsupported,
	errors.New("no read-only mount can be made for it"))

// Held is a file that the service keeps for its clients.
type Held struct {
	*os.File
	Shared  bool   // all clients may get the descriptor, because no process can change the file through it
	Backing string // of a shared file: Clone or Memory
}

// Backings of a library, as clients learn them.
const (
	Clone  = "file"   // the machine's own file, on a read-only mount
	Memory = "memory" // a copy in a read-only file system
	Sealed = "memfd"  // a sealed copy, made for one client
)

// Border opens files again. The zero value does so in this process, which then needs CAP_SYS_ADMIN.
type Border struct {
	// Helper is a command that calls Help. It runs in a new user and mount namespace where this process lacks the
	// right.
	Helper []string
}

// Open opens files of one kind again on fixed read-only mounts, and returns them in the same order. A failed file is
// nil, and the error names the reason.
func (b *Border) Open(kind Kind, files ...*os.File) ([]*os.File, error) {
	opened := make([]*os.File, len(files))
	var errs []error
	for i, f := range files {
		again, err := open(kind, f)
		if errors.Is(err, unix.EPERM) && len(b.Helper) > 0 {
			protocol.Discard(opened)
			return b.ask(kind, files)
		}
		if opened[i] = again; err != nil {
			errs = append(errs, fmt.Errorf("%s: %w: %w", f.Name(), ErrUnsupported, err))
		}
	}
	return opened, errors.Join(errs...)
}

// open opens one file again in this process.
func open(kind Kind, f *os.File) (again *os.File, err error) {
	err = descriptor.Use(f, func(fd int) (err error) {
		if kind == Copy {
			again, err = copyFile(f.Name(), fd)
		} else {
			again, err = cloneMount(f.Name(), fd, kind)
		}
		return err
	})
	return again, err
}

// cloneMount opens a file through a clone of its mount that has only this file or directory, and only reads.
//
// Once its own descriptor is closed, the clone belongs to no mount namespace. Before that, a process that gets a
// descriptor on it and has CAP_SYS_ADMIN in a user namespace could make it writable (mount_setattr) or mount it
// (move_mount). The clone's root has no parent, so ".." stays there.
func cloneMount(name string, fd int, kind Kind) (*os.File, error) {
	mount, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return nil, os.NewSyscallError("open_tree", err)
	}
	defer unix.Close(mount)
	attributes, flags := uint64(unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID), unix.O_RDONLY
	switch kind {
	case Directory:
		attributes, flags = attributes|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC, unix.O_RDONLY|unix.O_DIRECTORY
	case Device:
		attributes, flags = attributes|unix.MOUNT_ATTR_NOEXEC, unix.O_RDWR|unix.O_NOCTTY
	default:
		attributes |= unix.MOUNT_ATTR_NODEV
	}
	if err := unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: attributes}); err != nil {
		return nil, os.NewSyscallError("mount_setattr", err)
	}
	root, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", mount), flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	return os.NewFile(uintptr(root), name), nil
}

// copyFile copies a file into a new file system of memory that contains nothing else, and makes that read-only. The
// file system is in no mount namespace, like a clone.
func copyFile(name string, from int) (*os.File, error) {
	context, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("fsopen", err)
	}
	defer unix.Close(context)
	if err := unix.FsconfigCreate(context); err != nil {
		return nil, os.NewSyscallError("fsconfig", err)
	}
	mount, err := unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return nil, os.NewSyscallError("fsmount", err)
	}
	defer unix.Close(mount)
	if err := fill(mount, from); err != nil {
		return nil, err
	}
	if err := unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH,
		&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return nil, os.NewSyscallError("mount_setattr", err)
	}
	fd, err := unix.Openat(mount, entry, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// entry is the name of the one file in a file system of memory.
const entry = "library"

// fill writes the bytes of a file into a new file system, and closes the new file.
func fill(mount, from int) error {
	fd, err := unix.Openat(mount, entry, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return os.NewSyscallError("open", err)
	}
	to := os.NewFile(uintptr(fd), entry)
	_, err = io.Copy(to, io.NewSectionReader(reader(from), 0, 1<<62))
	return errors.Join(err, to.Chmod(0o444), to.Close())
}

// reader reads from a descriptor at an offset, and does not change its position.
type reader int

// ReadAt implements io.ReaderAt.
func (r reader) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		more, err := unix.Pread(int(r), p[n:], at+int64(n))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return n, err
		case more == 0:
			return n, io.EOF
		}
		n += max(more, 0)
	}
	return n, nil
}
