package discover

import (
	"context"
	"io/fs"

	"vkloader/internal/decide"
)

// Host is a machine: its files, and the variables of programs whose [Program].Env is nil. A Host does not change after
// it was made. Questions about a nil Host are errors.
type Host decide.Host

// Local returns the running system. A program has the variables of this process.
func Local() *Host { return (*Host)(decide.Local()) }

// Root returns the file system below a directory, such as the root of a container, a sysroot, or /proc/PID/root. No
// symbolic link leads out of it. A program has no variables. With an empty name, every answer is an error.
func Root(directory string) *Host { return (*Host)(decide.Root(directory)) }

// Files returns a host with the files of an fs.FS. Its paths are those of the machine without the first slash. Symbolic
// links are followed if it implements io/fs.ReadLinkFS, as testing/fstest.MapFS does since Go 1.25. It must be safe for
// concurrent use if the host is used concurrently. A program has no variables. nil is a host without files.
func Files(files fs.FS) *Host { return (*Host)(decide.Files(files)) }

// WithEnv returns the host with other variables for programs whose [Program].Env is nil: NAME=VALUE. Of several
// variables with one name, the first counts.
func (h *Host) WithEnv(variables ...string) *Host {
	if h == nil {
		return nil
	}
	return (*Host)(h.machine().WithEnv(variables...))
}

// String returns the name of the host in messages.
func (h *Host) String() string {
	if h == nil {
		return "no host"
	}
	return h.machine().String()
}

// machine returns the host of package decide.
func (h *Host) machine() *decide.Host { return (*decide.Host)(h) }

// contextOr returns a context, for nil the background.
func contextOr(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
