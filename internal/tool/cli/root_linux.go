package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"vkloader/internal/containers/client"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/doctor"
)

// onWindows reports whether the tool examines a Windows machine by default.
const onWindows = false

// bitsHelp is the help of the option --bits.
const bitsHelp = "the word size of the program, 32 or 64 (default 64; in commands with --app, that of the program)"

// commandsOfSystem returns the commands that only Linux has.
func commandsOfSystem() []command {
	return []command{{"policy", newPolicy}, {"cdi", newCDI}, {"oci", newOCI}, {"system", newSystem}, {"follow", newFollow}, {"serve", newServe},
		{"service", newService}}
}

// self returns the path with which this program starts itself, even if its file has been replaced.
func self(string) string { return "/proc/self/exe" }

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
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

// libraryVersions returns the release in a library's note, and the Vulkan version in its name.
func libraryVersions(library string) (release, vulkan string) {
	if file, err := os.Open(library); err == nil {
		release = binary.Release(file)
		file.Close()
	}
	return release, strings.TrimPrefix(filepath.Base(library), "libvulkan.so.")
}

// elevatedHere reports whether the tool, and so its child processes, are elevated: the real and effective IDs differ, or the
// tool was started with more rights than its user.
func elevatedHere() bool { return trust.Differs() }

// askService asks the driver service for drivers.
func askService(source *machine.Source) facts.Service { return client.Ask(source.Var) }

// libraryOf examines the library of one manifest, as the dynamic linker finds it.
func libraryOf(source *machine.Source, named doctor.Named) (doctor.Module, []doctor.Finding) {
	return doctor.Library(source, named)
}

// trialHelp describes the trial of settings that choose devices.
const trialHelp = "Before it writes, set checks in a child process that a program with these settings gets\n" +
	"the devices."

// addRights does nothing: programs of every user read the settings of that user.
func addRights(*cobra.Command) {}

// obstacle returns "": the stage of a driver or layer says what keeps the loader from opening its library.
func obstacle(*machine.Source, string) string { return "" }

// addProgramRights does nothing: explain decides for programs with more rights.
func addProgramRights(*cobra.Command) {}
