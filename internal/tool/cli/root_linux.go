package cli

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/client"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
)

// onWindows tells whether the tool looks at a machine with Windows when nothing else is asked for.
const onWindows = false

// bitsHelp is of the option --bits.
const bitsHelp = "the word size of the program, 32 or 64 (default 64; in commands with --app, that of the program)"

// commandsOfSystem are the commands that other systems have nothing for.
func commandsOfSystem() []command {
	return []command{{"policy", newPolicy}, {"cdi", newCDI}, {"oci", newOCI}, {"system", newSystem}, {"follow", newFollow}, {"serve", newServe},
		{"service", newService}}
}

// self is this program for children of it, also when its file was replaced meanwhile.
func self(string) string { return "/proc/self/exe" }

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// kernelOf is the release of the kernel; "" for another machine's.
func kernelOf(source *machine.Source) string {
	var name unix.Utsname
	if source.Foreign() || unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:]) + " " +
		unix.ByteSliceToString(name.Machine[:])
}

// libraryVersions are the release of a library, as its note says, and the version of Vulkan in its name.
func libraryVersions(library string) (release, vulkan string) {
	if file, err := os.Open(library); err == nil {
		release = binary.Release(file)
		file.Close()
	}
	return release, strings.TrimPrefix(filepath.Base(library), "libvulkan.so.")
}

// elevatedHere reports whether the children of the tool count as elevated, as it does itself: its user or group ids differ, or it
// was started with more rights than its user.
func elevatedHere() bool { return trust.Differs() }

// askService asks the driver service for drivers.
func askService(source *machine.Source) facts.Service { return client.Ask(source.Var) }
