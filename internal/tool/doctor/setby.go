package doctor

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

// isSetByShell reports whether a variable of a program in a container was set after the container's start.
func (h host) isSetByShell(name string) bool {
	now, set := h.machine.Lookup(name)
	first := h.machine.Whole("/proc/1/environ")
	if !set || h.machine.Tree != nil { // a host described by files has no process to read
		return false
	} else if first == "" {
		return !h.machine.Foreign()
	}
	value, had := (&machine.Machine{Environ: strings.Split(first, "\x00")}).Lookup(name)
	return !had || value != now
}

// isContainer reports whether a sandbox is a container whose runtime sets variables.
func isContainer(kind string) bool {
	return kind == "docker" || kind == "podman" || kind == "kubernetes"
}

// FileLine is a line of a file.
type FileLine struct {
	File   string
	Number int // from 1
}

func (l FileLine) String() string { return l.File + ", line " + strconv.Itoa(l.Number) }

// SetIn finds the lines that set a variable in the files that sessions and shells read.
func SetIn(m *machine.Machine, name string) (places []FileLine) {
	h := host{m}
	for _, file := range h.places("shell") {
		places = append(places, h.linesThatSet(name, file)...)
	}
	return places
}

// linesWith returns the lines of a file for which is returns true.
func (h host) linesWith(file string, is func(line string) bool) (places []FileLine) {
	for number, line := range strings.Split(h.machine.Whole(file), "\n") {
		if is(line) {
			places = append(places, FileLine{file, number + 1})
		}
	}
	return places
}

func (h host) linesThatSet(name, file string) []FileLine {
	return h.linesWith(file, func(line string) bool { return setsVariable(line, name) })
}

// setsVariable reports whether a line in a file of a shell, of PAM or of systemd sets a variable.
func setsVariable(line, name string) bool {
	words := strings.Fields(line)
	for len(words) > 0 && (strings.HasPrefix(words[0], "-") ||
		slices.Contains([]string{"export", "set", "setenv", "typeset", "declare", "SETUVAR"}, words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	rest, ok := strings.CutPrefix(words[0], name)
	// fish writes its universal variables as NAME:VALUE.
	return ok && (rest == "" && len(words) > 1 || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":"))
}

// Limits of the search for one variable in starters.
const (
	maxStarters     = 512      // files of one starter
	maxStarterBytes = 64 << 20 // of all files
)

// starter is a kind of file whose lines set variables of single programs, or of a service manager's.
type starter struct {
	files   []string
	key     string // the beginning of a line with assignments
	program string // the program that reads the file and sets the variables of the programs that it starts; "": any
}

// starters returns the files of the programs that set variables for others: desktop files, the configurations of
// service managers, compositors and programs that start games, Steam's launch options, and Flatpak's overrides for a
// Flatpak program.
func (h host) starters() (list []starter) {
	info := h.machine.Text("/.flatpak-info")
	app := strings.NewReplacer("{app}", setting(info, "Application", "name"))
	for _, row := range placeRows() {
		if row[0] == "starter" || row[0] == "flatpak" && info != "" {
			list = append(list, starter{h.expand(app.Replace(row[1])), row[2], row[3]})
		}
	}
	return list
}

// startedBy returns the first line of a starter's file that sets a variable.
func (h host) startedBy(name string, list []starter) FileLine {
	size, assigned := 0, assignment(name, h.variable(name))
	for _, s := range list {
		for _, file := range s.files[:min(len(s.files), maxStarters)] {
			text := h.machine.Whole(file)
			if size += len(text); size > maxStarterBytes {
				return FileLine{}
			}
			lines := strings.Split(text, "\n")
			for number := range lines {
				if strings.Contains(lines[number], name) && s.sets(lines[number:], assigned) {
					return FileLine{file, number + 1}
				}
			}
		}
	}
	return FileLine{}
}

// sets reports whether the first line has an assignment. The value of Heroic's entries is in the next line.
func (s *starter) sets(lines []string, assigned *regexp.Regexp) bool {
	line, is := strings.CutPrefix(strings.TrimSpace(lines[0]), s.key)
	if !is {
		return false
	}
	if s.key == "" {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, ";") {
			return false
		}
		line, _, _ = strings.Cut(line, " #")
	}
	if len(lines) > 1 && strings.Contains(lines[1], `"value"`) {
		line += "\n" + lines[1]
	}
	return assigned.MatchString(line)
}

// assignment returns the pattern of a text that assigns a value to a variable: NAME=VALUE, NAME,VALUE, or an entry of
// YAML, JSON or Python. The tool does not expand a value with a dollar or percent sign, and accepts any.
func assignment(name, value string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[ \t"';=])` + regexp.QuoteMeta(name) + `["' \t]*[=:,](?:[\s"'\\]|"value":)*(?:` +
		regexp.QuoteMeta(value) + `(?:[\s"';\\,}]|$)|[^ ]*[$%])`)
}

// unit is the service of systemd that starts the examined program; the zero value: none is known.
type unit struct {
	process.Unit
	directory string // of the administrator's or user's unit files
	nixos     bool   // the system's configuration has the unit

	files map[string]FileLine // by variable: the line of an EnvironmentFile= that sets it, and wins over the unit
}

// unit returns the service that starts the examined program: that of the process, or of the tool itself.
func (r *exam) unit() unit {
	list := r.options.ControlGroup
	if list == "" && r.source.Program == "" {
		list = r.machine.Text("/proc/self/cgroup")
	}
	u := unit{Unit: process.UnitIn(list), directory: "/etc/systemd/system",
		nixos: readDistribution(r.machine).is("nixos")}
	base, _, _ := strings.Cut(u.Name, "@")
	if u.Name == "" || isNamed(strings.TrimSuffix(base, ".service"), "login") || strings.HasSuffix(base, "getty") ||
		base == "user" {
		return unit{}
	}
	if u.OfUser {
		u.directory = r.configHome() + "/systemd/user"
		if strings.HasPrefix(u.directory, noHome) {
			return unit{}
		}
	}
	if process.UnitText(r.machine, u.Unit, r.configHome()) == "" {
		return unit{}
	}
	return u
}

// noHome is a path below which no file exists.
const noHome = "/dev/null"

// ownHome returns the user's home directory; noHome without an absolute path in HOME.
func (h host) ownHome() string {
	if home := h.variable(variables.Home.Name()); path.IsAbs(home) {
		return path.Clean(home)
	}
	return noHome
}

// configHome returns the directory of the user's configuration. The XDG specification ignores relative paths.
func (h host) configHome() string {
	if directory := h.variable(variables.ConfigHome.Name()); path.IsAbs(directory) {
		return directory
	}
	return h.ownHome() + "/.config"
}

// setting returns advice to change variables of the service, which starts again.
func (u unit) setting(c explain.Change) *Remedy {
	var written, settings, attributes []string
	for at := &c; at != nil; at = at.And {
		switch by := u.files[at.Variable]; {
		case at.Set && by.File != "":
			written = append(written, at.Variable+"="+systemdQuote(at.Value)+" into "+by.String())
		case at.Set:
			settings = append(settings, "Environment="+
				strings.ReplaceAll(systemdQuote(at.Variable+"="+at.Value), "%", "%%"))
			value := strings.NewReplacer("${", `\${`, "%", "%%").Replace(systemdQuote(at.Value))
			attributes = append(attributes, "environment."+at.Variable+" = "+value)
		default:
			settings = append(settings, "UnsetEnvironment="+at.Variable)
			attributes = append(attributes, `serviceConfig.UnsetEnvironment = "`+at.Variable+`"`)
		}
	}
	do := u.change(c.Variable, settings, attributes)
	if len(written) > 0 {
		do.text = "Write " + strings.Join(written, ", and ") + term.Either(u.OfUser, ", then: ", ". ") + do.text
	}
	return do
}

// change returns advice to write settings into a drop-in of the unit, on NixOS attributes into its configuration, and
// to start the service again.
func (u unit) change(file string, settings, attributes []string) *Remedy {
	directory := u.directory + "/" + u.Name + ".d"
	args := with("directory", directory, "file", directory+"/"+file+".conf", "unit", unitName(u.Name), "own",
		term.Either(u.OfUser, "own", ""))
	of := term.Either(u.OfUser, "systemd.user.services.", "systemd.services.") + `"` + unitName(u.Name) + `".`
	args["settings"], args["attributes"] = settings,
		term.Words(attributes, func(one string) string { return of + one + ";" })
	return (&distribution{image: term.Either(u.nixos, declarative, changeable)}).by("service", args)
}

// systemdQuote returns text in quotes, as in an EnvironmentFile of systemd and in YAML.
func systemdQuote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// setIn returns the lines that set a variable in the unit's files and their environment files. The latter win.
func (h host) setIn(u *unit, name string) (places []FileLine) {
	by := FileLine{} // of the environment files
	plain := strings.TrimSuffix(u.Name, ".service")
	prefix, instance, _ := strings.Cut(plain, "@")
	specifiers := strings.NewReplacer("%n", u.Name, "%N", plain, "%p", prefix, "%i", instance, "%%", "%")
	for _, file := range process.UnitFiles(h.machine, u.Unit, h.configHome()) {
		for number, line := range strings.Split(h.machine.Whole(file), "\n") {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch strings.TrimSpace(key) {
			case "Environment":
				if slices.ContainsFunc(strings.Fields(value),
					func(word string) bool { return strings.HasPrefix(strings.Trim(word, `"'`), name+"=") }) {
					places = append(places, FileLine{file, number + 1})
				}
			case "EnvironmentFile":
				more := specifiers.Replace(strings.Trim(strings.TrimPrefix(strings.TrimSpace(value), "-"), `"'`))
				if more == "" { // the files so far do not count
					by = FileLine{}
				}
				if lines := h.linesThatSet(name, more); len(lines) > 0 {
					by = lines[len(lines)-1]
				}
			}
		}
	}
	if by.File == "" {
		return places
	}
	if u.files == nil {
		u.files = map[string]FileLine{}
	}
	u.files[name] = by
	return append([]FileLine{by}, places...)
}

// setter is a process that gives a variable to the processes below it: the nearest parent of the tool that was started
// without it.
type setter struct {
	name string
	pid  int
	at   FileLine // the line of a script that sets the variable; without a file: unknown
	self bool     // a shell that started the tool itself, after it had set the variable
}

// maxParents is the number of parents that are asked for a variable.
const maxParents = 64

// setterOf returns the parent of the tool that sets a variable; nil if none is known: the variable is an option's, the
// first process has it, or a parent belongs to another user.
func (h host) setterOf(variable string) *setter {
	value, set := h.machine.Lookup(variable)
	if !set || h.machine.Foreign() || h.machine.Tree != nil {
		return nil
	}
	pid := "self"
	for range maxParents {
		environ := h.machine.Whole("/proc/" + pid + "/environ")
		if environ == "" {
			return nil
		}
		if had, has := (&machine.Machine{Environ: strings.Split(environ, "\x00")}).Lookup(variable); !has ||
			had != value {
			if pid == "self" {
				return nil
			}
			return h.newSetter(pid, variable)
		}
		_, rest, _ := strings.Cut(h.machine.Whole("/proc/"+pid+"/stat"), ") ") // a state, then the parent
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] == "0" {
			return nil
		}
		pid = fields[1]
	}
	return nil
}

// newSetter describes a process by its program, or by the script that its shell runs.
func (h host) newSetter(pid, variable string) *setter {
	s := &setter{}
	s.pid, _ = strconv.Atoi(pid)
	words := strings.Split(strings.TrimRight(h.machine.Whole("/proc/"+pid+"/cmdline"), "\x00"), "\x00")
	s.name = path.Base(words[0])
	shells := []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"}
	if !slices.Contains(shells, s.name) {
		return s
	}
	// A shell exports the path of the command in the variable _, also for a script that the tool has replaced since.
	own := &machine.Machine{Environ: strings.Split(h.machine.Whole("/proc/self/environ"), "\x00")}
	replaced, _ := own.Lookup("_")
	s.self = path.Base(replaced) == path.Base(os.Args[0])
	for _, script := range append(words[1:min(2, len(words))], replaced) {
		if at := h.lineOf(script, variable); at.File != "" {
			s.name, s.at = path.Base(script), at
			break
		}
	}
	return s
}

// lineOf returns the last line of a script that sets a variable; without a file: none.
func (h host) lineOf(script, variable string) (at FileLine) {
	if !path.IsAbs(script) {
		return at
	}
	assigned := assignment(variable, h.variable(variable))
	for _, line := range h.linesWith(script, func(line string) bool {
		return setsVariable(line, variable) || !strings.HasPrefix(strings.TrimSpace(line), "#") &&
			assigned.MatchString(line)
	}) {
		at = line
	}
	return at
}

// setterText returns a clause about the parent that sets a variable; "" if none is known.
func (h host) setterText(variable string) string {
	s := h.setterOf(variable)
	if s == nil {
		return ""
	}
	process := fmt.Sprintf("%s (process %d)", s.name, s.pid)
	return ", which " + term.Either(s.at.File == "", process, s.at.String()) + " sets"
}
