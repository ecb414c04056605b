package discover

import (
	"context"
	"io/fs"

	"vkloader/internal/decide"
)

// Host is a machine: its files, and the variables of programs whose [Program].Env is nil. A Host does not change after it was
// made. Questions about a nil Host are errors.
type Host struct{ host *decide.Host }

// Local returns the running system. A program has the variables of this process.
func Local() *Host { return &Host{decide.Local()} }

// Root returns the file system below a directory, such as the root of a container, a sysroot, or /proc/PID/root. No symbolic
// link leads out of it. A program has no variables. With an empty name, every answer is an error.
func Root(directory string) *Host { return &Host{decide.Root(directory)} }

// Files returns a host with the files of an fs.FS. Its paths are those of the machine without the first slash. Symbolic links
// are followed if it implements io/fs.ReadLinkFS, as testing/fstest.MapFS does since Go 1.25. It must be safe for concurrent use if the host
// is used concurrently. A program has no variables. nil is a host without files.
func Files(files fs.FS) *Host { return &Host{decide.Files(files)} }

// Windows returns a copy of a machine with Windows. registry has texts in the form of "reg export"; with several texts,
// values of later ones replace values of earlier ones. In files, the directory c is drive C; without files, no manifest can
// be read. Only [Decide] and [Paths] accept this host. The running Windows is [Local].
func Windows(files fs.FS, registry ...[]byte) *Host { return &Host{decide.Windows(files, registry...)} }

// WithEnv returns the host with other variables for programs whose [Program].Env is nil: NAME=VALUE. Of several variables
// with one name, the first counts.
func (h *Host) WithEnv(variables ...string) *Host {
	if h == nil {
		return nil
	}
	return &Host{h.host.WithEnv(variables...)}
}

// String returns the name of the host in messages.
func (h *Host) String() string {
	if h == nil {
		return "no host"
	}
	return h.host.String()
}

// machine returns the host of package decide, or nil.
func (h *Host) machine() *decide.Host {
	if h == nil {
		return nil
	}
	return h.host
}

// given returns a context, for nil the background.
func given(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// Decide makes the library's decision for a program that creates an instance.
//
// If the program gets no driver, the error is [ErrNoDriver]. The answer is complete even then, with the reason for each driver
// that is left out. With any other error the answer is nil. Decide asks no driver service. It assumes that the program gets
// the loader of this module, unless [Program].Loader names another one.
func Decide(ctx context.Context, host *Host, program Program) (*Answer, error) {
	return host.machine().Decide(given(ctx), program)
}

// Paths lists where drivers, layers and settings are looked for, also places that do not exist. Programs need it to install
// manifests, to bind them into a sandbox, or to wait for new ones.
func Paths(ctx context.Context, host *Host, program Program) (*PathList, error) {
	return host.machine().Paths(given(ctx), program)
}

// LoaderOf finds the loader that a program gets, by the rules of the dynamic linker (ld.so(8)) on the host. It reads the file
// of the loader, and the lists of the package manager; it loads nothing. Without a loader the error is [ErrNoLoader].
func LoaderOf(ctx context.Context, host *Host, program Program) (*Loader, error) {
	return host.machine().LoaderOf(given(ctx), program)
}

// GPUs lists the graphics devices of a host, each with the drivers that serve it among those that the zero [Program] gets. It
// wakes no device. A host without graphics devices has an empty list, and no error. [DriverFiles.NodesFor], and [Closure] of
// each of its Drivers, list the files that a container needs for a GPU.
func GPUs(ctx context.Context, host *Host) ([]GPU, error) { return host.machine().GPUs(given(ctx)) }

// Closure lists the files that a driver needs, by the rules of the dynamic linker (ld.so(8)) on the host. They are those for
// the program of the [Decide] that returned the driver; any other Driver counts as one for a 64-bit program without
// variables. Missing files are in the answer, and are no error. Closure opens libraries as files and loads none.
//
// A container needs these files, except those with [File].CLibrary, in directories that its dynamic linker searches. Closure
// examines the host only. "vkloader cdi verify --root" says whether a container's C library is new enough.
func Closure(ctx context.Context, host *Host, driver Driver) (*DriverFiles, error) {
	return host.machine().Closure(given(ctx), driver)
}

// LayerClosure is [Closure] for a layer. A meta-layer has no library: the error is io/fs.ErrInvalid.
func LayerClosure(ctx context.Context, host *Host, layer Layer) (*DriverFiles, error) {
	return host.machine().LayerClosure(given(ctx), layer)
}
