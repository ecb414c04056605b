package cli

import (
	"path/filepath"
	"strings"

	"vkloader/internal/tool/launch"
)

// hangKey is what the user types when a program hangs.
const hangKey = `Ctrl-\`

// crashedWith says what an exit code means that counts as a crash.
const crashedWith = "as where a signal ended a command of a shell"

// ofTheSystem tells whether a file is one of those that crash for others: abort(3) is in the C library.
func ofTheSystem(file string) bool {
	base := filepath.Base(file)
	return strings.HasPrefix(base, "libc.") || strings.HasPrefix(base, "libc-") || strings.HasPrefix(base, "ld-")
}

// oneCommandLine is a line for a shell that starts the program with the variables.
func oneCommandLine(changes []launch.Change, args []string) string { return commandLine(changes, args) }
