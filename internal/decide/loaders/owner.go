package loaders

import (
	"strings"

	"vkloader/internal/decide/machine"
)

// likely reports whether a loader's package may have this name. Only the file lists of these packages are read.
func likely(name string) bool {
	return strings.Contains(name, "vulkan") || strings.Contains(name, "vkloader")
}

// ownerOf returns the package of a loader's file, from the text files of the package managers. If ask is true and no
// text file has the loader's file, it asks rpm of this machine. It returns false if no known package has the file.
func ownerOf(m *machine.Machine, file string, ask bool) (owner machine.Package, known bool) {
	files := []string{file}
	if older, is := strings.CutPrefix(file, "/usr"); is { // older packages list /lib for /usr/lib
		files = append(files, older)
	}
	owners := m.LikelyOwners(files, likely, ask)
	for _, file := range files {
		if name, _, _ := strings.Cut(owners[file], ", "); name != "" {
			owner, _ = m.Package(name)
			owner.Name, _, _ = strings.Cut(name, ":") // of Debian's architecture
			return owner, true
		}
	}
	return owner, false
}

// systemName returns the distribution's name without "GNU/Linux" or "Linux": "Debian", "Linux Mint".
func systemName(m *machine.Machine) string {
	return strings.TrimSuffix(strings.TrimSuffix(m.Release()["NAME"], " Linux"), " GNU/Linux")
}
