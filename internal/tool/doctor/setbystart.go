package doctor

import (
	"path"
	"strings"
)

// maxStarters is the maximum number of files of starters that are read for one variable.
const maxStarters = 512

// starter is a kind of file whose lines set variables of single programs, or of a service manager's.
type starter struct {
	directory, suffix string
	key               string // the beginning of a line with assignments
}

// startedBy returns the first line that sets a variable in a starter: a desktop file, the configuration of a service manager or a
// compositor, or Steam's launch options.
func (h host) startedBy(home, name string) FileLine {
	list := []starter{{"/etc/systemd", "user.conf", "DefaultEnvironment"}, {"/etc/systemd/user.conf.d", ".conf", "DefaultEnvironment"},
		{"/etc/systemd", "system.conf", "DefaultEnvironment"}, {"/etc/systemd/system.conf.d", ".conf", "DefaultEnvironment"},
		{home + "/.config/systemd", "user.conf", "DefaultEnvironment"}, {home + "/.config/systemd/user.conf.d", ".conf", "DefaultEnvironment"},
		{home + "/.config/hypr", ".conf", "env"}, {home + "/.local/share/applications", ".desktop", "Exec"},
		{"/usr/local/share/applications", ".desktop", "Exec"}, {"/usr/share/applications", ".desktop", "Exec"},
		{home + "/.config/autostart", ".desktop", "Exec"}, {"/etc/xdg/autostart", ".desktop", "Exec"}}
	for _, data := range []string{home + "/.local/share/Steam", home + "/.steam/steam", home + "/.var/app/com.valvesoftware.Steam/.local/share/Steam"} {
		for _, user := range h.machine.Names(data + "/userdata") {
			list = append(list, starter{path.Join(data, "userdata", user, "config"), "localconfig.vdf", `"LaunchOptions"`})
		}
	}
	read := 0
	for _, s := range list {
		for _, file := range h.machine.Names(s.directory) {
			if !strings.HasSuffix(file, s.suffix) {
				continue
			}
			if read++; read > maxStarters {
				return FileLine{}
			}
			for number, line := range strings.Split(h.whole(s.directory+"/"+file), "\n") {
				if rest, is := strings.CutPrefix(strings.TrimSpace(line), s.key); is && assignsIn(rest, name) {
					return FileLine{s.directory + "/" + file, number + 1}
				}
			}
		}
	}
	return FileLine{}
}

// assignsIn reports whether a line has a word that assigns a variable: NAME=VALUE, or NAME,VALUE after a sign of equality.
func assignsIn(line, name string) bool {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\"';", r) }) {
		word = strings.TrimPrefix(word, "=")
		if strings.HasPrefix(word, name+"=") || strings.HasPrefix(word, name+",") {
			return true
		}
	}
	return false
}
