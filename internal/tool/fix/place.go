package fix

import (
	"path/filepath"

	"vkloader/internal/core/pathname"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// homeVariable is the variable with the directory of the user's own files.
var homeVariable = term.Either(machine.Style == pathname.Backslash, "LOCALAPPDATA", variables.Home.Name())

// states are the variables with the directory of a program's state, and its path below each, in order.
var states = term.Either(machine.Style == pathname.Backslash, [][2]string{{homeVariable, ""}},
	[][2]string{{"XDG_STATE_HOME", ""}, {homeVariable, ".local/state"}})

// homeOf returns the directory of the user's own files; "": unknown.
func homeOf(m *machine.Machine) string {
	home, _ := m.Lookup(homeVariable)
	if home = filepath.Clean(home); !filepath.IsAbs(home) || home == "/" {
		return ""
	}
	return home
}

// UndoFile returns the path of the saved contents; "" without a home directory.
func UndoFile(m *machine.Machine) string {
	for _, state := range states {
		if directory, _ := m.Lookup(state[0]); filepath.IsAbs(directory) {
			return filepath.Join(directory, state[1], "vkloader", undoName)
		}
	}
	return ""
}
