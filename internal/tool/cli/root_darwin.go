package cli

import (
	"os"
	"syscall"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/doctor"
)

// systemName is the name of the system.
const systemName = "macOS"

// libraryVersions returns the release in a library's section, and the Vulkan version in its load command.
func libraryVersions(library string) (release, vulkan string) {
	file, err := os.Open(library)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	m, err := binary.ReadMachO(file)
	if err != nil || len(m.Parts) == 0 {
		return "", ""
	}
	return m.Parts[0].Release, m.Parts[0].Version
}

// asSeer returns "".
func asSeer() string { return "" }

// loaderAt returns nil: no process is inspected.
func loaderAt(*machine.Source, string) *loaders.Loader { return nil }

// loadersIn returns none: no process is inspected.
func loadersIn(*process.Process, *machine.Source, map[string]*loaders.Loader) []doctor.RunningLoader {
	return []doctor.RunningLoader{}
}

// runGroup runs a child in a process group. The end of the child's context terminates the group; the rest is killed
// later.
func runGroup(child *spawn.Child) error {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return runAndWait(child)
}

// opener opens a file with the user's program for its kind.
const opener = "open"
