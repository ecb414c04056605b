package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// onWindows tells whether the tool looks at a machine with Windows when nothing else is asked for.
const onWindows = false

// bitsHelp is of the option --bits.
const bitsHelp = "the word size of the program, 32 or 64; without it 64, or that of --app"

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
