package cli

import (
	"os"

	"vkloader/internal/containers/client"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
)

// commandsOfSystem returns the commands that only Linux has.
func commandsOfSystem() []command {
	return []command{{"cdi", newCDI}, {"system", newSystem}, {"follow", newFollow}, {"service", newService}}
}

func askService(source *machine.Source) facts.Service { return client.Ask(source.Var) }

// libraryOf returns a function that examines the library of one manifest, as the dynamic linker finds it.
func libraryOf(source *machine.Source) func(doctor.Entry) (doctor.Entry, []doctor.Finding) {
	return doctor.Libraries(source)
}

// asSeer returns the advice about processes that cannot be inspected; "" for root, who cannot do more.
func asSeer() string {
	if os.Geteuid() == 0 {
		return ""
	}
	return "; run as root to see them"
}

// loaderAt identifies the loader in a file of a machine.
func loaderAt(source *machine.Source, file string) *loaders.Loader {
	return loaders.Identify(&source.Machine, file)
}
