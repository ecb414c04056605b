package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/term"
)

// kernel is where processes are looked at.
var kernel = process.Kernel{Proc: "/proc"}

// subject is the program that is looked at: one that would be started, or one that runs.
type subject struct {
	source  *machine.Source
	process *process.Process // nil: none that runs
}

// subject is what --app, --elevated and --pid name. Of a process it is the root, the environment, the executable, the
// rights and the word size.
func (s *surroundings) subject(app string, elevated bool, pid int) (*subject, error) {
	if pid == 0 {
		source, err := s.source(app, elevated)
		if err != nil {
			return nil, err
		}
		return &subject{source: source}, nil
	}
	if app != "" || elevated || s.root != "" {
		return nil, errors.New("--pid has the process's own program, rights and root: not with --app, --elevated or --root")
	}
	p, err := kernel.Look(pid)
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	m := p.Machine
	if err := s.change(&m); err != nil {
		return nil, err
	}
	return &subject{served(&machine.Source{Machine: m, Elevated: p.Elevated, Class: p.Class, Program: p.Program}), p}, nil
}

// name is the program in words; app is what it was asked for by.
func (a *subject) name(app string) string {
	if a.process != nil {
		return a.process.Program
	}
	return app
}

// addPID adds the option --pid.
func addPID(cmd *cobra.Command, pid *int) {
	cmd.Flags().IntVar(pid, "pid", 0, "for the running process of this number, as it was started: its root, variables, executable, rights")
	completes(cmd, map[string]completion{"pid": completeProcesses})
}

// completeProcesses gives the processes that have a loader.
func completeProcesses(*cobra.Command, []string, string) (list []string, _ cobra.ShellCompDirective) {
	found, _, _ := kernel.List()
	for _, p := range found {
		list = append(list, fmt.Sprintf("%d\t%s", p.PID, p.Name))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// printDifferences says what a process has loaded otherwise than it would now.
func printDifferences(s *surroundings, list []process.Difference) {
	if len(list) == 0 {
		return
	}
	style := term.StyleFor(s.out, s.getenv)
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("Loaded otherwise than it would be now"))
	for _, d := range list {
		fmt.Fprintf(s.out, "    %s %s: %s\n", d.Kind, style.Heading(term.OneLine(d.Name)), term.OneLine(d.What))
		if where := term.Or(d.File, d.Manifest); where != "" {
			fmt.Fprintf(s.out, "      file %s\n", term.OneLine(where))
		}
	}
}
