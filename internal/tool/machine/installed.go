package machine

import (
	"bytes"
	"context"
	"iter"
	"os/exec"
	"strings"
)

// Package is a package that is installed.
type Package struct {
	Name    string
	Version string
	Files   []string // where they have to be
}

// Package looks a package up by its name. The lists that dpkg, apk and pacman keep are read, and on this machine rpm is asked.
// Of a package for several architectures that of 64 bits is taken, where it is there. False: it is not installed, or nobody knows.
func (m *Machine) Package(name string) (Package, bool) {
	if name == "" || strings.ContainsAny(name, "/\n :*") {
		return Package{}, false
	}
	for _, find := range []func(string) (Package, bool){m.dpkgPackage, m.apkPackage, m.pacmanPackage, m.rpmPackage} {
		if p, is := find(name); is {
			p.Name = name
			return p, true
		}
	}
	return Package{}, false
}

// DpkgRecords are what dpkg knows of a package, a record for each architecture.
func (m *Machine) DpkgRecords(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		status, _ := m.ReadLarge("/var/lib/dpkg/status")
		head := []byte("Package: " + name + "\n")
		for at := bytes.Index(status, head); at >= 0; at = bytes.Index(status, head) {
			begins := at == 0 || status[at-1] == '\n'
			status = status[at:]
			if record, _, _ := bytes.Cut(status, []byte("\n\n")); begins && !yield(string(record)) {
				return
			}
			status = status[len(head):]
		}
	}
}

// Field is the value of a line "NAME: VALUE" of a record.
func Field(record, name string) string {
	for line := range strings.SplitSeq(record, "\n") {
		if value, is := strings.CutPrefix(line, name+": "); is {
			return value
		}
	}
	return ""
}

// dpkgPackage reads dpkg's list of a package, and its state from the file of all of them.
func (m *Machine) dpkgPackage(name string) (found Package, is bool) {
	for record := range m.DpkgRecords(name) {
		architecture := Field(record, "Architecture")
		if Field(record, "Status") != "install ok installed" || is && architecture == "i386" {
			continue
		}
		found, is = Package{Version: Field(record, "Version")}, true
		for _, list := range []string{name, name + ":" + architecture} {
			if data, err := m.ReadLarge("/var/lib/dpkg/info/" + list + ".list"); err == nil {
				found.Files = strings.Split(strings.TrimSpace(string(data)), "\n")
			}
		}
	}
	return found, is
}

// ApkInstalled reads apk's list of what is installed: "P:" a package, "V:" its version, "F:" a directory of it, "R:" a file in that.
func (m *Machine) ApkInstalled() iter.Seq[Package] {
	data, err := m.ReadLarge("/lib/apk/db/installed")
	if err != nil {
		data, _ = m.ReadLarge("/usr/lib/apk/db/installed")
	}
	return func(yield func(Package) bool) {
		for record := range strings.SplitSeq(string(data), "\n\n") {
			p, directory := Package{}, ""
			for line := range strings.SplitSeq(record, "\n") {
				switch kind, text, _ := strings.Cut(line, ":"); kind {
				case "P":
					p.Name = text
				case "V":
					p.Version = text
				case "F":
					directory = text
				case "R":
					p.Files = append(p.Files, "/"+directory+"/"+text)
				}
			}
			if !yield(p) {
				return
			}
		}
	}
}

func (m *Machine) apkPackage(name string) (Package, bool) {
	for p := range m.ApkInstalled() {
		if p.Name == name {
			return p, true
		}
	}
	return Package{}, false
}

// pacmanPackage reads pacman's list of a package.
func (m *Machine) pacmanPackage(name string) (Package, bool) {
	const directory = "/var/lib/pacman/local"
	entries, err := m.ReadDir(directory)
	if err != nil {
		return Package{}, false
	}
	for _, entry := range entries {
		version, is := strings.CutPrefix(entry.Name(), name+"-")
		if !is || strings.Count(version, "-") != 1 {
			continue
		}
		list, err := m.ReadLarge(directory + "/" + entry.Name() + "/files")
		if err != nil {
			continue
		}
		found := Package{Version: version}
		for _, line := range strings.Split(string(list), "\n") {
			if line != "" && line[0] != '%' && !strings.HasSuffix(line, "/") {
				found.Files = append(found.Files, "/"+line)
			}
		}
		return found, true
	}
	return Package{}, false
}

// rpmPackage asks rpm.
func (m *Machine) rpmPackage(name string) (Package, bool) {
	if m.Foreign() {
		return Package{}, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), packageLimit)
	defer cancel()
	answer, err := exec.CommandContext(ctx, "rpm", "-q", "--queryformat", "%{VERSION}\n[%{FILENAMES}\n]", "--", name).Output()
	version, files, _ := strings.Cut(strings.TrimSpace(string(answer)), "\n")
	if err != nil || version == "" || strings.Contains(version, " ") {
		return Package{}, false
	}
	return Package{Version: version, Files: strings.Split(files, "\n")}, true
}
