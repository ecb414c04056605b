//go:build linux || darwin

package bundle

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// People returns the machine's users and names, to be hidden. me is the owner of the home directory in the environment,
// or the current user.
func People(source *machine.Source) (me Person, others []Person, machine []string) {
	home, _ := source.Lookup(variables.Home.Name())
	for _, variable := range []string{"USER", "LOGNAME"} {
		if name, _ := source.Lookup(variable); name != "" && me.Name == "" {
			me.Name = name
		}
	}
	me.Homes = homesOf(source, home)
	for _, person := range users(source) {
		if person.Name == me.Name || slices.Contains(person.Homes, home) {
			me.Name, me.Homes = person.Name, append(me.Homes, person.Homes...)
		} else {
			others = append(others, person)
		}
	}
	if name, err := source.ReadFile("/etc/hostname"); err == nil {
		machine = append(machine, strings.TrimSpace(string(name)))
	}
	if name, err := os.Hostname(); err == nil && !source.Foreign() {
		machine = append(machine, name, strings.TrimSuffix(name, ".local"))
	}
	return me, others, machine
}

// homesOf returns a home directory as written and with symbolic links resolved.
func homesOf(source *machine.Source, home string) []string {
	homes := []string{home}
	if real, err := source.Real(home); err == nil && home != "" && real != home {
		homes = append(homes, real)
	}
	return homes
}

// System describes the machine's system: a file about its release, and the answers of uname(2) on the running machine.
func System(source *machine.Source) string {
	var out strings.Builder
	if text, err := source.ReadFile(release); err == nil {
		out.Write(text)
	}
	var name unix.Utsname
	if !source.Foreign() && unix.Uname(&name) == nil {
		for _, field := range [][]byte{name.Sysname[:], name.Release[:], name.Version[:], name.Machine[:]} {
			fmt.Fprintln(&out, unix.ByteSliceToString(field))
		}
	}
	return out.String()
}
