package bundle

import (
	"os"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// System describes the machine's system.
func System(source *machine.Source) string { return systemWith(source, "/etc/os-release") }

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
	users, _ := source.ReadFile("/etc/passwd")
	for _, line := range strings.Split(string(users), "\n") {
		field := strings.Split(line, ":")
		// Service users are no persons; their home directories are system directories.
		if len(field) < 7 || len(field[2]) < 4 && field[2] != "0" || field[0] == "nobody" {
			continue
		}
		if person := (Person{Name: field[0], Homes: homesOf(source, field[5])}); person.Name == me.Name ||
			field[5] == home {
			me.Name, me.Homes = person.Name, append(me.Homes, person.Homes...)
		} else {
			others = append(others, person)
		}
	}
	if name, err := source.ReadFile("/etc/hostname"); err == nil {
		machine = append(machine, strings.TrimSpace(string(name)))
	}
	if name, err := os.Hostname(); err == nil && !source.Foreign() {
		machine = append(machine, name)
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
