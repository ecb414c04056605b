package border

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/spawn"
)

// patience is how long the helper may take for one file.
const patience = 10 * time.Second

// ask has the helper open files. The helper is a process of this user in a new user and mount namespace, where it may
// make mounts; it ends with the call.
func (b *Border) ask(kind Kind, files []*os.File) (opened []*os.File, err error) {
	opened = make([]*os.File, len(files))
	ours, theirs, err := pair()
	if err != nil {
		return opened, err
	}
	defer ours.Close()
	cmd := spawn.New(context.Background(), spawn.Tool, b.Helper[0], b.Helper[1:]...)
	cmd.Env, cmd.Stdin = []string{}, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return opened, fmt.Errorf("%w: a user namespace: %w", ErrUnsupported, err)
	}
	defer func() {
		ours.Close() // the end of the connection ends the helper
		_ = cmd.Wait()
	}()
	var errs []error
	for i, f := range files {
		if opened[i], err = exchange(ours, kind, f); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w: %w", f.Name(), ErrUnsupported, err))
		}
		if errors.Is(err, errHelper) {
			_ = cmd.Process.Kill()
			break
		}
	}
	return opened, errors.Join(errs...)
}

// errHelper is the error of a helper that does not answer.
var errHelper = errors.New("the helper does not answer")

// exchange has the helper open one file.
func exchange(c *protocol.Conn, kind Kind, f *os.File) (*os.File, error) {
	if err := c.Send([]byte{byte(kind)}, patience, f); err != nil {
		return nil, fmt.Errorf("%w: %w", errHelper, err)
	}
	said, files, err := c.ReceiveWithin(patience)
	if err != nil || len(said) == 0 && len(files) == 0 {
		return nil, fmt.Errorf("%w: %w", errHelper, errors.Join(err))
	}
	if len(files) != 1 {
		protocol.Discard(files)
		return nil, errors.New(string(said))
	}
	return files[0], nil
}

// pair makes two connected sockets; the second one is for the helper.
func pair() (*protocol.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "helper")
	ours, err := connection(os.NewFile(uintptr(fds[0]), "service"))
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// connection returns a connection on a socket's file.
func connection(f *os.File) (*protocol.Conn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	socket, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, fmt.Errorf("%s is no Unix socket", f.Name())
	}
	return protocol.On(socket), nil
}

// Help opens files for the process at the other end of standard input, until that process closes it. It returns the
// exit code.
func Help() int {
	c, err := connection(os.Stdin)
	if err != nil {
		return 1
	}
	defer c.Close()
	for {
		said, files, err := c.Receive()
		if err != nil || len(said) != 1 || len(files) != 1 {
			protocol.Discard(files)
			return 0
		}
		again, err := help(Kind(said[0]), files[0])
		protocol.Discard(files)
		if err != nil {
			err = c.Send([]byte(err.Error()), patience)
		} else {
			err = c.Send([]byte("ok"), patience, again)
			again.Close()
		}
		if err != nil {
			return 1
		}
	}
}

// help opens one file. Unless it copies the file, it opens it by its path first, because this mount namespace cannot
// clone the other one's mounts.
func help(kind Kind, f *os.File) (*os.File, error) {
	if kind == Copy {
		return open(kind, f)
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return nil, err
	}
	here, err := os.OpenFile(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer here.Close()
	wanted, err := f.Stat()
	found, wrong := here.Stat()
	if err := errors.Join(err, wrong); err != nil {
		return nil, err
	}
	if !os.SameFile(wanted, found) {
		return nil, fmt.Errorf("another file is at %s now", strings.ToValidUTF8(path, "?"))
	}
	return open(kind, here)
}
