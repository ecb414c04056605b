package bundle

import (
	"strings"

	"vkloader/internal/decide/machine"
)

// release is the file about the system's release.
const release = "/etc/os-release"

// users returns the users in /etc/passwd. Service users are no persons; their home directories are system directories.
func users(source *machine.Source) (list []Person) {
	text, _ := source.ReadFile("/etc/passwd")
	for line := range strings.SplitSeq(string(text), "\n") {
		field := strings.Split(line, ":")
		if len(field) >= 7 && (len(field[2]) >= 4 || field[2] == "0") && field[0] != "nobody" {
			list = append(list, Person{field[0], homesOf(source, field[5])})
		}
	}
	return list
}
