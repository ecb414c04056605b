//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/run"
)

// refuseReads makes a process in the background get an error from its terminal instead of a stop.
func refuseReads() { signal.Ignore(unix.SIGTTIN) }

// elevatedHere reports whether the tool, and so its child processes, are elevated: the real and effective IDs differ,
// or the tool was started with more rights than its user.
func elevatedHere() bool { return trust.Differs() }

// obstacle returns "": the stage of a driver or layer says what keeps the loader from opening its library.
func obstacle(*machine.Source, string) string { return "" }

// exitCode returns the exit code of a program, as shells do if a signal ended it.
func exitCode(state *os.ProcessState) int {
	if status, is := state.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

func becomeProgram(p *run.Program) error { return exit.As(exit.CannotRun, p.Become()) }

// ignoredByRights returns nothing: unfit warns about programs with more rights.
func ignoredByRights(*machine.Source, string, []explain.Change) []string { return nil }

// otherViews returns no sources: every program's files are in the same places.
func otherViews(*machine.Source) []*machine.Source { return nil }

// exportsOf returns no parts of a bundle: only Windows has a registry.
func exportsOf(*machine.Source) map[string]func() (string, error) { return nil }

func registryOf() fix.Registry { return nil }
