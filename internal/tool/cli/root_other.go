//go:build !linux

package cli

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/run"
)

// become returns false.
func become(*invocation, string) (done bool, err error) { return false, nil }

// ownHomes does nothing: the home directories are those of the tool's user.
func ownHomes(*invocation, bool) {}

// inside returns the program itself: only Linux has bundles of this kind.
func (s *invocation) inside(app string) (string, error) { return app, nil }

// askService is never called, because only Linux has a driver service.
func askService(*machine.Source) facts.Service { return facts.Service{State: facts.ServiceNone} }

// absent returns a command that this system does not support.
func absent(name, line string) *cobra.Command {
	return &cobra.Command{Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return exit.Unable("not on %s: %s is about files and processes of Linux", systemName, line)
		}}
}

// commandsOfSystem returns the commands that only Linux supports.
func commandsOfSystem() (list []command) {
	for _, name := range []string{"cdi", "service", "system"} {
		list = append(list, command{name, func(*invocation) *cobra.Command { return absent(name, name) }})
	}
	return list
}

// watchProgram runs a program whose standard error passes through a splitter. end ends the tool as the program ended.
// The times of lines are those of reading.
func watchProgram(_ *invocation, program *run.Program, to *run.Splitter, _ bool,
	_ *os.File) (end func(probe.Companions) error, err error) {
	take := to.Line
	to.Line = func(line string, _ time.Time) { take(strings.TrimSuffix(line, "\r"), time.Now()) }
	state, err := program.Wait(to)
	return func(probe.Companions) error { return exit.With(exitCode(state)) }, err
}
