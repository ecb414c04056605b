package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// columnsOf is how many columns a terminal has; 0: it is none.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
