package cli

import (
	"syscall"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
)

// systemName is the name of the system.
const systemName = "macOS"

// loaderAt returns the release in a library's section, and the Vulkan version in its load command.
func loaderAt(source *machine.Source, library string) *loaders.Loader {
	l := &loaders.Loader{}
	if file, err := source.Open(library); err == nil {
		defer file.Close()
		if m, err := binary.ReadMachO(file); err == nil && len(m.Parts) > 0 {
			l.Release, l.Version = m.Parts[0].Release, m.Parts[0].Version
		}
	}
	return l
}

// asSeer returns "".
func asSeer() string { return "" }

// runGroup runs a child in a process group. The end of the child's context terminates the group; the rest is killed
// later.
func runGroup(child *spawn.Child) error {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return runAndWait(child)
}
