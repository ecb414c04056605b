package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/tool/launch"
)

// hangKey is what the user types when a program hangs.
const hangKey = "Ctrl-Break"

// crashedWith says what an exit code means that counts as a crash.
const crashedWith = "as abort() ends programs"

// systemFiles are those that crash, or wait, for others.
var systemFiles = []string{"ntdll.dll", "kernel32.dll", "kernelbase.dll", "msvcrt.dll", "ucrtbase.dll", "user32.dll", "win32u.dll", "wow64.dll",
	"wow64cpu.dll", "wow64win.dll"}

// ofTheSystem tells whether a file is one of these.
func ofTheSystem(file string) bool {
	return slices.Contains(systemFiles, strings.ToLower(filepath.Base(file)))
}

// oneCommandLine is a line for a prompt that starts the program with the variables.
func oneCommandLine(changes []launch.Change, args []string) string {
	return strings.ReplaceAll(commandLine(changes, args), "\n", " & ")
}
