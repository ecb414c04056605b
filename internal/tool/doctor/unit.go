package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

// unit is the service of systemd that starts the examined program; the zero value: none is known.
type unit struct {
	process.Unit
	directory string // of the administrator's or user's unit files
	nixos     bool   // the system's configuration has the unit

	by Line // the line of an EnvironmentFile= that sets the variable, and wins over the unit; without a file: none
}

// logins are services whose processes are other programs: shells and sessions.
var logins = []string{"ssh", "sshd", "dropbear", "cron", "crond", "atd", "gdm", "gdm3", "sddm", "lightdm", "greetd", "console-getty", "docker", "containerd",
	"code-server", "ttyd"}

// unit returns the service that starts the examined program: that of the process, or of the tool itself.
func (r *record) unit() unit {
	list := r.options.ControlGroup
	if list == "" && r.source.Program == "" {
		list = r.text("/proc/self/cgroup")
	}
	u := unit{Unit: process.UnitIn(list), directory: "/etc/systemd/system", nixos: readDistribution(r.machine).is("nixos")}
	base, _, _ := strings.Cut(u.Name, "@")
	if u.Name == "" || slices.Contains(logins, strings.TrimSuffix(base, ".service")) || strings.HasSuffix(base, "getty") || base == "user" {
		return unit{}
	}
	if u.OfUser {
		u.directory = r.configHome() + "/systemd/user"
	}
	if process.UnitText(r.machine, u.Unit, r.configHome()) == "" {
		return unit{}
	}
	return u
}

// configHome returns the directory of the user's configuration.
func (h host) configHome() string {
	return term.Or(h.variable(variables.ConfigHome.Name()), path.Clean(h.variable(variables.Home.Name()))+"/.config")
}

// setting returns the shell line that changes variables of the service and starts it again, with the words before it.
func (u unit) setting(c explain.Change) (before, line string) {
	control := "systemctl "
	before = "Run as root: "
	if u.OfUser {
		control, before = "systemctl --user ", ""
	}
	if u.by.File != "" && c.Set && c.And == nil {
		return "Write " + c.Variable + "=" + inUnit(c.Value) + " into " + u.by.String() + ". Then: ", control + "restart " + term.Quoted(unitName(u.Name))
	}
	if u.nixos {
		return u.onNixOS(c)
	}
	var lines []string
	for at := &c; at != nil; at = at.And {
		if at.Set {
			lines = append(lines, "Environment="+inUnit(at.Variable+"="+at.Value))
		} else {
			lines = append(lines, "UnsetEnvironment="+at.Variable)
		}
	}
	return before, u.dropIn(c.Variable, lines)
}

// dropIn returns the shell line that writes settings into a drop-in of the unit, and starts the service again.
func (u unit) dropIn(file string, settings []string) string {
	control := term.Either(u.OfUser, "systemctl --user ", "systemctl ")
	directory := u.directory + "/" + u.Name + ".d"
	return "mkdir -p -- " + term.Quoted(directory) + " && printf '%s\\n' '[Service]' " + strings.Join(term.Words(settings, term.Quoted), " ") + " > " +
		term.Quoted(directory+"/"+file+".conf") + " && " + control + "daemon-reload && " + control + "restart " + term.Quoted(unitName(u.Name))
}

// onNixOS returns the lines of the system's configuration that change variables of the service.
func (u unit) onNixOS(c explain.Change) (before, line string) {
	of := term.Either(u.OfUser, "systemd.user.services.", "systemd.services.")
	var lines []string
	for at := &c; at != nil; at = at.And {
		attribute, value := "environment."+at.Variable, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", `\${`, "%", "%%").Replace(at.Value)+`"`
		if !at.Set {
			attribute, value = "serviceConfig.UnsetEnvironment", `"`+at.Variable+`"`
		}
		lines = append(lines, of+`"`+strings.TrimSuffix(u.Name, ".service")+`".`+attribute+" = "+value+";")
	}
	return "Add " + strings.Join(lines, " ") + " to the system's configuration. Then run as root: ", "nixos-rebuild switch"
}

// inUnit returns text as systemd.syntax(7) quotes it, with doubled signs of specifiers.
func inUnit(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(text) + `"`
}

// setIn returns the lines that set a variable in the unit's files and their environment files. The latter win.
func (h host) setIn(u *unit, name string) (places []Line) {
	for _, file := range process.UnitFiles(h.machine, u.Unit, h.configHome()) {
		for number, line := range strings.Split(h.whole(file), "\n") {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch strings.TrimSpace(key) {
			case "Environment":
				if assigns(value, name) {
					places = append(places, Line{file, number + 1})
				}
			case "EnvironmentFile":
				more := strings.Trim(strings.TrimPrefix(strings.TrimSpace(value), "-"), `"'`)
				for number, line := range strings.Split(h.whole(more), "\n") {
					if setsVariable(line, name) {
						u.by = Line{more, number + 1}
					}
				}
			}
		}
	}
	if u.by.File != "" {
		places = append([]Line{u.by}, places...)
	}
	return places
}

// assigns reports whether a list of assignments of a unit file has one for a variable.
func assigns(list, name string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(word string) bool { return strings.HasPrefix(strings.Trim(word, `"'`), name+"=") })
}
