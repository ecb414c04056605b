package machine

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

// Whole returns the content of a regular file; "" if there is none.
func (m *Machine) Whole(name string) string {
	if info, err := m.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, _ := m.ReadFile(name)
	return string(data)
}

// Text returns the content of a regular file without surrounding white space; "" if there is none.
func (m *Machine) Text(name string) string { return strings.TrimSpace(m.Whole(name)) }

// Contains reports whether a file contains a text; known is false if it cannot be read.
func (m *Machine) Contains(file, text string) (contains, known bool) {
	data, err := m.ReadLarge(file)
	return bytes.Contains(data, []byte(text)), err == nil
}

// Release returns the variables of os-release(5).
func (m *Machine) Release() map[string]string {
	variables := map[string]string{}
	for line := range strings.Lines(cmp.Or(m.Whole("/etc/os-release"), m.Whole("/usr/lib/os-release"))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		variables[name] = strings.Trim(value, `"'`)
	}
	return variables
}

// KernelName returns the release in /proc/version, such as 6.8.0-39-generic; "": unknown.
func (m *Machine) KernelName() string {
	return append(strings.Fields(m.Text("/proc/version")), "", "", "")[2]
}

// BootWords returns the words of the kernel's command line.
func (m *Machine) BootWords() []string { return strings.Fields(m.Text("/proc/cmdline")) }

// ChecksModules reports whether the kernel checks the signatures of modules: Secure Boot is on.
func (m *Machine) ChecksModules() bool {
	data, err := m.ReadFile("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c")
	return err == nil && len(data) > 4 && data[4] == 1
}

// LacksFirmware reports whether the machine has a directory of firmware, and none of a kernel driver.
func (m *Machine) LacksFirmware(driver string) bool {
	has := false
	for _, directory := range []string{"/usr/lib/firmware", "/lib/firmware", "/usr/lib/firmware/updates",
		"/lib/firmware/updates"} {
		if m.Exists(directory + "/" + driver) {
			return false
		}
		has = has || m.Exists(directory)
	}
	return has
}

// moduleTrees are the directories with the modules of each kernel.
var moduleTrees = []string{"/lib/modules", "/usr/lib/modules"}

// ModulesOf returns the directory with the modules of a kernel; "": unknown.
func (m *Machine) ModulesOf(release string) string {
	for _, place := range moduleTrees {
		if release != "" && m.Exists(place+"/"+release) {
			return place + "/" + release
		}
	}
	return ""
}

// IsKernelReplaced reports whether the modules of the running kernel are gone, and those of another version of the same
// build, as arch1 or amd64, are there.
func (m *Machine) IsKernelReplaced() bool {
	running := m.KernelName()
	if running == "" || strings.Contains(running, "/") || m.ModulesOf(running) != "" {
		return false
	}
	build := func(release string) string { return strings.Trim(release, "0123456789.-_+") }
	return slices.ContainsFunc(moduleTrees, func(tree string) bool {
		return slices.ContainsFunc(m.Names(tree), func(name string) bool {
			return build(name) == build(running) && m.Exists(tree+"/"+name+"/modules.dep")
		})
	})
}

// maxModuleDirectories is the maximum number of a kernel's directories in which a module is looked for.
const maxModuleDirectories = 4096

// MayHaveModule reports whether a directory of modules has a module whose name is sought, or cannot be searched
// completely. A module that is a part of the kernel is in the list of these.
func (m *Machine) MayHaveModule(tree string, sought func(module string) bool) bool {
	for line := range strings.Lines(m.Whole(tree + "/modules.builtin")) {
		if sought(moduleName(path.Base(strings.TrimSpace(line)))) {
			return true
		}
	}
	list := []string{tree}
	for at := 0; at < len(list); at++ {
		entries, err := m.ReadDir(list[at])
		if err != nil || len(list) > maxModuleDirectories {
			return true
		}
		for _, entry := range entries {
			if sought(moduleName(entry.Name())) {
				return true
			}
			if entry.IsDir() {
				list = append(list, list[at]+"/"+entry.Name())
			}
		}
	}
	return false
}

// moduleName returns the name of the module in a file, such as i915.ko.zst; "": it is no module.
func moduleName(file string) string {
	if name, kind, _ := strings.Cut(file, "."); kind == "ko" || strings.HasPrefix(kind, "ko.") {
		return name
	}
	return ""
}

// EachLine calls a function with each line of the system's files in directories of a name, as "modprobe.d". A file
// hides those of the same name in later directories.
func (m *Machine) EachLine(name, extension string, do func(file string, number int, line string)) {
	seen := map[string]bool{}
	for _, parent := range []string{"/etc/", "/run/", "/usr/local/lib/", "/usr/lib/", "/lib/"} {
		for _, file := range m.Names(parent + name) {
			if seen[file] || path.Ext(file) != extension {
				continue
			}
			seen[file] = true
			at := parent + name + "/" + file
			for number, line := range strings.Split(m.Whole(at), "\n") {
				do(at, number+1, line)
			}
		}
	}
}
