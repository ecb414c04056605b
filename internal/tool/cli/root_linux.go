package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/containers/client"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
)

// onWindows reports whether the tool examines a Windows machine by default.
const onWindows = false

// bitsHelp is the help of the option --bits.
const bitsHelp = "word size of the program, 32 or 64; with --app, that of the executable"

// commandsOfSystem returns the commands that only Linux has.
func commandsOfSystem() []command {
	return []command{{"policy", newPolicy}, {"cdi", newCDI}, {"oci", newOCI}, {"system", newSystem}, {"follow", newFollow}, {"serve", newServe},
		{"service", newService}}
}

// self returns the path with which this program starts itself, even if its file has been replaced.
func self(string) string { return "/proc/self/exe" }

// libraryVersions returns the release in a library's note, and the Vulkan version in its name.
func libraryVersions(library string) (release, vulkan string) {
	if file, err := os.Open(library); err == nil {
		release = binary.Release(file)
		file.Close()
	}
	return release, strings.TrimPrefix(filepath.Base(library), "libvulkan.so.")
}

// askService asks the driver service for drivers.
func askService(source *machine.Source) facts.Service { return client.Ask(source.Var) }

// libraryOf returns a function that examines the library of one manifest, as the dynamic linker finds it.
func libraryOf(source *machine.Source) func(doctor.Named) (doctor.Module, []doctor.Finding) {
	return doctor.Libraries(source)
}

// trialHelp describes the trial of settings that choose devices.
const trialHelp = "Before it writes, set checks in a child process that a program with these settings gets\n" +
	"the devices."

// orderUse is a part of the usage of settings.
const orderUse = "|layer|order|policy"

// settingsOfSystem returns the subcommands of settings that not every system has.
func settingsOfSystem(s *invocation) []*cobra.Command {
	return []*cobra.Command{newSettingsOrder(s), newSettingsLayer(s), newPolicy(s)}
}
