package cli

import (
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/exit"
)

// onWindows tells whether the tool looks at a machine with Windows when nothing else is asked for.
const onWindows = true

// bitsHelp is of the option --bits.
const bitsHelp = "the word size of the program, 32 or 64; without it that of this tool, or of --app"

// commandsOfSystem are the commands that there is nothing for on Windows: each says so.
func commandsOfSystem() (list []command) {
	for _, c := range []struct{ name, why string }{
		{"cdi", "gives Linux's drivers to containers"},
		{"oci", "examines images of containers for Linux"},
		{"policy", "is about the devices of the Linux kernel, and about the driver service, which only Linux has"},
		{"serve", "is the driver service, which only Linux has"},
		{"service", "looks into the driver service, which only Linux has"},
		{"system", "chooses among the files of the dynamic linker of Linux; on Windows programs get the vulkan-1.dll of the system's directory"},
	} {
		list = append(list, command{c.name, func(*invocation) *cobra.Command {
			return &cobra.Command{Use: c.name, Short: "Not on Windows", Hidden: true, DisableFlagParsing: true,
				RunE: func(*cobra.Command, []string) error {
					return exit.Unable("not on Windows: %s %s", c.name, c.why)
				}}
		}})
	}
	return list
}

// elevatedHere tells whether programs have more rights than their user because the tool has, which starts them.
func elevatedHere() bool {
	rights := windows.Own()
	return rights.Known && rights.Level >= facts.HighIntegrity
}

// self is this program for children of it, with the reader that belongs to it.
func self(executable string) string {
	machine.OwnReader = func() machine.Reader {
		if r := probe.OwnReader(); r != nil {
			return r
		}
		return nil
	}
	return executable
}

func isTerminal(f *os.File) bool {
	var mode uint32
	return syswindows.GetConsoleMode(syswindows.Handle(f.Fd()), &mode) == nil
}

// askService is never called: there is no driver service here.
func askService(*machine.Source) facts.Service { return facts.Service{State: facts.ServiceNone} }

// kernelOf is the release of the kernel: the system's name has it here.
func kernelOf(*machine.Source) string { return "" }

// libraryVersions are the release of a library and its version of Vulkan, as its resources say.
func libraryVersions(library string) (release, vulkan string) {
	if windows.FileText(library, "ProductName") == "vkloader" {
		release = windows.FileText(library, "ProductVersion")
	}
	return release, strings.TrimSuffix(windows.FileVersion(library), ".0")
}

// orderUse is in the usage of settings: there are no rules about the order of layers here.
const orderUse = ""

func settingsOfSystem(*invocation) []*cobra.Command { return nil }

// listens watches nothing: Windows ends the process with its terminal.
func listens(func(), chan<- struct{}) bool { return false }

// together runs a child, and ends it and its children with its context.
func together(child *exec.Cmd) error {
	job, err := windows.NewJob()
	if err != nil {
		return err
	}
	defer func() { _ = job.End() }()
	child.Cancel = func() error { return job.End() }
	if err := spawn.Start(child); err != nil {
		return err
	}
	_ = job.Take(uint32(child.Process.Pid)) // where a process may be in one job alone, the child alone is ended
	return child.Wait()
}

// openPage starts a browser on a page.
func openPage(address string) (forget func(), err error) {
	return func() {}, spawn.Start(exec.Command("rundll32", "url.dll,FileProtocolHandler", address))
}
