package trust

import (
	"path/filepath"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
)

func init() { spawn.Trusted = child }

// child returns an error if this process is privileged and another user can change a file that a child would load. The
// tool's own code runs already.
func child(c *spawn.Child) error {
	switch c.Kind {
	case spawn.Helper:
		return Refused("run", helper(c.Path, c.Env))
	case spawn.Trial:
		return Refused("tried", Trial(c.Path, c.Library, c.Env))
	case spawn.Chosen:
		return Refused("run", Program(c.Path, c.Env))
	}
	return nil
}

// helper is Library for a program that may find other programs in PATH.
func helper(program string, environ []string) error {
	if !Privileged() {
		return nil
	}
	err := Library(program, "", environ)
	m := machine.Machine{Environ: environ}
	path, _ := m.Lookup("PATH")
	for _, directory := range filepath.SplitList(path) {
		if err == nil {
			err = Path(directory)
		}
	}
	return err
}
