package loaders

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
)

// owner is an installed package.
type owner struct{ name, version string }

// rpmLimit is the time limit for rpm, whose answer is optional.
const rpmLimit = 2 * time.Second

// ownerOf returns the package of a loader's file, from the text files of the package managers; reading them is faster than
// running the managers. If ask is true and no text file has the loader's file, it asks rpm of this machine. nil: no known
// package has the file.
func ownerOf(m *machine.Machine, file string, ask bool) *owner {
	for _, look := range []func(*machine.Machine, string) *owner{dpkgOwner, apkOwner, pacmanOwner} {
		if found := look(m, file); found != nil {
			return found
		}
	}
	if !ask {
		return nil
	}
	return rpmOwner(m, file)
}

// likely reports whether a loader's package may have this name. Only the file lists of these packages are read.
func likely(name string) bool {
	return strings.Contains(name, "vulkan") || strings.Contains(name, "vkloader")
}

// lists reports whether a list of paths has a file, with or without /usr: older packages list /lib for /usr/lib.
func lists(list, file string) bool {
	list = "\n" + list + "\n"
	return strings.Contains(list, "\n"+file+"\n") || strings.Contains(list, "\n"+strings.TrimPrefix(file, "/usr")+"\n")
}

const dpkgLists = "/var/lib/dpkg/info"

// usualLists returns the lists of the package that nearly every loader on dpkg's systems belongs to. They are read before the
// names of thousands of other lists.
func usualLists() []string {
	lists := []string{"libvulkan1"}
	for _, m := range machines.All() {
		lists = append(lists, "libvulkan1:"+m.Target)
	}
	return lists
}

// dpkgOwner returns the package that has a file; nil if none has.
func dpkgOwner(m *machine.Machine, file string) *owner {
	for _, list := range usualLists() {
		if found := dpkgListed(m, list, file); found != nil {
			return found
		}
	}
	entries, _ := m.ReadDir(dpkgLists)
	for _, entry := range entries {
		list, is := strings.CutSuffix(entry.Name(), ".list")
		if !is || !likely(list) {
			continue
		}
		if found := dpkgListed(m, list, file); found != nil {
			return found
		}
	}
	return nil
}

// dpkgListed returns the package of a list, NAME or NAME:ARCHITECTURE, if the list has the file.
func dpkgListed(m *machine.Machine, list, file string) *owner {
	text, err := m.ReadFile(dpkgLists + "/" + list + ".list")
	if err != nil || !lists(string(text), file) {
		return nil
	}
	name, architecture, _ := strings.Cut(list, ":")
	return &owner{name, dpkgVersion(m, name, architecture)}
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

func apkOwner(m *machine.Machine, file string) *owner {
	for p := range m.ApkInstalled() {
		if slices.Contains(p.Files, file) {
			return &owner{p.Name, p.Version}
		}
	}
	return nil
}

func pacmanOwner(m *machine.Machine, file string) *owner {
	const directory = "/var/lib/pacman/local"
	entries, _ := m.ReadDir(directory)
	for _, entry := range entries {
		part := strings.Split(entry.Name(), "-")
		if len(part) < 3 || !likely(entry.Name()) {
			continue
		}
		list, err := m.ReadFile(directory + "/" + entry.Name() + "/files")
		if err == nil && lists(string(list), strings.TrimPrefix(file, "/")) {
			return &owner{strings.Join(part[:len(part)-2], "-"), strings.Join(part[len(part)-2:], "-")}
		}
	}
	return nil
}

func rpmOwner(m *machine.Machine, file string) *owner {
	if m.Foreign() || !path.IsAbs(file) || !m.Exists("/usr/lib/sysimage/rpm") && !m.Exists("/var/lib/rpm") {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), rpmLimit)
	defer cancel()
	answer, err := machine.AskRPM(ctx, "-qf", "--queryformat", "%{NAME} %{VERSION}-%{RELEASE}\n", "--", file)
	if err != nil {
		return nil
	}
	return rpmAnswer(string(answer))
}

// rpmAnswer returns the package in rpm's answer, which has a line "NAME VERSION" for each package of a file. A file of packages for
// several machines has several lines of one name; the first one counts. nil: the answer names no package, or different ones.
func rpmAnswer(answer string) *owner {
	var found *owner
	for line := range strings.Lines(answer) {
		words := strings.Fields(line)
		switch {
		case len(words) != 2 || found != nil && found.name != words[0]: // "file ... is not owned by any package"
			return nil
		case found == nil:
			found = &owner{words[0], words[1]}
		}
	}
	return found
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
