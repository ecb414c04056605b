package doctor

import (
	"strconv"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
)

// Line is a line of a file.
type Line struct {
	File   string
	Number int // from 1
}

func (l Line) String() string { return l.File + ", line " + strconv.Itoa(l.Number) }

// SetIn finds the lines that give a variable a value, in the files that sessions and shells read.
func SetIn(m *machine.Machine, name string) (places []Line) {
	e := &exam{machine: m}
	home := e.variable(variables.Home.Name())
	files := []string{"/etc/environment", "/etc/security/pam_env.conf", "/etc/profile", "/etc/bash.bashrc", "/etc/zsh/zshenv"}
	for _, directory := range []string{"/etc/environment.d", "/usr/lib/environment.d", "/etc/profile.d",
		home + "/.config/environment.d", home + "/.config/plasma-workspace/env", home + "/.config/fish/conf.d"} {
		for _, name := range e.machine.Names(directory) {
			files = append(files, directory+"/"+name)
		}
	}
	for _, name := range []string{".pam_environment", ".profile", ".bash_profile", ".bashrc", ".xprofile", ".xsessionrc",
		".zshenv", ".zprofile", ".zshrc", ".config/fish/config.fish"} {
		files = append(files, home+"/"+name)
	}
	for _, file := range files {
		for number, line := range strings.Split(e.whole(file), "\n") {
			if setsVariable(line, name) {
				places = append(places, Line{file, number + 1})
			}
		}
	}
	return places
}

// setsVariable tells whether a line of a file of a shell, of PAM or of systemd gives a variable a value.
func setsVariable(line, name string) bool {
	line = strings.TrimSpace(line)
	for _, word := range []string{"export ", "set -gx ", "set -x ", "set -Ux ", "typeset -x ", "declare -x "} {
		line = strings.TrimSpace(strings.TrimPrefix(line, word))
	}
	rest, ok := strings.CutPrefix(line, name)
	return ok && rest != "" && strings.ContainsRune("= \t", rune(rest[0]))
}
