package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/doctor"
)

// systemName is the name of the system.
const systemName = "Windows"

// elevatedHere reports whether the tool, and so the programs that it starts, are elevated.
func elevatedHere() bool {
	rights := windows.Own()
	return rights.Known && rights.Level >= facts.HighIntegrity
}

// libraryVersions returns the release and the Vulkan version in a library's resources.
func libraryVersions(library string) (release, vulkan string) {
	l := cmp.Or(loaderAt(&machine.Source{}, library), &loaders.Loader{})
	return l.Release, l.Version
}

// refuseReads does nothing: every process of a console may read from it.
func refuseReads() {}

// settingsUse is the part of settings' usage that Windows does not support.
const settingsUse = ""

// newSettingsLayer returns a command that Windows does not support.
func newSettingsLayer(*invocation) *cobra.Command { return absent("layer", "settings layer") }

// runGroup runs a child process, and ends it and its child processes with its context.
func runGroup(child *spawn.Child) error {
	job, err := windows.NewJob()
	if err != nil {
		return err
	}
	defer func() { _ = job.End() }()
	child.Cancel = func() error { return job.End() }
	if err := child.Start(); err != nil {
		return err
	}
	_ = job.Take(uint32(child.Process.Pid)) // without nested jobs, only the child itself ends
	return child.Wait()
}

func openPage(environ []string, address string) (forget func(), err error) {
	opener := spawn.New(context.Background(), spawn.Helper, "rundll32", "url.dll,FileProtocolHandler", address)
	opener.Env = environ
	return func() {}, opener.Start()
}

// addRights adds the option with which a command is for programs with other rights than the tool.
func addRights(cmd *cobra.Command) { cmd.Flags().Bool("elevated", false, "") }

// asSeer returns the advice about processes that cannot be inspected; "" for an administrator, who cannot do more.
func asSeer() string {
	if strconv.IntSize == 32 && windows.System64() {
		return "; a tool of 32 bits cannot inspect programs of 64 bits"
	}
	if elevatedHere() {
		return ""
	}
	return "; run as administrator to see them"
}

func loaderAt(source *machine.Source, file string) *loaders.Loader {
	return loaders.LoadedDLL(source, file)
}

func loadersIn(p *process.Process, source *machine.Source, _ map[string]*loaders.Loader) []doctor.RunningLoader {
	list := []doctor.RunningLoader{}
	for _, m := range p.Loaders() {
		l := cmp.Or(loaderAt(source, m.Path), &loaders.Loader{})
		list = append(list, doctor.RunningLoader{File: m.Path, Version: l.Version, Release: l.Release})
	}
	return list
}
