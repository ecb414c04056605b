package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// libraryPath is empty: no variable gives a program another loader.
const libraryPath = ""

// bring returns the zero place: the program gets no loader from this tool.
func bring(*invocation) (probe.Companions, error) { return probe.Companions{}, nil }

// unfit returns no warnings: every Windows program sees the variables.
func unfit(*machine.Source, string, string) []string { return nil }

// ignoredByRights returns a warning about the variables of a choice that an elevated program ignores (WIN-057).
func ignoredByRights(source *machine.Source, program string, changes []explain.Change) []string {
	if process := source.Elsewhere().Process(); !process.Known || process.Level < facts.HighIntegrity {
		return nil
	}
	ignored := term.Words(slices.DeleteFunc(slices.Clone(changes), func(c explain.Change) bool {
		v, known := variables.Find(c.Variable)
		return !c.Set || !known || !v.Secure()
	}), func(c explain.Change) string { return c.Variable })
	if len(ignored) == 0 {
		return nil
	}
	return []string{machine.Style.Base(program) + " runs as administrator, as this prompt does, and ignores " +
		strings.Join(ignored, ", ") + ". The choice counts in a prompt without administrator rights"}
}

// commandLine returns a command line that starts the program with the variables.
func commandLine(changes []explain.Change, args []string, between shell.Line) shell.Line {
	lines := term.Words(changes, func(c explain.Change) shell.Line { return shell.PromptedSet(c.Variable, c.Value) })
	return shell.Join(append(lines, shell.Words(args...)), between)
}

func becomeProgram(p *run.Program) error {
	state, err := p.Wait(nil)
	if err != nil {
		return exit.As(exit.CannotRun, err)
	}
	return exit.With(exitCode(state))
}

// exitCode returns the exit code of a program.
func exitCode(state *os.ProcessState) int { return int(uint32(state.ExitCode())) }

// systemFiles are system libraries in which programs crash or wait.
var systemFiles = []string{"ntdll.dll", "kernel32.dll", "kernelbase.dll", "msvcrt.dll", "ucrtbase.dll", "user32.dll",
	"win32u.dll", "wow64.dll", "wow64cpu.dll", "wow64win.dll"}

func isSystemFile(file string) bool {
	return slices.Contains(systemFiles, strings.ToLower(filepath.Base(file)))
}
