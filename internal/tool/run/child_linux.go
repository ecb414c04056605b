package run

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	elffile "vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/spawn"
)

// forwarded lists the signals that are passed on to the program.
var forwarded = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2,
	unix.SIGALRM, unix.SIGVTALRM, unix.SIGIO, unix.SIGPWR, unix.SIGWINCH}

// Watch runs the program as a child with its standard error split, and waits for it. left is the reader of standard
// error if processes of the program still hold the other end, and nil otherwise; the caller must keep reading from it.
//
// With stamps, the kernel gives the time of each write to about 10 µs. Standard error is then a socket, never a
// terminal, and /dev/stderr cannot be opened by name. Without stamps, the times are those of reading.
func (p *Program) Watch(s *Splitter, stamps bool) (status syscall.WaitStatus, left *os.File, err error) {
	var read, write *os.File
	if stamps {
		read, write, err = stampedChannel()
	} else {
		read, write, err = channel(os.Stderr)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("standard error of %s: %w", p.Path, err)
	}
	cmd := p.child()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, write
	// The program is killed with its watcher, because its standard error would have no reader.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}

	signals := make(chan os.Signal, 64)
	for _, s := range forwarded {
		if !signal.Ignored(s) { // a signal that is ignored, for example by nohup, stays ignored in the program
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	err = cmd.Start()
	write.Close()
	if err != nil {
		read.Close()
		return 0, nil, err
	}
	s.Before = func() { p.Opened.look(cmd.Process.Pid) }
	ended := make(chan struct{})
	go passSignals(signals, ended, cmd.Process, read)
	finished := make(chan error, 1)
	go func() { finished <- Follow(read, s) }()

	err = cmd.Wait()
	close(ended)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		read.Close()
		return 0, nil, err
	}
	status, _ = cmd.ProcessState.Sys().(syscall.WaitStatus)
	if err := read.SetReadDeadline(time.Now().Add(lastWords)); err != nil {
		return status, nil, err
	}
	if err = <-finished; errors.Is(err, os.ErrDeadlineExceeded) {
		return status, read, nil
	}
	read.Close()
	return status, nil, err
}

// passSignals passes this process's signals on. The terminal sends its signals to the whole foreground group, which
// includes the program.
func passSignals(signals <-chan os.Signal, ended <-chan struct{}, to *os.Process, channel *os.File) {
	for {
		select {
		case <-ended:
			return
		case s := <-signals:
			switch s {
			case unix.SIGWINCH:
				spawn.CopySize(channel)
			case unix.SIGINT, unix.SIGQUIT:
				if InForeground() {
					continue
				}
			}
			_ = to.Signal(s) // the process may have ended
		}
	}
}

// InForeground reports whether this process may read from the terminal, which sends its signals to the process and its
// group.
func InForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Follow splits the input until its end or a read deadline. A deadline is an error, and Follow splits the input before
// it.
func Follow(from *os.File, s *Splitter) error {
	raw, err := from.SyscallConn()
	if err != nil {
		return err
	}
	buffer := make([]byte, 1<<16)
	for {
		n, at, err := receive(raw, buffer)
		s.At = at
		if n > 0 {
			if _, err := s.Write(buffer[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, unix.EIO): // the end of a pipe or a terminal
			return s.Close()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return errors.Join(err, rest(raw, buffer, s))
		case err != nil:
			return errors.Join(err, s.Close())
		}
	}
}

// receive reads one piece and returns the time of its writing, if known.
func receive(raw syscall.RawConn, buffer []byte) (n int, at time.Time, err error) {
	var more [128]byte
	control := 0
	failed := raw.Read(func(fd uintptr) bool {
		for {
			if n, control, _, _, err = unix.Recvmsg(int(fd), buffer, more[:], 0); errors.Is(err, unix.ENOTSOCK) {
				n, err = unix.Read(int(fd), buffer)
			}
			if n == 0 && err == nil && control > 0 {
				continue // an empty piece is not the end
			}
			if !errors.Is(err, unix.EINTR) {
				return !errors.Is(err, unix.EAGAIN)
			}
		}
	})
	if err = errors.Join(err, failed); n <= 0 {
		n = 0
		if err == nil {
			err = io.EOF
		}
		return n, at, err
	}
	at = time.Now()
	messages, _ := unix.ParseSocketControlMessage(more[:control])
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= 16 {
			at = time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return n, at, nil
}

// rest splits the available input without waiting.
func rest(raw syscall.RawConn, buffer []byte, s *Splitter) (err error) {
	failed := raw.Control(func(fd uintptr) {
		for err == nil {
			n, wrong := unix.Read(int(fd), buffer)
			s.At = time.Now()
			if n <= 0 || wrong != nil {
				return
			}
			_, err = s.Write(buffer[:n])
		}
	})
	return errors.Join(failed, err)
}

// channel returns the two ends of a program's standard error: a new terminal if like is a terminal, so that the program
// sees the same kind of file as without the tool, otherwise a pipe. Only the reading end is non-blocking.
func channel(like *os.File) (read, write *os.File, err error) {
	if _, err := unix.IoctlGetTermios(int(like.Fd()), unix.TCGETS); err == nil {
		return spawn.NewTerminal(like)
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	return reader(ends[0], "pipe"), os.NewFile(uintptr(ends[1]), "pipe"), nil
}

// stampedChannel returns a pair of sockets. The kernel records the time of each write.
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
	_ = unix.Shutdown(ends[0], unix.SHUT_WR) // standard error is write-only
	return reader(ends[0], "socket"), os.NewFile(uintptr(ends[1]), "socket"), nil
}

func reader(fd int, name string) *os.File {
	_ = unix.SetNonblock(fd, true) // required for deadlines
	return os.NewFile(uintptr(fd), name)
}

// Unfit returns the reasons for which a program may not see the variables or the library.
func Unfit(program string) (warnings []string) {
	if rights := process.RightsOf(&machine.Machine{}, program); rights != "" {
		warnings = append(warnings, program+" runs with more rights than its user ("+string(rights)+
			"): it sees neither this library nor the variables")
	}
	file, err := elf.Open(program)
	if err != nil {
		return warnings // a script
	}
	defer file.Close()
	if file.Machine != elffile.Processor(machine.OwnClass) || file.Class == elf.ELFCLASS64 != (machine.OwnClass == 64) {
		return append(warnings,
			fmt.Sprintf("%s is a program for %s, %s: this library is not", program, file.Machine, file.Class))
	}
	return warnings
}
