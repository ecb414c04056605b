package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/launch"
	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
)

// watch runs the program as a child that the loader's lines are taken from, and ends as the child ended.
func (r *launched) watch(s *invocation, found probe.Place) error {
	var log io.Writer = io.Discard
	var file *os.File
	if r.log != "" {
		var err error
		if file, err = machine.Output(r.log, 0o666); err != nil {
			return exit.Unable("--log: %w", err)
		}
		defer file.Close()
		log = file
	}
	began := time.Now()
	times := loaderlog.NewTimes(began)
	var failed error
	status, left, err := r.program.Watch(&launch.Splitter{Rest: s.errOut, Line: func(line string, at time.Time) {
		times.Line(line, at)
		if _, err := fmt.Fprintln(log, line); err != nil && failed == nil {
			failed = fmt.Errorf("--log %s: %w", r.log, err)
		}
	}}, r.times)
	if left != nil {
		leave(s, left, file)
	}
	if err != nil {
		code := exit.CannotRun
		if errors.Is(err, exec.ErrNotFound) {
			code = exit.NotFound
		}
		return exit.As(code, err)
	}
	if failed != nil {
		fmt.Fprintf(s.errOut, "vkloader: %s\n", failed)
	}
	if debug := r.program.Environ; !times.Seen && (&invocation{environ: debug}).getenv(variables.Debug.Name()) == "all" {
		fmt.Fprintf(s.errOut, "vkloader: warning: %s has not loaded %s\n", r.program.Path, found.Library)
	} else if r.times {
		printTimes(s, times)
	}
	if status.Signaled() {
		n := int(status.Signal())
		_ = syscall.Exec(found.Child, []string{found.Child, "die", strconv.Itoa(n)}, nil)
		return exit.With(128 + n)
	}
	if code := status.ExitStatus(); code != 0 {
		return exit.With(code)
	}
	return nil
}

// leave starts another process of the tool that goes on reading what the program's own children write. It gets the log as
// a descriptor: by its path somebody else may have put another file there.
func leave(s *invocation, from, log *os.File) {
	defer from.Close()
	args := []string{"follow"}
	if log != nil {
		args = append(args, "log")
	}
	raw, err := from.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		cmd := exec.Command(s.executable, args...)
		cmd.Stderr = os.Stderr
		cmd.ExtraFiles = []*os.File{os.NewFile(fd, "standard error")}
		if log != nil {
			cmd.ExtraFiles = append(cmd.ExtraFiles, log)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		err = cmd.Start()
	})
	if err != nil {
		fmt.Fprintf(s.errOut, "vkloader: warning: what the program has left running has no standard error any more: %s\n", err)
	}
}

// newFollow is the process that leave starts: standard error of what a program left running is descriptor 3, and
// the log, when there is one, descriptor 4.
func newFollow(s *invocation) *cobra.Command {
	return &cobra.Command{Use: "follow [log]", Hidden: true, Args: cobra.MaximumNArgs(1), RunE: func(_ *cobra.Command, args []string) error {
		var log io.Writer = io.Discard
		if len(args) > 0 {
			log = os.NewFile(4, "log")
		}
		return launch.Follow(os.NewFile(3, "standard error"), &launch.Splitter{Rest: s.errOut, Line: func(line string, _ time.Time) {
			fmt.Fprintln(log, line)
		}})
	}}
}
