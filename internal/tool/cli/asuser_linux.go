package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// account is a user with the IDs for the kernel.
type account struct {
	name, home string
	spawn.User
}

// accountOf looks a user up by name or number. A number without an entry gets the group of the same number and no home
// directory.
func accountOf(name string) (a account, err error) {
	entry, err := user.Lookup(name)
	number, wrong := strconv.ParseUint(name, 10, 32)
	if err != nil && wrong == nil {
		if entry, err = user.LookupId(name); err != nil {
			return account{name, "", spawn.User{UID: uint32(number), GID: uint32(number)}}, nil
		}
	}
	if err != nil {
		return a, exit.Unable("--as-user %s: there is no such user", name)
	}
	numbers := []string{entry.Uid, entry.Gid}
	groups, err := entry.GroupIds()
	if err != nil {
		return a, exit.Unable("--as-user %s: %w", name, err)
	}
	var ids []uint32
	for _, text := range append(numbers, groups...) {
		id, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return a, exit.Unable("--as-user %s: %w", name, err)
		}
		ids = append(ids, uint32(id))
	}
	return account{entry.Username, entry.HomeDir, spawn.User{UID: ids[0], GID: ids[1], Groups: ids[2:]}}, nil
}

// environ returns the variables for a process of the user: the tool's, without root's home directory and session, plus
// the user's. Package spawn removes all that neither the tool nor a driver reads.
func (a *account) environ(own []string) []string {
	list := slices.DeleteFunc(slices.Clone(own), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return strings.HasPrefix(name, "XDG_") ||
			slices.Contains([]string{variables.Home.Name(), "USER", "LOGNAME", "TMPDIR", "XAUTHORITY"}, name)
	})
	list = append(list, "USER="+a.name, "LOGNAME="+a.name)
	if a.home != "" {
		list = append(list, variables.Home.Name()+"="+a.home)
	}
	session := "/run/user/" + strconv.FormatUint(uint64(a.UID), 10)
	if info, err := os.Lstat(session); err == nil && info.IsDir() {
		if of, known := machine.NumbersOf(info); known && of.User == a.UID {
			list = append(list, variables.RuntimeDirectory.Name()+"="+session)
		}
	}
	return list
}

// ownSequences are the sequences that the tool writes to a terminal.
var ownSequences = append(slices.Clone(term.Colours), clearScreen)

// screen passes to root's terminal only the tool's own sequences: another process of the user can write to the child's
// terminal, and some sequences make a terminal type an answer.
type screen struct {
	to   io.Writer
	held []byte // the start of a sequence or character that is not complete yet
}

// Write implements io.Writer.
func (c *screen) Write(data []byte) (int, error) {
	text := append(c.held, data...)
	end := len(text)
	for at := max(0, end-max(len(clearScreen), utf8.UTFMax)+1); at < end; at++ {
		begins := func(own string) bool { return len(text)-at < len(own) && strings.HasPrefix(own, string(text[at:])) }
		if slices.ContainsFunc(ownSequences, begins) || utf8.RuneStart(text[at]) && !utf8.FullRune(text[at:]) {
			end = at
		}
	}
	c.held = bytes.Clone(text[end:])
	for i, part := range bytes.Split(text[:end], []byte(clearScreen)) {
		if i > 0 {
			if _, err := io.WriteString(c.to, clearScreen); err != nil {
				return 0, err
			}
		}
		if _, err := (term.Cleaner{To: c.to}).Write(part); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

// become runs the command line again in a process of the user of --as-user, and returns its exit code as an error. done
// is false if this process already belongs to that user. command is the name of the command.
func become(s *invocation, command string) (done bool, err error) {
	a, err := accountOf(s.ActAs)
	if err != nil {
		return true, err
	}
	if int(a.UID) == os.Geteuid() {
		if a.UID != 0 && trust.Privileged() {
			return true, exit.Unable("--as-user %s: this process keeps rights that the user does not have", s.ActAs)
		}
		return false, nil
	}
	if os.Geteuid() != 0 {
		return true, exit.Unable("--as-user %s: only root can act as another user", s.ActAs)
	}
	child := spawn.New(context.Background(), spawn.Tool, s.self, s.args...)
	child.User = &a.User
	child.Env = a.environ(s.environ)
	child.Stdout, child.Stderr = s.plain, s.errOut
	asks := slices.Contains([]string{"run", "doctor", "ui"}, command) && s.terminal && run.InForeground()
	if asks || command == "run" && !s.terminal {
		child.Stdin = os.Stdin // other commands read nothing, and leave the input to the caller of the tool
	}
	if command != "run" {
		child.Filter = func(terminal io.Writer) io.Writer { return &screen{to: terminal} }
	}
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // the parent-death signal is tied to the thread that started the child
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if err := child.Start(); err != nil {
		if trust.Alone() || errors.Is(err, syscall.EINVAL) {
			return true, exit.Unable(
				"--as-user %s: this process's user namespace does not have that user; run this outside of it", s.ActAs)
		}
		return true, exit.Unable("--as-user %s: %w", s.ActAs, err)
	}
	go func() {
		for got := range signals { // until this process ends, with the child's exit code
			_ = child.Process.Signal(got)
		}
	}()
	if err = child.Wait(); child.ProcessState == nil {
		return true, exit.Unable("--as-user %s: %w", s.ActAs, err)
	}
	return true, exit.With(exitCode(child.ProcessState))
}

// ownHomes removes another user's home directories from the variables of a root command, with a message unless it is
// quiet: the hook examines an image, and its messages appear when a container starts.
func ownHomes(s *invocation, quiet bool) {
	kept, ignored := trust.Homes(s.environ)
	s.environ = kept
	if text := trust.Warning(ignored); text != "" && !quiet {
		s.say("warning: %s", text)
	}
}
