package machine

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
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

// SameLibrary reports whether a manifest's library name and a loaded file are the same. A name without a directory, or
// below $ORIGIN, matches in any directory. The loaded file may have a longer version, because the name is usually a
// link (libx.so.0 leads to libx.so.5.8).
func SameLibrary(named, loaded string) bool {
	if Style == pathname.Backslash {
		return strings.EqualFold(filepath.Clean(named), filepath.Clean(loaded)) ||
			filepath.Base(named) == named && strings.EqualFold(named, filepath.Base(loaded))
	}
	if !strings.Contains(named, "/") || strings.Contains(named, "$ORIGIN") || strings.Contains(named, "${ORIGIN}") {
		stem, _, _ := strings.Cut(filepath.Base(named), ".so")
		loadedStem, _, _ := strings.Cut(filepath.Base(loaded), ".so")
		return stem == loadedStem
	}
	real := func(file string) string {
		if real, err := filepath.EvalSymlinks(file); err == nil {
			return real
		}
		return filepath.Clean(file)
	}
	tokens := Tokens{Lib: libsIn(loaded), Platform: Platforms()}
	return slices.ContainsFunc(tokens.Expand(named), func(name string) bool {
		return filepath.Clean(name) == filepath.Clean(loaded) || real(name) == real(loaded)
	})
}

// libsIn returns the values that $LIB can have in a path: lib64 and lib64/x for /usr/lib64/x/y.so.
func libsIn(file string) (list []string) {
	parts := strings.Split(file, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "lib") && i+1 < len(parts) {
			list = append(list, part)
			if i+2 < len(parts) {
				list = append(list, part+"/"+parts[i+1])
			}
		}
	}
	return list
}
