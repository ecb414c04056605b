package cli

import (
	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
)

// subject is what --app and --elevated name.
func (s *invocation) subject(app string, elevated bool, pid int) (*subject, error) {
	if pid != 0 {
		return nil, exit.Unable("--pid: Windows does not show the variables of a process to others; \"vkloader ps\" shows what processes have loaded")
	}
	source, err := s.source(app, elevated)
	if err != nil {
		return nil, err
	}
	return &subject{source: source}, nil
}

// completeProcesses gives none: no option takes a process here.
func completeProcesses(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}
