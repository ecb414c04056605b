package launch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// channel makes the two ends of what becomes a program's standard error: a terminal of its own where like is one, so
// that the program finds what it would find without us, else a pipe. Only the reader's end never blocks.
func channel(like *os.File) (read, write *os.File, err error) {
	settings, err := unix.IoctlGetTermios(int(like.Fd()), unix.TCGETS)
	if err == nil {
		return terminal(settings)
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	return reader(ends[0], "pipe"), os.NewFile(uintptr(ends[1]), "pipe"), nil
}

// stampedChannel is a pair of sockets: the kernel notes when each piece is written, whenever it may be read.
func stampedChannel() (read, write *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetsockoptInt(ends[0], unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		unix.Close(ends[0])
		unix.Close(ends[1])
		return nil, nil, err
	}
	_ = unix.Shutdown(ends[0], unix.SHUT_WR) // nothing can be read from standard error
	return reader(ends[0], "socket"), os.NewFile(uintptr(ends[1]), "socket"), nil
}

// terminal makes a terminal with the settings of another one.
func terminal(settings *unix.Termios) (read, write *os.File, err error) {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("/dev/ptmx: %w", err)
	}
	slave, err := openSlave(master)
	if err != nil {
		unix.Close(master)
		return nil, nil, err
	}
	// The real terminal does its own processing of what is passed on.
	settings.Oflag &^= unix.OPOST
	settings.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(slave, unix.TCSETS, settings); err != nil {
		unix.Close(master)
		unix.Close(slave)
		return nil, nil, err
	}
	read, write = reader(master, "terminal"), os.NewFile(uintptr(slave), "terminal")
	copySize(read)
	return read, write, nil
}

func reader(fd int, name string) *os.File {
	_ = unix.SetNonblock(fd, true) // for deadlines
	return os.NewFile(uintptr(fd), name)
}

func openSlave(master int) (int, error) {
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return 0, err
	}
	number, err := unix.IoctlGetUint32(master, unix.TIOCGPTN)
	if err != nil {
		return 0, err
	}
	name := fmt.Sprintf("/dev/pts/%d", number)
	slave, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return slave, nil
}

// copySize gives a terminal of ours the size of the real one.
func copySize(to *os.File) {
	size, err := unix.IoctlGetWinsize(int(os.Stderr.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return
	}
	raw, err := to.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, size) })
}
