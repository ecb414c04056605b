package cli

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
)

// onWindows reports whether the tool examines a Windows machine by default.
const onWindows = false

// bitsHelp is the help of the option --bits.
const bitsHelp = "word size of the program, 32 or 64"

// commandsOfSystem returns the commands that macOS does not support. Each prints the reason.
func commandsOfSystem() (list []command) {
	for _, c := range []struct{ name, why string }{
		{"cdi", "gives Linux's drivers to containers, by namespaces that only Linux has"},
		{"oci", "examines images of containers for Linux"},
		{"policy", "is about the devices of the Linux kernel, and about the driver service, which only Linux has"},
		{"serve", "is the driver service, which only Linux has"},
		{"service", "looks into the driver service, which only Linux has"},
		{"system", "chooses among the files of the dynamic linker of Linux; on macOS, install.sh of the archive installs and removes the library"},
	} {
		list = append(list, command{c.name, func(*invocation) *cobra.Command {
			return &cobra.Command{Use: c.name, Short: "Not on macOS", Hidden: true, DisableFlagParsing: true,
				RunE: func(*cobra.Command, []string) error {
					return exit.Unable("not on macOS: %s %s", c.name, c.why)
				}}
		}})
	}
	return list
}

// self returns the path with which this program starts itself.
func self(executable string) string { return executable }

// askService is never called, because macOS has no driver service.
func askService(*machine.Source) facts.Service { return facts.Service{State: facts.ServiceNone} }

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

// trialHelp describes the trial of settings that choose devices.
const trialHelp = "set writes them without a trial, because this tool has no child process for macOS."

// orderUse is a part of the usage of settings.
const orderUse = "|layer|order"

// settingsOfSystem returns the subcommands of settings that not every system has.
func settingsOfSystem(s *invocation) []*cobra.Command {
	return []*cobra.Command{newSettingsOrder(s), newSettingsLayer(s)}
}

// partsOfProcess are the properties that --pid reads from a process.
const partsOfProcess = "program, rights and root"

// asSeer returns "".
func asSeer() string { return "" }

// loaderAt returns nil: no process is inspected.
func loaderAt(*machine.Source, string) *loaders.Loader { return nil }

// loadersIn returns none: no process is inspected.
func loadersIn(*process.Process, *machine.Source, map[string]*loaders.Loader) []doctor.RunningLoader {
	return []doctor.RunningLoader{}
}

// listens returns false: the hang-up of its terminal ends the process.
func listens(func(), chan<- struct{}) bool { return false }

// together runs a child in a process group. The end of the child's context terminates the group; the rest is killed later.
func together(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return waitTogether(child)
}

// opener opens a file with the user's program for its kind.
const opener = "open"
