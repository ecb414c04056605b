package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/plan"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/pc"
	"vkloader/internal/tool/process"
)

// subject is what --app, --elevated and --pid name. Of a process it is the executable, the word size, the rights and the
// variables that it has at this moment.
func (s *invocation) subject(app string, elevated bool, pid int) (*subject, error) {
	if pid == 0 {
		source, err := s.source(app, elevated)
		if err != nil {
			return nil, err
		}
		return &subject{source: source}, nil
	}
	if app != "" || elevated || s.root != "" {
		return nil, errors.New("--pid has the process's own program and rights: not with --app, --elevated or --root")
	}
	p, environ, err := lookAt(pid)
	if err != nil {
		return nil, exit.As(exit.NotLooked, fmt.Errorf("process %d: %w", pid, err))
	}
	m := machine.Machine{Environ: environ}
	if err := s.change(&m); err != nil {
		return nil, err
	}
	source := &machine.Source{Machine: m, Elevated: p.Elevated, AsUser: !p.Elevated, Class: p.Class, Program: p.Program, Added: s.added}
	source.Without = append(source.Without, s.without...)
	seen := &process.Process{PID: pid, Name: p.Name, Program: p.Program, Elevated: p.Elevated, Class: p.Class, Machine: m}
	for _, file := range p.Modules {
		seen.Mapped = append(seen.Mapped, process.Mapping{Path: file})
	}
	return &subject{source: served(source), process: seen}, nil
}

func lookAt(pid int) (*pc.Process, []string, error) {
	p, err := pc.ProcessOf(uint32(pid))
	if err != nil {
		return nil, nil, err
	}
	environ, err := pc.EnvironmentOf(p.PID)
	return p, environ, err
}

// differences are those between what a process has loaded and what it would load now.
func (a *subject) differences(answer *plan.Answer) []process.Difference {
	var files []string
	for _, m := range a.process.Mapped {
		files = append(files, m.Path)
	}
	drivers, layers := modulesIn(&a.source.Machine, files, answer)
	return process.Compare(answer, loaderName, slices.ContainsFunc(files, isLoader), drivers, layers)
}

// mapped is the loader that a process has loaded; nil: none.
func (a *subject) mapped() *loaders.Loader {
	for _, m := range a.process.Mapped {
		if isLoader(m.Path) {
			return loaders.LoadedDLL(a.source, m.Path)
		}
	}
	return nil
}

func isLoader(file string) bool { return strings.EqualFold(filepath.Base(file), loaderName) }

// completeProcesses gives the processes that have a loader.
func completeProcesses(*cobra.Command, []string, string) (list []string, _ cobra.ShellCompDirective) {
	found, _, _ := pc.Processes()
	for _, p := range found {
		if slices.ContainsFunc(p.Modules, isLoader) {
			list = append(list, fmt.Sprintf("%d\t%s", p.PID, p.Name))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
