package loaders

import (
	"strings"

	"vkloader/internal/decide/machine"
)

// owner is an installed package.
type owner struct{ name, version string }

// likely reports whether a loader's package may have this name. Only the file lists of these packages are read.
func likely(name string) bool {
	return strings.Contains(name, "vulkan") || strings.Contains(name, "vkloader")
}

// ownerOf returns the package of a loader's file, from the text files of the package managers. If ask is true and no
// text file has the loader's file, it asks rpm of this machine. nil: no known package has the file.
func ownerOf(m *machine.Machine, file string, ask bool) *owner {
	files := []string{file}
	if older, is := strings.CutPrefix(file, "/usr"); is { // older packages list /lib for /usr/lib
		files = append(files, older)
	}
	owners := m.LikelyOwners(files, likely, ask)
	for _, file := range files {
		list, _, _ := strings.Cut(owners[file], ", ")
		name, architecture, _ := strings.Cut(list, ":")
		if name == "" {
			continue
		}
		version := dpkgVersion(m, name, architecture)
		if version == "" {
			found, _ := m.Package(name)
			version = found.Version
		}
		return &owner{name, version}
	}
	return nil
}

// dpkgVersion returns the version of an installed package; architecture "": any.
func dpkgVersion(m *machine.Machine, name, architecture string) string {
	for record := range m.DpkgRecords(name) {
		if architecture == "" || machine.Field(record, "Architecture") == architecture {
			return machine.Field(record, "Version")
		}
	}
	return ""
}

// systemName returns the distribution's name without "GNU/Linux" or "Linux": "Debian", "Linux Mint".
func systemName(m *machine.Machine) string {
	for _, file := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		data, err := m.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if value, is := strings.CutPrefix(strings.TrimSpace(line), "NAME="); is {
				name := strings.Trim(value, `"'`)
				for _, end := range []string{" GNU/Linux", " Linux"} {
					name = strings.TrimSuffix(name, end)
				}
				return name
			}
		}
	}
	return ""
}
