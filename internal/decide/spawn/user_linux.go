package spawn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/descriptor"
	"vkloader/internal/decide/workers"
)

// lastOutput is how long the output of a child is read after its end, if processes that it started hold the other end.
const lastOutput = time.Second

// relay copies between the files of this process and those of a child of another user, so that the child has none of
// this process's.
type relay struct {
	terminal, theirs *os.File  // the two ends of the child's terminal; nil: it has none
	out              io.Writer // receives the output of the terminal
	in               *os.File  // this process's standard input, for the child; nil: the child gets none
	to               io.WriteCloser
	copied           workers.Group
	resized          chan os.Signal
}

// become makes the child a process of its user, with pipes or a new terminal in place of files of this process, and no
// variable or directory of this process. From here on, other processes cannot inspect this process: until the child
// executes its program, it shares this process's memory and descriptors, but has the rights of the user.
func (c *Child) become() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl PR_SET_DUMPABLE: %w", err)
	}
	c.SysProcAttr.Credential = &syscall.Credential{Uid: c.User.UID, Gid: c.User.GID, Groups: c.User.Groups}
	c.WaitDelay = lastOutput
	r := &c.relay
	out, messages := own(c.Stdout), own(c.Stderr)
	like := out
	if !isTerminal(out) {
		like = messages
	}
	if isTerminal(like) { // a machine without /dev/ptmx gives the child pipes
		if ours, theirs, err := NewTerminal(like); err == nil {
			r.terminal, r.theirs, r.out = ours, theirs, like
			if c.Filter != nil {
				r.out = c.Filter(like)
			}
			_ = theirs.Chown(int(c.User.UID), -1) // so that the child may open it by its name
		}
	}
	c.Stdout, c.Stderr = r.output(c.Stdout, out), r.output(c.Stderr, messages)
	if out != nil && messages != nil && sameFile(out, messages) {
		c.Stderr = c.Stdout // one pipe keeps the order of the lines
	}
	r.in = own(c.Stdin)
	if r.in == nil {
		return nil
	}
	if r.theirs != nil && isTerminal(r.in) {
		c.Stdin, r.to = r.theirs, r.terminal
		return nil
	}
	c.Stdin = nil
	var err error
	r.to, err = c.StdinPipe()
	return err
}

// own returns a file of this process that the child must not get; nil: it is none.
func own(of any) *os.File {
	f, _ := of.(*os.File)
	return f
}

func isTerminal(f *os.File) bool {
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func sameFile(a, b *os.File) bool {
	one, err := a.Stat()
	other, wrong := b.Stat()
	return err == nil && wrong == nil && os.SameFile(one, other)
}

// output returns the child's file for an output: its terminal, or a writer, for which exec.Cmd makes a pipe.
func (r *relay) output(to io.Writer, file *os.File) io.Writer {
	switch {
	case r.theirs != nil && isTerminal(file):
		return r.theirs
	case file != nil:
		return struct{ io.Writer }{file}
	}
	return to
}

// begin begins to copy, if the child was started.
func (r *relay) begin(c *Child, err error) {
	if r.theirs != nil {
		r.theirs.Close()
	}
	if err != nil {
		if r.terminal != nil {
			r.terminal.Close()
		}
		return
	}
	if r.in != nil {
		go r.input()
	}
	if r.terminal == nil {
		return
	}
	r.resized = make(chan os.Signal, 1)
	signal.Notify(r.resized, unix.SIGWINCH)
	go func() {
		for range r.resized {
			CopySize(r.terminal)
			_ = c.Process.Signal(unix.SIGWINCH)
		}
	}()
	r.copied.Go(func() { _, _ = io.Copy(r.out, r.terminal) }) // EIO is the end of a terminal
}

// endOfInput is the character that ends the input of a terminal.
const endOfInput = "\x04"

// input copies the standard input of this process until its end.
func (r *relay) input() {
	_, _ = io.Copy(r.to, r.in) // the child may have ended
	if r.to == io.WriteCloser(r.terminal) {
		_, _ = io.WriteString(r.to, endOfInput)
		return
	}
	_ = r.to.Close()
}

// wait waits for the end of the terminal's output.
func (r *relay) wait() {
	if r.terminal == nil {
		return
	}
	_ = r.terminal.SetReadDeadline(time.Now().Add(lastOutput))
	r.copied.Wait()
	signal.Stop(r.resized)
	close(r.resized)
	r.terminal.Close()
}

// NewTerminal returns the two ends of a new terminal with the settings of another one, for a child that this process
// relays. Only the first end is non-blocking.
func NewTerminal(like *os.File) (ours, theirs *os.File, err error) {
	settings, err := unix.IoctlGetTermios(int(like.Fd()), unix.TCGETS)
	if err != nil {
		return nil, nil, err
	}
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("/dev/ptmx: %w", err)
	}
	slave, err := openSlave(master)
	if err == nil {
		// The real terminal processes the output itself.
		settings.Oflag &^= unix.OPOST
		settings.Lflag &^= unix.ECHO
		if err = unix.IoctlSetTermios(slave, unix.TCSETS, settings); err != nil {
			unix.Close(slave)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, unix.Close(master))
	}
	_ = unix.SetNonblock(master, true) // required for deadlines
	ours, theirs = os.NewFile(uintptr(master), "terminal"), os.NewFile(uintptr(slave), "terminal")
	CopySize(ours)
	return ours, theirs, nil
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

// CopySize sets the size of a new terminal to that of the real one.
func CopySize(to *os.File) {
	size, err := unix.IoctlGetWinsize(int(os.Stderr.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return
	}
	_ = descriptor.Use(to, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) })
}
