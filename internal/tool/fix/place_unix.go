//go:build unix

package fix

import (
	"path"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// homeOf returns the directory of the user's own files; "": unknown.
func homeOf(m *machine.Machine) string {
	home, _ := m.Lookup(variables.Home.Name())
	if home = path.Clean(home); !path.IsAbs(home) || home == "/" {
		return ""
	}
	return home
}

// UndoFile returns the path of the saved contents; "" without a home directory.
func UndoFile(m *machine.Machine) string {
	if state, _ := m.Lookup("XDG_STATE_HOME"); path.IsAbs(state) {
		return path.Join(state, "vkloader", undoName)
	}
	if home, _ := m.Lookup(variables.Home.Name()); path.IsAbs(home) {
		return path.Join(home, ".local/state/vkloader", undoName)
	}
	return ""
}

// below reports whether a path is below a directory. Both are absolute.
func below(name, directory string) bool {
	return strings.HasPrefix(name, strings.TrimSuffix(directory, "/")+"/")
}
