//go:build unix

package cli

import (
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
)

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// kernelOf returns the release of the kernel; "" for another machine.
func kernelOf(source *machine.Source) string {
	var name unix.Utsname
	if source.Foreign() || unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:]) + " " +
		unix.ByteSliceToString(name.Machine[:])
}

// elevatedHere reports whether the tool, and so its child processes, are elevated: the real and effective IDs differ, or the
// tool was started with more rights than its user.
func elevatedHere() bool { return trust.Differs() }

// addRights does nothing: programs of every user read the settings of that user.
func addRights(*cobra.Command) {}

// obstacle returns "": the stage of a driver or layer says what keeps the loader from opening its library.
func obstacle(*machine.Source, string) string { return "" }

// addProgramRights does nothing: explain decides for programs with more rights.
func addProgramRights(*cobra.Command) {}
