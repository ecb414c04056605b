package doctor

import (
	"path"
	"strings"

	"vkloader/internal/core/variables"
)

// maxStarters is the maximum number of files of starters that are read for one variable.
const maxStarters = 512

// starter is a kind of file whose lines set variables of single programs, or of a service manager's.
type starter struct {
	directory, suffix string
	key               string // the beginning of a line with assignments
	program           string // the program that reads the file and sets the variables of the programs that it starts; "": any
}

// startedBy returns the first line that sets a variable in a starter: a desktop file, the configuration of a service manager or a
// compositor, Steam's launch options, Flatpak's overrides, or the configuration of a program that starts games.
func (h host) startedBy(home, name string) FileLine {
	list := []starter{{directory: "/etc/systemd", suffix: "user.conf", key: "DefaultEnvironment"}, {directory: "/etc/systemd/user.conf.d", suffix: ".conf", key: "DefaultEnvironment"},
		{directory: "/etc/systemd", suffix: "system.conf", key: "DefaultEnvironment"}, {directory: "/etc/systemd/system.conf.d", suffix: ".conf", key: "DefaultEnvironment"},
		{directory: home + "/.config/systemd", suffix: "user.conf", key: "DefaultEnvironment"}, {directory: home + "/.config/systemd/user.conf.d", suffix: ".conf", key: "DefaultEnvironment"},
		{directory: home + "/.config/hypr", suffix: ".conf", key: "env"}, {directory: home + "/.local/share/applications", suffix: ".desktop", key: "Exec"},
		{directory: "/usr/local/share/applications", suffix: ".desktop", key: "Exec"}, {directory: "/usr/share/applications", suffix: ".desktop", key: "Exec"},
		{directory: home + "/.config/autostart", suffix: ".desktop", key: "Exec"}, {directory: "/etc/xdg/autostart", suffix: ".desktop", key: "Exec"}}
	list = append(append(list, h.flatpakOverrides(home)...), h.gameStarters(home)...)
	for _, data := range []string{home + "/.local/share/Steam", home + "/.steam/steam", home + "/.var/app/com.valvesoftware.Steam/.local/share/Steam"} {
		for _, user := range h.machine.Names(data + "/userdata") {
			list = append(list, starter{directory: path.Join(data, "userdata", user, "config"), suffix: "localconfig.vdf", key: `"LaunchOptions"`})
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
			lines := strings.Split(h.whole(s.directory+"/"+file), "\n")
			for number, line := range lines {
				rest, is := strings.CutPrefix(strings.TrimSpace(line), s.key)
				if is && (assignsIn(rest, name) || s.program != "" && entryOfMap(rest, name) && h.valueIn(lines[number:], name)) {
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

// flatpakOverrides are the files in which Flatpak keeps the variables of a Flatpak program.
func (h host) flatpakOverrides(home string) (list []starter) {
	info := h.text("/.flatpak-info")
	if info == "" {
		return nil
	}
	for _, directory := range []string{home + "/.local/share/flatpak/overrides", "/var/lib/flatpak/overrides"} {
		for _, file := range []string{setting(info, "Application", "name"), "global"} {
			if file != "" {
				list = append(list, starter{directory: directory, suffix: file})
			}
		}
	}
	return list
}

// gameStarters are the configurations of programs that start games with variables: Proton, Lutris, Heroic and Bottles.
func (h host) gameStarters(home string) (list []starter) {
	add := func(program, directory, suffix, key string) {
		list = append(list, starter{directory: directory, suffix: suffix, key: key, program: program})
	}
	const proton, ofUser = "Proton", "user_settings.py"
	for _, tool := range strings.Split(h.variable("STEAM_COMPAT_TOOL_PATHS"), ":") {
		if path.IsAbs(tool) {
			add(proton, tool, ofUser, "")
		}
	}
	for _, data := range []string{home + "/.local/share/Steam", home + "/.steam/steam", home + "/.var/app/com.valvesoftware.Steam/.local/share/Steam"} {
		for _, below := range []string{"/steamapps/common", "/compatibilitytools.d"} {
			for _, tool := range h.machine.Names(data + below) {
				if strings.Contains(tool, "roton") {
					add(proton, data+below+"/"+tool, ofUser, "")
				}
			}
		}
	}
	for _, base := range []string{home + "/.config", home + "/.local/share", home + "/.var/app/net.lutris.Lutris/config", home + "/.var/app/net.lutris.Lutris/data"} {
		for _, below := range []string{"/lutris", "/lutris/runners", "/lutris/games"} {
			add("Lutris", base+below, ".yml", "")
		}
	}
	for _, base := range []string{home + "/.config", home + "/.var/app/com.heroicgameslauncher.hgl/config"} {
		for _, below := range []string{"/heroic", "/heroic/GamesConfig"} {
			add("Heroic", base+below, ".json", `"key":`)
		}
	}
	for _, base := range []string{home + "/.local/share", home + "/.var/app/com.usebottles.bottles/data"} {
		for _, bottle := range h.machine.Names(base + "/bottles/bottles") {
			add("Bottles", base+"/bottles/bottles/"+bottle, "bottle.yml", "")
		}
	}
	return list
}

// entryOfMap reports whether a text begins with a variable's name as a key or value of YAML, JSON or Python.
func entryOfMap(text, name string) bool {
	text = strings.TrimLeft(text, " \t\"'")
	rest, is := strings.CutPrefix(text, name)
	rest = strings.TrimLeft(rest, "\"' \t")
	return is && rest != "" && strings.ContainsRune(":,", rune(rest[0]))
}

// valueIn reports whether one of the first two lines has the value of a variable.
func (h host) valueIn(lines []string, name string) bool {
	return strings.Contains(strings.Join(lines[:min(2, len(lines))], "\n"), h.variable(name))
}

// starterOf returns the program whose configuration a line belongs to; "" for other files.
func (h host) starterOf(at FileLine) string {
	for _, s := range h.gameStarters(path.Clean(h.variable(variables.Home.Name()))) {
		if path.Dir(at.File) == path.Clean(s.directory) && strings.HasSuffix(at.File, s.suffix) {
			return s.program
		}
	}
	return ""
}
