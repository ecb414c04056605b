package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/windows"
)

// systemName is the name of the system.
const systemName = "Windows"

// elevatedHere reports whether the tool, and so the programs that it starts, are elevated.
func elevatedHere() bool {
	rights := windows.Own()
	return rights.Known && rights.Level >= facts.HighIntegrity
}

// refuseReads does nothing: every process of a console may read from it.
func refuseReads() {}

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

// loaderAt identifies the loader in a file of a machine; nil: the file cannot be read.
func loaderAt(source *machine.Source, file string) *loaders.Loader {
	return loaders.LoadedDLL(source, file)
}
