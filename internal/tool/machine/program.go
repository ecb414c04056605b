package machine

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"vkloader/internal/core/pathname"
)

// FindProgram finds a program by its path or by its name, as a shell does.
func (m *Machine) FindProgram(name string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		return name, nil
	}
	search, _ := m.Lookup("PATH")
	for _, directory := range strings.Split(search, ListSeparator) {
		file := path.Join(directory, name)
		if info, err := m.Stat(file); directory != "" && err == nil && info.Mode().IsRegular() {
			return file, nil
		}
	}
	if m.Exists("/" + name) {
		return "/" + name, nil
	}
	return "", fmt.Errorf("there is no program %s in PATH: give its path", name)
}

// SameLibrary compares what a manifest names with what was loaded: a name without a directory may be anywhere, and is
// usually a link to a file with a longer version (libx.so.0 and libx.so.5.8).
func SameLibrary(named, loaded string) bool {
	if Style == pathname.Backslash {
		return strings.EqualFold(filepath.Clean(named), filepath.Clean(loaded)) ||
			filepath.Base(named) == named && strings.EqualFold(named, filepath.Base(loaded))
	}
	if !strings.Contains(named, "/") {
		stem, _, _ := strings.Cut(named, ".so")
		loadedStem, _, _ := strings.Cut(filepath.Base(loaded), ".so")
		return stem == loadedStem
	}
	if real, err := filepath.EvalSymlinks(named); err == nil {
		named = real
	}
	if real, err := filepath.EvalSymlinks(loaded); err == nil {
		loaded = real
	}
	return filepath.Clean(named) == filepath.Clean(loaded)
}
