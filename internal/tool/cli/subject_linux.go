package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"vkloader/internal/core/plan"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
)

// kernel is where processes are looked at.
var kernel = process.Kernel{Proc: "/proc"}

// subject is what --app, --elevated and --pid name. Of a process it is the root, the environment, the executable, the
// rights and the word size.
func (s *invocation) subject(app string, elevated bool, pid int) (*subject, error) {
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
	source := &machine.Source{Machine: m, Elevated: p.Elevated, Class: p.Class, Program: p.Program}
	if !m.Foreign() {
		source.Added = s.added
		source.Without = append(source.Without, s.without...)
	}
	return &subject{source: served(source), process: p}, nil
}

// differences are those between what a process has mapped and what it would load now.
func (a *subject) differences(answer *plan.Answer) []process.Difference {
	return a.process.Differences(answer)
}

// mapped is the loader that a process has mapped; nil: none.
func (a *subject) mapped() *loaders.Loader {
	if mapped := a.process.Loaders(); len(mapped) > 0 {
		return loaders.Identify(&a.source.Machine, mapped[0].Path)
	}
	return nil
}

// completeProcesses gives the processes that have a loader.
func completeProcesses(*cobra.Command, []string, string) (list []string, _ cobra.ShellCompDirective) {
	found, _, _ := kernel.List()
	for _, p := range found {
		list = append(list, fmt.Sprintf("%d\t%s", p.PID, p.Name))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
