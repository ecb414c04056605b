//go:build unix

package cli

import (
	"errors"
	"os/signal"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/run"
)

// refuseReads makes a process in the background get an error from its terminal instead of a stop.
func refuseReads() { signal.Ignore(unix.SIGTTIN) }

const fixPlace = "your own files" // doctor --fix changes them

// settingsUse is a part of the usage of settings.
const settingsUse = "|layer"

// elevatedHere reports whether the tool, and so its child processes, are elevated: the real and effective IDs differ,
// or the tool was started with more rights than its user.
func elevatedHere() bool { return trust.Differs() }

// obstacle returns "": the stage of a driver or layer says what keeps the loader from opening its library.
func obstacle(*machine.Source, string) string { return "" }

// addRights does nothing: explain decides for programs with more rights, and programs of every user read the settings
// of that user.
func addRights(*cobra.Command) {}

func becomeProgram(p *run.Program) error { return exit.As(exit.CannotRun, p.Become()) }

// hangKey is the key with which the user marks a program as hung.
const hangKey = `Ctrl-\`

// crashedWith explains an exit code that counts as a crash.
const crashedWith = "as where a signal ended a command of a shell"

// ignoredByRights returns nothing: unfit warns about programs with more rights.
func ignoredByRights(*machine.Source, string, []explain.Change) []string { return nil }

// look returns the machine for the program.
func (r *launched) look(s *invocation) (m machine.Machine, err error) {
	m, err = s.machine()
	if err == nil && m.Foreign() && !r.Dry {
		err = errors.New("run starts only programs of this machine; --root works only with --dry-run")
	}
	return m, err
}

// unheard returns a warning that the program loaded no loader with log lines; "" if none is expected.
func (r *launched) unheard(program *run.Program, brought probe.Companions) string {
	if (&invocation{environ: program.Environ}).getenv(variables.Debug.Name()) != "all" {
		return ""
	}
	return program.Path + " has not loaded " + brought.Library
}

// otherViews returns no sources: every program's files are in the same places.
func otherViews(*machine.Source) []*machine.Source { return nil }

// exportsOf returns no parts of a bundle: only Windows has a registry.
func exportsOf(*machine.Source) map[string]func() (string, error) { return nil }

func registryOf() fix.Registry { return nil }
