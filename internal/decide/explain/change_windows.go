package explain

import (
	"errors"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/windows"
)

// andThen stands between two lines of a prompt in one.
const andThen = " & "

// line returns one change as a line for the prompt of Windows.
func (c Change) line() shell.Line {
	switch {
	case c.File != "":
		return "del " + shell.Prompted(c.File)
	case c.Set:
		return shell.PromptedSet(c.Variable, c.Value)
	}
	return shell.PromptedSet(c.Variable, "")
}

// Assignment returns a change that sets a variable as NAME=VALUE, one word for the prompt.
func (c Change) Assignment() shell.Line { return shell.Quoted(c.Variable + "=" + c.Value) }

// Starting returns the change for the prompt that starts a program: Windows has no line that changes a variable for one
// program.
func (c Change) Starting(shell.Line) shell.Line { return c.Line() }

// ErrShadow is the error of ShadowSettings on Windows.
var ErrShadow = errors.New("settings cannot be tried on Windows before they are written: no variable names their file")

// TriesSettings reports whether ShadowSettings can give a child process other settings than those in force.
const TriesSettings = false

// ShadowSettings returns an error on Windows, where no variable names a settings file and a registry value would affect
// all programs. Empty settings need no file: it returns environ unchanged.
func ShadowSettings(environ []string, text string) (changed []string, remove func(), err error) {
	if text == SilentSettings {
		return environ, func() {}, nil
	}
	return nil, nil, ErrShadow
}

// AudibleSettings returns environ unchanged, for the same reason as ShadowSettings.
func AudibleSettings(environ []string) (changed []string, remove func()) { return environ, func() {} }

// Platform returns this system's platform, with 32 bits on a 32-bit system and for a 32-bit program.
func Platform(from facts.Provider) search.Platform {
	bits := "64"
	if from.Elsewhere().Process().WOW64 || !windows.System64() {
		bits = "32"
	}
	return search.Windows(bits)
}
