package bundle

import (
	"os"
	"path"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// System describes the machine's system.
func System(source *machine.Source) string {
	return systemWith(source, "/System/Library/CoreServices/SystemVersion.plist")
}

// People returns the machine's users and names, to be hidden. me is the owner of the home directory in the environment;
// every other directory in /Users except Shared is another user's.
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
