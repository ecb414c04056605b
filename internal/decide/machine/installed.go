package machine

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/spawn"
	"vkloader/internal/machines"
)

// Package is an installed package.
type Package struct {
	Name    string
	Version string
	Files   []string // paths
	Local   bool     // pacman: of no repository, such as one of Arch's AUR
}

// Package finds an installed package by its name, in the lists of dpkg, apk, pacman, Portage and XBPS, or on this
// machine with rpm. If it is installed for several architectures, Package prefers any of them to i386. It returns false
// if no list has the package.
func (m *Machine) Package(name string) (Package, bool) {
	if name == "" || strings.ContainsAny(name, "\n *") {
		return Package{}, false
	}
	for _, find := range []func(string) (Package, bool){m.dpkgPackage, m.apkPackage, m.pacmanPackage, m.portagePackage,
		m.xbpsPackage, m.rpmPackage} {
		if p, is := find(name); is {
			p.Name = name
			return p, true
		}
	}
	return Package{}, false
}

// dpkgRecords returns dpkg's records of a package, one for each architecture.
func (m *Machine) dpkgRecords(name string) iter.Seq[string] {
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

// field returns the value of a record's line "NAME: VALUE", and "" if the record has no such line.
func field(record, name string) string {
	for line := range strings.SplitSeq(record, "\n") {
		if value, is := strings.CutPrefix(line, name+": "); is {
			return value
		}
	}
	return ""
}

// dpkgPackage reads dpkg's file list of a package, and its version from the file with the records of all packages. It
// prefers the package of this machine's architecture, unless the name has one, as in libdrm2:i386.
func (m *Machine) dpkgPackage(name string) (found Package, is bool) {
	name, wanted, only := strings.Cut(name, ":")
	own, _ := machines.Own()
	for record := range m.dpkgRecords(name) {
		architecture := field(record, "Architecture")
		if field(record, "Status") != "install ok installed" || is && architecture != own.Target ||
			only && architecture != wanted {
			continue
		}
		found, is = Package{Version: field(record, "Version")}, true
		for _, list := range []string{name, name + ":" + architecture} {
			if data, err := m.ReadLarge("/var/lib/dpkg/info/" + list + ".list"); err == nil {
				found.Files = strings.Split(strings.TrimSpace(string(data)), "\n")
			}
		}
	}
	return found, is
}

// apkList reads apk's list of installed packages.
func (m *Machine) apkList() []byte {
	data, err := m.ReadLarge("/lib/apk/db/installed")
	if err != nil {
		data, _ = m.ReadLarge("/usr/lib/apk/db/installed")
	}
	return data
}

// apkInstalled reads apk's list of installed packages: "P:" a package, "V:" its version, "F:" a directory of it, "R:"
// a file in that.
func (m *Machine) apkInstalled() iter.Seq[Package] {
	data := m.apkList()
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
	for p := range m.apkInstalled() {
		if p.Name == name {
			return p, true
		}
	}
	return Package{}, false
}

// pacmanLocal is the directory of pacman's lists.
const pacmanLocal = "/var/lib/pacman/local"

// pacmanInstalled reads pacman's lists of the packages with a likely directory, NAME-VERSION-RELEASE. It returns each
// package, with the lines of its list after a slash, and its directory.
func (m *Machine) pacmanInstalled(likely func(directory string) bool) iter.Seq2[Package, string] {
	return func(yield func(Package, string) bool) {
		for _, directory := range m.Names(pacmanLocal) {
			part := strings.Split(directory, "-")
			if len(part) < 3 || !likely(directory) {
				continue
			}
			list, err := m.ReadLarge(pacmanLocal + "/" + directory + "/files")
			if err != nil {
				continue
			}
			p := Package{Name: strings.Join(part[:len(part)-2], "-"), Version: strings.Join(part[len(part)-2:], "-"),
				Files: strings.Split("/"+strings.ReplaceAll(string(list), "\n", "\n/"), "\n")}
			if !yield(p, directory) {
				return
			}
		}
	}
}

func (m *Machine) pacmanPackage(name string) (Package, bool) {
	likely := func(directory string) bool { return strings.HasPrefix(directory, name+"-") }
	for p, directory := range m.pacmanInstalled(likely) {
		if p.Name == name {
			record, _ := m.ReadLarge(pacmanLocal + "/" + directory + "/desc")
			p.Local = bytes.Contains(record, []byte("%VALIDATION%\nnone\n"))
			p.Files = slices.DeleteFunc(p.Files,
				func(file string) bool { return strings.HasPrefix(file, "/%") || strings.HasSuffix(file, "/") })
			return p, true
		}
	}
	return Package{}, false
}

// portagePackage reads Portage's list of a package, CATEGORY/NAME: "obj" and "sym" are its files.
func (m *Machine) portagePackage(name string) (Package, bool) {
	category, bare, _ := strings.Cut(name, "/")
	for _, entry := range m.Names("/var/db/pkg/" + category) {
		version, is := strings.CutPrefix(entry, bare+"-")
		if !is || version == "" || version[0] < '0' || version[0] > '9' {
			continue
		}
		found := Package{Version: version}
		list, _ := m.ReadLarge("/var/db/pkg/" + category + "/" + entry + "/CONTENTS")
		for line := range strings.Lines(string(list)) {
			if words := strings.Fields(line); len(words) > 2 && words[0] != "dir" {
				found.Files = append(found.Files, words[1])
			}
		}
		return found, true
	}
	return Package{}, false
}

// xbpsPackage reads the list of a package's files that XBPS of Void Linux writes.
func (m *Machine) xbpsPackage(name string) (Package, bool) {
	list, err := m.ReadLarge("/var/db/xbps/." + name + "-files.plist")
	if err != nil {
		return Package{}, false
	}
	found := Package{}
	for line := range strings.Lines(string(list)) {
		if text, is := strings.CutPrefix(strings.TrimSpace(line), "<string>/"); is {
			found.Files = append(found.Files, "/"+strings.TrimSuffix(text, "</string>"))
		}
	}
	return found, true
}

// rpmPackage asks rpm for a package, or for one that provides a library, as libdrm.so.2()(64bit).
func (m *Machine) rpmPackage(name string) (Package, bool) {
	if m.Foreign() {
		return Package{}, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), packageLimit)
	defer cancel()
	by := []string{"-q"}
	if strings.Contains(name, ".so.") {
		by = append(by, "--whatprovides")
	}
	answer, err := askRPM(ctx, rpmProgram,
		append(by, "--queryformat", "%{VERSION}-%{RELEASE}\n[%{FILENAMES}\n]", "--", name)...)
	version, files, _ := strings.Cut(strings.TrimSpace(string(answer)), "\n")
	if err != nil || version == "" || strings.Contains(version, " ") {
		return Package{}, false
	}
	return Package{Version: version, Files: strings.Split(files, "\n")}, true
}

// rpmProgram is the system's rpm.
const rpmProgram = "/usr/bin/rpm"

// askRPM runs rpm and returns its standard output. The variables of this process do not reach it: PATH may lead to
// another user's program, and rpm runs commands from a macro file in HOME.
func askRPM(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := spawn.New(ctx, spawn.Helper, program, args...)
	cmd.Env = []string{"HOME=/", "LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	return cmd.Output()
}

// packageLimit is the time limit for the package manager. Its answer is optional.
const packageLimit = 3 * time.Second

// Owners returns the packages of files, by path. It reads the text lists of dpkg, apk and pacman, and asks this
// machine's rpm about files that are in none of them. Files without a package are not in the result.
func (m *Machine) Owners(files []string) map[string]string {
	return m.LikelyOwners(files, func(string) bool { return true }, true)
}

// LikelyOwners is Owners for files of packages with likely names alone. It asks rpm only if ask is true.
func (m *Machine) LikelyOwners(files []string, likely func(name string) bool, ask bool) map[string]string {
	owners := map[string]string{}
	var wanted []string
	for _, file := range files {
		if strings.HasPrefix(file, "/") && !strings.Contains(file, "\n") && !slices.Contains(wanted, file) {
			wanted = append(wanted, file)
		}
	}
	if len(wanted) == 0 {
		return owners
	}
	m.dpkgLists(wanted, likely, owners)
	if len(owners) == 0 {
		for p := range m.apkInstalled() {
			p.enter(owners, wanted)
		}
		for p := range m.pacmanInstalled(likely) {
			p.enter(owners, wanted)
		}
	}
	if len(owners) == 0 && ask && m.AsksRPM() {
		ctx, cancel := context.WithTimeout(context.Background(), packageLimit)
		defer cancel()
		rpmOwners(ctx, rpmProgram, slices.DeleteFunc(wanted, func(file string) bool { return !m.Exists(file) }), owners)
	}
	return owners
}

// AsksRPM reports whether this machine's packages are in rpm's database, which only rpm reads.
func (m *Machine) AsksRPM() bool {
	return !m.Foreign() && (m.Exists("/usr/lib/sysimage/rpm") || m.Exists("/var/lib/rpm")) && !m.Exists(dpkgInfo)
}

// HasPackageList reports whether Owners finds a list of packages.
func (m *Machine) HasPackageList() bool {
	return m.AsksRPM() || len(m.apkList()) > 0 || len(m.Names(dpkgInfo)) > 0 || len(m.Names(pacmanLocal)) > 0
}

// enter sets the owner of each wanted path that the package has.
func (p *Package) enter(owners map[string]string, wanted []string) {
	for _, file := range p.Files {
		if slices.Contains(wanted, file) {
			owners[file] = p.Name
		}
	}
}

// dpkgInfo is the directory of dpkg's lists.
const dpkgInfo = "/var/lib/dpkg/info"

// dpkgLists reads dpkg's lists: a file for each package, a path in each line.
func (m *Machine) dpkgLists(wanted []string, likely func(string) bool, owners map[string]string) {
	is := map[string]bool{}
	for _, file := range wanted {
		is[file] = true
	}
	entries, err := m.ReadDir(dpkgInfo)
	for _, entry := range entries {
		name, list := strings.CutSuffix(entry.Name(), ".list")
		if err != nil || !list || !likely(name) {
			continue
		}
		text, err := m.ReadLarge(dpkgInfo + "/" + entry.Name())
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSuffix(line, []byte("\n")); err == nil && is[string(line)] {
				if other := owners[string(line)]; other != "" { // of two architectures
					owners[string(line)] = other + ", " + name
					continue
				}
				owners[string(line)] = name
			}
		}
	}
}

// rpmOwners asks rpm for the packages of existing files. Its answer has a line for each package of each file, in
// order. If a file has several packages, as a manifest of two word sizes has, rpmOwners asks again for each file.
func rpmOwners(ctx context.Context, program string, paths []string, owners map[string]string) {
	ask := func(files ...string) []string {
		answer, _ := askRPM(ctx, program, append([]string{"-qf", "--queryformat", "%{NAME}\n", "--"}, files...)...)
		return strings.Split(strings.TrimSuffix(string(answer), "\n"), "\n")
	}
	// such as "file ... is not owned by any package"
	none := func(line string) bool { return line == "" || strings.Contains(line, " ") }
	lines := ask(paths...)
	for i, file := range paths {
		var names []string
		switch {
		case len(lines) == len(paths):
			names = lines[i : i+1]
		case len(lines) > len(paths):
			names = slices.Compact(ask(file))
		}
		if names = slices.DeleteFunc(slices.Clone(names), none); len(names) > 0 {
			owners[file] = strings.Join(names, ", ")
		}
	}
}
