package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// subject is the examined program, running or not.
type subject struct {
	source  *machine.Source
	process *process.Process // nil: not running
}

// subject returns the program of --app, --elevated and --pid. A process gives the root, environment, executable, rights
// and word size.
func (s *invocation) subject(app string, elevated bool, pid int) (*subject, error) {
	if pid == 0 && !elevated && s.Root == "" && isFlatpak(s, app) {
		if pid = flatpakProcess(app); pid == 0 {
			return nil, exit.Unable(
				"--app: no process of the Flatpak %s with a Vulkan loader runs: its drivers are those of its sandbox. Start it, and try again", app)
		}
		app = ""
	}
	if pid == 0 {
		app, err := s.inside(app)
		if err != nil {
			return nil, err
		}
		source, err := s.source(app, elevated)
		if err != nil {
			return nil, err
		}
		return &subject{source: source}, nil
	}
	if app != "" || elevated || s.Root != "" {
		return nil, errors.New("--pid has the process's own program, rights and root: " +
			"not with --app, --elevated or --root")
	}
	p, err := process.Here.Look(pid)
	if err != nil {
		return nil, examineError(err)
	}
	source := sourceFor(p)
	s.bound = p.Machine.Bound
	if err := s.change(&source.Machine); err != nil {
		return nil, err
	}
	if !source.Foreign() {
		source.Added, source.Without = s.added, s.without
	}
	return &subject{source: askOnce(source), process: p}, nil
}

// isFlatpak reports whether a name is the ID of an installed Flatpak, and of no program.
func isFlatpak(s *invocation, name string) bool {
	m, err := s.machine()
	if err != nil || strings.Count(name, ".") < 2 || strings.Contains(name, "/") || m.Exists(name) {
		return false
	}
	home, _ := m.Lookup(variables.Home.Name())
	return m.Exists("/var/lib/flatpak/app/"+name) || home != "" && m.Exists(home+"/.local/share/flatpak/app/"+name)
}

// flatpakProcess returns the process of a Flatpak that has a loader; 0: none runs.
func flatpakProcess(name string) int {
	found, _, _ := process.Here.List()
	for _, p := range found {
		if info, _ := p.Machine.ReadFile("/.flatpak-info"); slices.Contains(strings.Split(string(info), "\n"), "name="+
			name) {
			return p.PID
		}
	}
	return 0
}

func sourceFor(p *process.Process) *machine.Source {
	return &machine.Source{Machine: p.Machine, Elevated: p.Elevated, AsUser: onWindows && !p.Elevated, Class: p.Class,
		Program: p.Program}
}

// loadedLoader returns the loader that a process has loaded; nil: none.
func (a *subject) loadedLoader() *loaders.Loader {
	if mapped := a.process.Loaders(); len(mapped) > 0 {
		return loaderAt(a.source, mapped[0].Path)
	}
	return nil
}

func completeProcesses(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	found, _, _ := process.Here.List()
	return term.Words(found, func(p *process.Process) string { return fmt.Sprintf("%d\t%s", p.PID, p.Name) }),
		cobra.ShellCompDirectiveNoFileComp
}

// name returns the program's name for messages. app is the value of --app.
func (a *subject) name(app string) string {
	if a.process != nil {
		return a.process.Program
	}
	return app
}

// printDifferences prints the differences between a process's loaded files and those that it would load now.
func printDifferences(s *invocation, list []process.Difference) {
	if len(list) == 0 {
		return
	}
	s.section("Loaded, but different in a new process")
	for _, d := range list {
		fmt.Fprintf(s.out, "    %s %s: %s\n", d.Kind, s.style.Heading(term.OneLine(d.Name)), term.OneLine(d.What))
		s.text("      file ", term.Or(d.File, d.Manifest))
	}
}

// decideFor makes decisions about a program imitate its loader, and returns that loader: the one that a process has
// mapped, or the one that the dynamic linker finds.
func decideFor(about *subject) *loaders.Loader {
	if about.process != nil {
		if l := about.loadedLoader(); l != nil {
			l.On(about.source)
			return l
		}
	}
	return loaders.Decide(about.source)
}

// printLoader prints the loader of the decision unless it is this project's; nil: programs get none. Of macOS it is
// unknown.
func printLoader(s *invocation, l *loaders.Loader, program string) {
	if l == nil && runtime.GOOS != "darwin" || l != nil && !l.Ours() {
		s.style.Lines(s.out, "", nil, term.OneLine(loaders.Line(l, program))+".")
	}
}
