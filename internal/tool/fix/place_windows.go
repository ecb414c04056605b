package fix

import (
	"path/filepath"
	"strings"

	"vkloader/internal/decide/machine"
)

// homeOf is the directory that the user's own files lie below; "": it is not known.
func homeOf(m *machine.Machine) string {
	home, _ := m.Lookup("LOCALAPPDATA")
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Clean(home)
}

// UndoFile is where previous contents are kept; "" without a home directory.
func UndoFile(m *machine.Machine) string {
	home := homeOf(m)
	if home == "" {
		return ""
	}
	return filepath.Join(home, "vkloader", undoName)
}

// below tells whether a path is below a directory; both are full.
func below(name, directory string) bool {
	directory = strings.TrimSuffix(directory, `\`) + `\`
	return len(name) > len(directory) && strings.EqualFold(name[:len(directory)], directory)
}
