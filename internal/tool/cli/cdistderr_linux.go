package cli

import (
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// containerErr returns the standard error of a container that is being created, because runtimes do not show a hook's own
// standard error. The file belongs to the process that starts the hook, which later becomes the container's first program.
// containerErr returns nil if the file is unknown or is the hook's own. It never opens the standard error of a process
// outside the container.
func containerErr() io.WriteCloser {
	status, err := os.ReadFile("/proc/self/status")
	_, rest, found := strings.Cut(string(status), "\nPPid:")
	parent, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	if err != nil || !found || parent == "0" {
		return nil
	}
	parent = path.Join("/proc", parent)
	for _, space := range []string{"mnt", "pid"} {
		own, err := os.Readlink("/proc/self/ns/" + space)
		its, wrong := os.Readlink(parent + "/ns/" + space)
		if err != nil || wrong != nil || own != its {
			return nil
		}
	}
	if host, err := os.Readlink("/proc/1/ns/mnt"); err == nil { // process 1 is the host's while /proc is the host's
		if own, err := os.Readlink("/proc/self/ns/mnt"); err != nil || own == host {
			return nil
		}
	}
	its, err := os.Stat(parent + "/fd/2")
	own, wrong := os.Stderr.Stat()
	if err != nil || wrong != nil || os.SameFile(its, own) {
		return nil
	}
	f, err := os.OpenFile(parent+"/fd/2", os.O_WRONLY|os.O_APPEND|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return f
}
