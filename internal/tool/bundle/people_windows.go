package bundle

import (
	"os"
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
)

// System describes the machine's system.
func System(*machine.Source) string { return windows.SystemName() + "\n" }

// notPeople are directories beside the users' home directories that belong to no person.
var notPeople = []string{"all users", "default", "default user", "public"}

// People returns the machine's users and names, to be hidden. me is the current user.
func People(source *machine.Source) (me Person, others []Person, machine []string) {
	me.Name, _ = source.Lookup("USERNAME")
	home, _ := source.Lookup("USERPROFILE")
	me.Homes = []string{home}
	if at := strings.LastIndexByte(home, '\\'); at > 0 {
		entries, _ := os.ReadDir(home[:at])
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() && !slices.Contains(notPeople, strings.ToLower(name)) &&
				!strings.EqualFold(name, home[at+1:]) {
				others = append(others, Person{Name: name, Homes: []string{home[:at+1] + name}})
			}
		}
	}
	for _, variable := range []string{"COMPUTERNAME", "USERDOMAIN"} {
		if name, _ := source.Lookup(variable); name != "" {
			machine = append(machine, name)
		}
	}
	return me, others, machine
}
