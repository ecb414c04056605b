package bundle

import (
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// System describes the machine's system.
func System(source *machine.Source) string {
	var out strings.Builder
	if version, err := source.ReadFile("/System/Library/CoreServices/SystemVersion.plist"); err == nil {
		out.Write(version)
	}
	var name unix.Utsname
	if !source.Foreign() && unix.Uname(&name) == nil {
		for _, field := range [][]byte{name.Sysname[:], name.Release[:], name.Version[:], name.Machine[:]} {
			fmt.Fprintln(&out, unix.ByteSliceToString(field))
		}
	}
	return out.String()
}

// People returns the machine's users and names, to be hidden. me is the owner of the home directory in the environment; every other
// directory in /Users except Shared is another user's.
func People(source *machine.Source) (me Person, others []Person, machine []string) {
	const users = "/Users"
	home, _ := source.Lookup(variables.Home.Name())
	me.Homes = []string{home}
	if me.Name, _ = source.Lookup("USER"); me.Name == "" && home != "" {
		me.Name = path.Base(home)
	}
	for _, name := range source.Names(users) {
		if name != "Shared" && name != me.Name && !strings.HasPrefix(name, ".") {
			others = append(others, Person{Name: name, Homes: []string{users + "/" + name}})
		}
	}
	if name, err := os.Hostname(); err == nil && !source.Foreign() {
		machine = append(machine, name, strings.TrimSuffix(name, ".local"))
	}
	return me, others, machine
}
