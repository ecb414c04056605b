package machine

import (
	"fmt"
	"path"
	"strings"
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
