package doctor

import (
	"strconv"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// fromStart returns the value of a variable in the container's first process, as set by the image or the runtime's options.
// known reports whether that value can be read.
func (h host) fromStart(name string) (value string, set, known bool) {
	if h.machine.Tree != nil { // a host described by files has no process to read
		value, set = h.machine.Lookup(name)
		return value, set, true
	}
	first := h.whole("/proc/1/environ")
	if first == "" {
		return "", false, false
	}
	value, set = (&machine.Machine{Environ: strings.Split(first, "\x00")}).Lookup(name)
	return value, set, true
}

// byShell reports whether a variable of a program in a container was set after the container's start, for example by a
// shell.
func (h host) byShell(name string) bool {
	now, set := h.machine.Lookup(name)
	if !set {
		return false
	}
	value, had, known := h.fromStart(name)
	if !known {
		return !h.machine.Foreign()
	}
	return !had || value != now
}

// inContainer reports whether a sandbox is a container whose runtime sets variables.
func inContainer(kind string) bool {
	return kind == "docker" || kind == "podman" || kind == "kubernetes"
}

// without returns advice to start a container without a variable that its image or runtime sets.
func without(kind, name string) told {
	switch kind {
	case "podman":
		return startWith(kind, "--unsetenv="+name)
	case "kubernetes":
		return advised(`Begin the container's command in the pod with: ["env", "-u", "` + name + `", ...]`)
	}
	return advised("Start the container with: docker run ... env -u " + name + " PROGRAM")
}

// Unfixed returns the reason why "doctor --fix" cannot fix the finding; "" if there is a change of files or variables to
// try.
func (f *Finding) Unfixed() string {
	switch do := f.advice.(type) {
	case tried:
		switch {
		case inContainer(do.kind):
			return "the variable is set when the container starts"
		case do.kind == "service":
			return "the service's unit sets its variables"
		case do.kind != "":
			return "the variable is set outside, by " + term.Or(sandboxWords[do.kind], "Steam")
		case do.aim == byHand:
			return "another program wrote the file"
		case do.aim == forUnasked:
			return "it shows the driver to programs that may use what it lacks: run the line yourself"
		case len(do.choice) > 0:
			return "only you know which device is meant"
		case do.ofProgram():
			return "only some programs need it: start them with this line"
		case do.File != "":
			return do.File + " is not yours, or belongs to a package"
		}
		return "no file of yours sets the variable"
	case told:
		switch {
		case do.root:
			return "it needs root"
		case do.left != "":
			return do.left
		}
	}
	return "no known change of a file or variable fixes it"
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
	home := h.variable(variables.Home.Name())
	files := []string{"/etc/environment", "/etc/security/pam_env.conf", "/etc/profile", "/etc/bash.bashrc", "/etc/zsh/zshenv", "/etc/zsh/zprofile", "/etc/zsh/zshrc"}
	for _, directory := range []string{"/etc/environment.d", "/usr/lib/environment.d", "/etc/profile.d", "/etc/X11/Xsession.d", "/etc/X11/xinit/xinitrc.d",
		home + "/.config/environment.d", home + "/.config/plasma-workspace/env", home + "/.config/fish/conf.d"} {
		for _, name := range m.Names(directory) {
			files = append(files, directory+"/"+name)
		}
	}
	for _, name := range []string{".pam_environment", ".profile", ".bash_profile", ".bashrc", ".xprofile", ".xsessionrc",
		".zshenv", ".zprofile", ".zshrc", ".config/fish/config.fish"} {
		files = append(files, home+"/"+name)
	}
	for _, file := range files {
		for number, line := range strings.Split(h.whole(file), "\n") {
			if setsVariable(line, name) {
				places = append(places, FileLine{file, number + 1})
			}
		}
	}
	return places
}

// setsVariable reports whether a line in a file of a shell, of PAM or of systemd sets a variable.
func setsVariable(line, name string) bool {
	line = strings.TrimSpace(line)
	for _, word := range []string{"export ", "set -gx ", "set -x ", "set -Ux ", "typeset -x ", "declare -x "} {
		line = strings.TrimSpace(strings.TrimPrefix(line, word))
	}
	rest, ok := strings.CutPrefix(line, name)
	return ok && rest != "" && strings.ContainsRune("= \t", rune(rest[0]))
}
