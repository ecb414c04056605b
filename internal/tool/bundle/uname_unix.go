//go:build linux || darwin

package bundle

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/machine"
)

// systemWith returns the content of a file about the system's release, and the answers of uname(2) on the running
// machine.
func systemWith(source *machine.Source, file string) string {
	var out strings.Builder
	if release, err := source.ReadFile(file); err == nil {
		out.Write(release)
	}
	var name unix.Utsname
	if !source.Foreign() && unix.Uname(&name) == nil {
		for _, field := range [][]byte{name.Sysname[:], name.Release[:], name.Version[:], name.Machine[:]} {
			fmt.Fprintln(&out, unix.ByteSliceToString(field))
		}
	}
	return out.String()
}
