package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// subject is the program that is looked at: one that would be started, or one that runs.
type subject struct {
	source  *machine.Source
	process *process.Process // nil: none that runs
	plugin  string           // a library that it opens later; "": none
}

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
		return nil, errors.New("--pid has the process's own " + partsOfProcess + ": not with --app, --elevated or --root")
	}
	p, err := process.Here.Look(pid)
	if err != nil {
		return nil, notLooked(err)
	}
	source := sourceFor(p)
	if err := s.change(&source.Machine); err != nil {
		return nil, err
	}
	if !source.Foreign() {
		source.Added, source.Without = s.added, s.without
	}
	return &subject{source: served(source), process: p}, nil
}

// sourceFor is the machine as a process sees it.
func sourceFor(p *process.Process) *machine.Source {
	return &machine.Source{Machine: p.Machine, Elevated: p.Elevated, AsUser: onWindows && !p.Elevated, Class: p.Class, Program: p.Program}
}

// mapped is the loader that a process has loaded; nil: none.
func (a *subject) mapped() *loaders.Loader {
	if mapped := a.process.Loaders(); len(mapped) > 0 {
		return loaderAt(a.source, mapped[0].Path)
	}
	return nil
}

// completeProcesses gives the processes that have a loader.
func completeProcesses(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	found, _, _ := process.Here.List()
	return term.Words(found, func(p *process.Process) string { return fmt.Sprintf("%d\t%s", p.PID, p.Name) }), cobra.ShellCompDirectiveNoFileComp
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
	cmd.Flags().StringVar(plugin, "plugin", "", "also consider `FILE`, a library that the program opens at run time, such as libggml-vulkan.so")
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

// decideFor makes what is asked about a program be decided as its loader does, and gives that loader: the one that a process has
// mapped, or the one that the dynamic linker finds.
func decideFor(about *subject) *loaders.Loader {
	if about.process != nil {
		if l := about.mapped(); l != nil {
			l.On(about.source)
			return l
		}
	}
	return loaders.Decide(about.source, about.plugin)
}

// staticOf tells whether the program is statically linked. A process that has mapped a loader has one.
func staticOf(about *subject) loaders.Static {
	if about.process != nil && about.mapped() != nil {
		return loaders.NotStatic
	}
	return loaders.StaticOf(loaders.Linker(about.source, about.plugin))
}

// loaderFile is the file of the loader that a program gets, for which its source then decides; "": this project's, or none.
func loaderFile(source *machine.Source) string {
	if l := loaders.Decide(source, ""); l != nil && !l.Ours() {
		return l.File
	}
	return ""
}

// printLoader says which loader it is decided for, where that is not this project's.
func printLoader(s *invocation, l *loaders.Loader, program string) {
	if l != nil && !l.Ours() {
		term.StyleFor(s.out, s.getenv).Lines(s.out, "", nil, term.OneLine(loaders.Line(l, program))+".")
	}
}

// ignoredSettings says, for each of some programs, that its loader ignores the settings file or these fields of it; "" is a
// program that is started without more. Nothing is said of programs whose loader obeys, or has none that is known.
func ignoredSettings(s *invocation, programs, fields []string) (list []string) {
	if len(programs) == 0 {
		programs = []string{""}
	}
	for _, program := range programs {
		source, err := s.source(program, false)
		if err != nil {
			continue
		}
		l := loaders.For(source, loaders.Linker(source, ""), nil)
		if l == nil || len(l.Ignored(append([]string{loaders.SettingsFile}, fields...))) == 0 {
			continue
		}
		if said := l.NotInForce(program); !slices.Contains(list, said) {
			list = append(list, said)
		}
	}
	return list
}

// warnIgnored says so of what was written into a settings file.
func warnIgnored(s *invocation, programs []string, content map[string]any) {
	text, _ := json.Marshal(content) // what cannot be written was not written
	for _, said := range ignoredSettings(s, programs, loaders.FieldsIn(string(text))) {
		fmt.Fprintf(s.messages(), "vkloader: warning: this is %s\n", said)
	}
}
