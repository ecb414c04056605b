package cli

import (
	"fmt"

	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/term"

	"github.com/spf13/cobra"
)

// subject is the program that is looked at: one that would be started, or one that runs.
type subject struct {
	source  *machine.Source
	process *process.Process // nil: none that runs
	plugin  string           // a library that it opens later; "": none
}

// name is the program in words; app is what it was asked for by.
func (a *subject) name(app string) string {
	if a.process != nil {
		return a.process.Program
	}
	return app
}

// addPlugin adds the option --plugin.
func addPlugin(cmd *cobra.Command, plugin *string) {
	cmd.Flags().StringVar(plugin, "plugin", "", "with this library, which the program opens later: `FILE`, such as libggml-vulkan.so")
}

// opens makes a library one that the program opens later. Without a program it says the word size.
func (a *subject) opens(plugin string) error {
	if plugin == "" {
		return nil
	}
	m := &a.source.Machine
	info, err := m.Stat(plugin)
	if err != nil {
		return exit.Unable("--plugin: %w", err)
	}
	if !info.Mode().IsRegular() {
		return exit.Unable("--plugin %s: not a library", plugin)
	}
	if a.plugin, err = m.Real(plugin); err != nil {
		return exit.Unable("--plugin: %w", err)
	}
	if a.source.Program == "" && a.source.Class == 0 {
		a.source.Class = binary.ProgramOf(m, a.plugin).Class
	}
	return nil
}

// addPID adds the option --pid.
func addPID(cmd *cobra.Command, pid *int) {
	cmd.Flags().IntVar(pid, "pid", 0, "for the running process with this number: its root, initial variables, executable and rights")
	completes(cmd, map[string]completion{"pid": completeProcesses})
}

// printDifferences says what a process has loaded otherwise than it would now.
func printDifferences(s *invocation, list []process.Difference) {
	if len(list) == 0 {
		return
	}
	style := term.StyleFor(s.out, s.getenv)
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("What is loaded, and would be different now"))
	for _, d := range list {
		fmt.Fprintf(s.out, "    %s %s: %s\n", d.Kind, style.Heading(term.OneLine(d.Name)), term.OneLine(d.What))
		if where := term.Or(d.File, d.Manifest); where != "" {
			fmt.Fprintf(s.out, "      file %s\n", term.OneLine(where))
		}
	}
}
