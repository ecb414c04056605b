package bundle

import (
	"strings"

	"vkloader/internal/decide/machine"
)

// release is the file about the system's release.
const release = "/System/Library/CoreServices/SystemVersion.plist"

// users returns the owners of the directories in /Users, except for that of all users.
func users(source *machine.Source) (list []Person) {
	for _, name := range source.Names("/Users") {
		if name != "Shared" && !strings.HasPrefix(name, ".") {
			list = append(list, Person{name, []string{"/Users/" + name}})
		}
	}
	return list
}
