package fix

import (
	"path/filepath"
	"strings"

	"vkloader/internal/decide/machine"
)

// homeOf returns the directory of the user's own files; "": unknown.
func homeOf(m *machine.Machine) string {
	home, _ := m.Lookup("LOCALAPPDATA")
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Clean(home)
}

// UndoFile returns the path of the saved contents; "" without a home directory.
func UndoFile(m *machine.Machine) string {
	home := homeOf(m)
	if home == "" {
		return ""
	}
	return filepath.Join(home, "vkloader", undoName)
}

// below reports whether a path is below a directory. Both are absolute.
func below(name, directory string) bool {
	directory = strings.TrimSuffix(directory, `\`) + `\`
	return len(name) > len(directory) && strings.EqualFold(name[:len(directory)], directory)
}
