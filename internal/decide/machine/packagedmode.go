package machine

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// InstalledReadable reports whether every package that owns a file, or a directory, installs it readable for every
// user. rpm, apk and pacman record the modes. dpkg records none: there only the drivers' libraries and the directories
// and manifests of Vulkan are known to be readable.
func (m *Machine) InstalledReadable(place string, directory bool) bool {
	names := []string{place}
	if other := strings.TrimPrefix(place, "/usr"); strings.HasPrefix(other, "/lib") && other != place {
		if real, err := m.Real(path.Dir(other)); err == nil && real == path.Dir(place) {
			names = append(names, other) // /lib is a link to /usr/lib
		}
	}
	needed := fs.FileMode(0o444)
	if directory {
		needed = 0o555
	}
	for _, name := range names {
		if m.dpkgMode(name, directory)&needed == needed {
			return true
		}
		modes := m.apkModes(name)
		for _, find := range []func(string) []fs.FileMode{m.pacmanModes, m.rpmModes} {
			if len(modes) == 0 {
				modes = find(name)
			}
		}
		all := len(modes) > 0
		for _, mode := range modes {
			all = all && mode&needed == needed
		}
		if all {
			return true
		}
	}
	return false
}

// dpkgDirectories and dpkgFiles are the places that Debian's packages install readable for every user.
const (
	dpkgDirectories = `^((/usr)?/lib(32|64|x32)?(/.*)?|/(usr|etc|usr/share|etc/xdg)(/vulkan(/[^/]*\.d)?)?)$`
	dpkgFiles       = `^((/usr)?/lib(32|64|x32)?/.*\.so(\.[0-9.]+)?|/(usr/share|etc|etc/xdg)/vulkan/[^/]*\.d/[^/]*\.json)$`
)

// dpkgMode returns the mode of a place of a dpkg package; 0: unknown.
func (m *Machine) dpkgMode(place string, directory bool) fs.FileMode {
	owners := map[string]string{}
	if m.dpkgLists([]string{place}, func(string) bool { return true }, owners); owners[place] == "" {
		return 0
	}
	changed, _ := m.ReadLarge("/var/lib/dpkg/statoverride") // lines "USER GROUP MODE PATH"
	for line := range strings.Lines(string(changed)) {
		if part := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4); len(part) == 4 && part[3] == place {
			return octal(part[2])
		}
	}
	switch {
	case directory && regexp.MustCompile(dpkgDirectories).MatchString(place):
		return 0o755
	case !directory && regexp.MustCompile(dpkgFiles).MatchString(place):
		return 0o644
	}
	return 0
}

// apkModes reads the modes of a place in apk's list: "F:" a directory and "M:" its owner and mode, "R:" a file in it
// and "a:" its owner and mode. Without a mode, a directory has 755 and a file 644.
func (m *Machine) apkModes(place string) (modes []fs.FileMode) {
	directory, found := "", false
	for line := range bytes.Lines(m.apkList()) {
		kind, text, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), ":")
		switch kind {
		case "F":
			directory = "/" + text
			if found = directory == place; found {
				modes = append(modes, 0o755)
			}
		case "R":
			if found = directory+"/"+text == place; found {
				modes = append(modes, 0o644)
			}
		case "M", "a":
			if part := strings.Split(text, ":"); found && len(part) > 2 {
				modes[len(modes)-1] = octal(part[2])
			}
		}
	}
	return modes
}

// pacmanModes reads the modes of a place in pacman's compressed lists: "/set" has the values of the next lines,
// "./PATH" those of a file.
func (m *Machine) pacmanModes(place string) (modes []fs.FileMode) {
	for p, directory := range m.pacmanInstalled(func(string) bool { return true }) {
		if !slices.Contains(p.Files, place) && !slices.Contains(p.Files, place+"/") {
			continue
		}
		packed, _ := m.ReadLarge(pacmanLocal + "/" + directory + "/mtree")
		text, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return append(modes, 0)
		}
		initial, own := "", ""
		for lines := bufio.NewScanner(io.LimitReader(text, maxLarge)); lines.Scan(); {
			name, values, _ := strings.Cut(lines.Text(), " ")
			mode := ""
			for value := range strings.FieldsSeq(values) {
				if text, is := strings.CutPrefix(value, "mode="); is {
					mode = text
				}
			}
			if name == "/set" && mode != "" {
				initial = mode
			} else if name == "."+place {
				if own = mode; own == "" {
					own = initial
				}
			}
		}
		modes = append(modes, octal(own))
	}
	return modes
}

// rpmModes asks this machine's rpm.
func (m *Machine) rpmModes(place string) []fs.FileMode {
	if !m.AsksRPM() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), packageLimit)
	defer cancel()
	return rpmModes(ctx, rpmProgram, place)
}

func rpmModes(ctx context.Context, program, place string) (modes []fs.FileMode) {
	answer, _ := askRPM(ctx, program, "-qf", "--queryformat", "[%{FILEMODES:octal} %{FILENAMES}\n]", "--", place)
	for line := range bytes.Lines(answer) {
		if mode, name, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " "); name == place {
			modes = append(modes, octal(mode))
		}
	}
	return modes
}

// octal returns the permissions of a mode; 0 for a text that is no mode.
func octal(text string) fs.FileMode {
	mode, _ := strconv.ParseUint(text, 8, 32)
	return fs.FileMode(mode).Perm()
}
