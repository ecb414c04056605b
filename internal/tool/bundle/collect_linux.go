package bundle

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
)

// maxText is how much of a file goes in.
const maxText = 1 << 20

// files is the directory of a bundle for what lies on the machine.
const files = "files"

// Part is a part with what is private hidden, or with the reason why it could not be made.
func (p *Private) Part(name, what, text string, err error) Part {
	failed := ""
	if err != nil {
		failed = p.Hide(err.Error())
		text = "vkloader: " + failed + "\n"
	}
	return Part{Name: name, What: what, Text: p.Hide(text), Failed: failed}
}

// Files are the manifests and the settings file that a decision looked at.
func Files(hide *Private, source *machine.Source, answer *plan.Answer) []Part {
	var parts []Part
	for _, path := range manifestsOf(answer) {
		text, err := textOf(source, path)
		name := files + "/" + strings.TrimPrefix(hide.Hide(filepath.Clean("/"+path)), "/")
		parts = append(parts, hide.Part(name, "a manifest or settings file", text, err))
	}
	return parts
}

// Names sorts parts by name, and tells those apart that have one name now.
func Names(parts []Part) []Part {
	for i := range parts {
		name := parts[i].Name
		for n := 2; slices.ContainsFunc(parts[:i], func(p Part) bool { return p.Name == parts[i].Name }); n++ {
			parts[i].Name = fmt.Sprintf("%s.%d", name, n)
		}
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return parts
}

// manifestsOf are the files that the decision looked at.
func manifestsOf(answer *plan.Answer) []string {
	var paths []string
	add := func(path string) {
		if path != "" && search.IsManifestName(path) {
			paths = append(paths, path)
		}
	}
	for _, f := range answer.Findings {
		add(f.Path)
	}
	for _, l := range answer.Layers {
		add(l.Manifest)
	}
	for _, d := range answer.Drivers {
		add(d.Path)
	}
	if answer.Settings != nil {
		add(answer.Settings.File)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// textOf is the text of a file.
func textOf(source *machine.Source, path string) (string, error) {
	info, err := source.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: no file", path, fs.ErrInvalid)
	}
	var text []byte
	if err == nil {
		text, err = source.ReadFile(path)
	}
	if err != nil {
		return "", err
	}
	return string(text[:min(len(text), maxText)]), nil
}

// System says what kind of machine it is.
func System(source *machine.Source) string {
	var out strings.Builder
	if release, err := source.ReadFile("/etc/os-release"); err == nil {
		out.Write(release)
	}
	if !source.Foreign() {
		var name unix.Utsname
		if unix.Uname(&name) == nil {
			for _, field := range [][]byte{name.Sysname[:], name.Release[:], name.Version[:], name.Machine[:]} {
				fmt.Fprintln(&out, unix.ByteSliceToString(field))
			}
		}
	}
	return out.String()
}

// People reads who there is on a machine, for their names to be hidden: the one whose home the environment names or who
// runs the tool first.
func People(source *machine.Source) (me Person, others []Person, machine []string) {
	home, _ := source.Lookup(variables.Home.Name())
	for _, variable := range []string{"USER", "LOGNAME"} {
		if name, _ := source.Lookup(variable); name != "" && me.Name == "" {
			me.Name = name
		}
	}
	me.Homes = homesOf(source, home)
	users, _ := source.ReadFile("/etc/passwd")
	for _, line := range strings.Split(string(users), "\n") {
		field := strings.Split(line, ":")
		// Those of services say nothing of anybody; their homes are system directories.
		if len(field) < 7 || len(field[2]) < 4 && field[2] != "0" || field[0] == "nobody" {
			continue
		}
		if person := (Person{Name: field[0], Homes: homesOf(source, field[5])}); person.Name == me.Name || field[5] == home {
			me.Name, me.Homes = person.Name, append(me.Homes, person.Homes...)
		} else {
			others = append(others, person)
		}
	}
	if name, err := source.ReadFile("/etc/hostname"); err == nil {
		machine = append(machine, strings.TrimSpace(string(name)))
	}
	if name, err := os.Hostname(); err == nil && !source.Foreign() {
		machine = append(machine, name)
	}
	return me, others, machine
}

// homesOf is a home as it is written, and where that leads.
func homesOf(source *machine.Source, home string) []string {
	homes := []string{home}
	if real, err := source.Real(home); err == nil && home != "" && real != home {
		homes = append(homes, real)
	}
	return homes
}
