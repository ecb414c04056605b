package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/descriptor"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/run"
)

// libraryPath is the variable that gives a program the tool's own loader.
const libraryPath = "LD_LIBRARY_PATH"

// bring returns the place of the tool's own loader.
func bring(s *invocation) (probe.Companions, error) {
	brought, err := probe.Find(s.executable, "")
	return brought, examineError(err)
}

// unfit returns warnings about variables that the program does not see, about loaders that it opens in place of
// library, and about the lack of drivers for it.
func unfit(source *machine.Source, program, library string) (warnings []string) {
	if static := loaders.StaticOf(loaders.Linker(source)); !static.Gets() {
		warnings = append(warnings, static.Line(program))
	}
	if l := loaders.For(source, loaders.Linker(source), nil); l != nil && l.Inside {
		warnings = append(warnings, loaders.Line(l, program))
	} else if other := run.OtherLoader(source, library); other != "" && !source.Foreign() {
		warnings = append(warnings, other)
	}
	if !source.Foreign() {
		warnings = append(warnings, run.Unfit(source.Program)...)
	}
	if source.Class != 32 {
		return warnings
	}
	report, err := doctor.Examine(source, doctor.Options{})
	if err != nil {
		return warnings
	}
	for _, f := range report.Findings {
		if f.Code == doctor.NoDriver {
			cause := report.CauseOf(&f)
			warnings = append(warnings, f.What+". "+cause.Do)
		}
	}
	return warnings
}

// commandLine returns a shell line that starts the program with the variables.
func commandLine(changes []explain.Change, args []string, _ shell.Line) shell.Line {
	words := []string{"env"}
	for _, c := range changes {
		if !c.Set {
			words = append(words, "-u", c.Variable)
		}
	}
	for _, c := range changes {
		if c.Set {
			words = append(words, c.Variable+"="+c.Value)
		}
	}
	return shell.Words(append(words, args...)...)
}

// watchProgram runs a program whose standard error passes through a splitter. end ends the tool as the program ended.
// stamps requests exact times of lines.
func watchProgram(s *invocation, program *run.Program, to *run.Splitter, stamps bool,
	log *os.File) (end func(probe.Companions) error, err error) {
	status, left, err := program.Watch(to, stamps)
	if left != nil {
		leave(s, left, log)
	}
	return func(brought probe.Companions) error {
		if status.Signaled() {
			n := int(status.Signal())
			_ = spawn.New(context.Background(), spawn.Tool, brought.Child, "die", strconv.Itoa(n)).Replace()
			return exit.With(128 + n)
		}
		return exit.With(status.ExitStatus())
	}, err
}

// leave starts another process of the tool that keeps reading the standard error of the program's remaining processes.
// It passes the log as a descriptor, because another process may have replaced the file at the log's path.
func leave(s *invocation, from, log *os.File) {
	defer from.Close()
	args := []string{"follow"}
	if log != nil {
		args = append(args, "log")
	}
	err := descriptor.Use(from, func(fd int) error {
		cmd := spawn.New(context.Background(), spawn.Tool, s.executable, args...)
		cmd.Env = s.environ
		cmd.Stderr = os.Stderr
		cmd.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "standard error")}
		if log != nil {
			cmd.ExtraFiles = append(cmd.ExtraFiles, log)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Start()
	})
	if err != nil {
		s.say("warning: processes that the program left running have lost their standard error: %s", err)
	}
}

// newFollow returns the command that leave starts. Descriptor 3 is the standard error of the remaining processes, and
// descriptor 4 the log, if any.
func newFollow(s *invocation) *cobra.Command {
	return &cobra.Command{Use: "follow [log]", Hidden: true, Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var log io.Writer = io.Discard
			if len(args) > 0 {
				log = os.NewFile(4, "log")
			}
			return run.Follow(os.NewFile(3, "standard error"),
				&run.Splitter{Rest: s.errOut, Line: func(line string, _ time.Time) {
					fmt.Fprintln(log, line)
				}})
		}}
}

// isSystemFile reports whether a file belongs to the C library, in which programs crash with abort(3).
func isSystemFile(file string) bool {
	base := filepath.Base(file)
	return strings.HasPrefix(base, "libc.") || strings.HasPrefix(base, "libc-") || strings.HasPrefix(base, "ld-")
}
