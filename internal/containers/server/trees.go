package server

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/border"
	"vkloader/internal/containers/directory"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/roots"
)

// class is the path of device nodes in the directories for clients, as below /dev/class on Fuchsia.
const class = "class/drm"

// debug is the parent of the directories for clients, where operators find them (PRO-040).
const debug = "debug"

// trees are the directories for clients.
type trees struct {
	private                     *os.Root
	manifests, devices, trusted *directory.Tree
}

// makeTrees makes the directories in the service's private directory.
func makeTrees(private *os.Root, through *border.Border) (*trees, error) {
	t := &trees{private: private}
	if err := directory.RemoveAll(private, debug); err != nil { // a killed service may have left it
		return nil, err
	}
	const staging = debug + "/staging"
	for name, tree := range map[string]**directory.Tree{"manifest-fs": &t.manifests, "device-fs": &t.devices,
		"trusted-device-fs": &t.trusted} {
		made, err := directory.New(private, debug+"/"+name, staging, through)
		if err != nil {
			return nil, err
		}
		*tree = made
	}
	return t, errors.Join(t.devices.Directory(class), t.trusted.Directory(class), roots.Chmod(private, staging, 0o700))
}

// of returns the tree of devices for a client (FLS-033).
func (t *trees) of(trusted bool) *directory.Tree {
	if trusted {
		return t.trusted
	}
	return t.devices
}

// close removes the directories.
func (t *trees) close() error {
	var errs []error
	for _, tree := range []*directory.Tree{t.manifests, t.devices, t.trusted} {
		if tree != nil {
			errs = append(errs, tree.Close())
		}
	}
	return errors.Join(append(errs, directory.RemoveAll(t.private, debug))...)
}

// directoryOf returns a function that makes the answer with a directory's descriptor.
func directoryOf(t *directory.Tree) func() (content, *protocol.Error) {
	return func() (content, *protocol.Error) {
		f, err := t.Open()
		if err != nil {
			return content{}, protocol.ErrorOf(err)
		}
		return content{ok: struct{}{}, names: []string{"directory"}, files: []*os.File{f}}, nil
	}
}

// openNode opens a device node on a read-only mount, and no other kind of file. Before that, it checks the kind and
// calls may, because opening a device may wake it.
func openNode(name string, through *border.Border, may func(*os.File) error) (*os.File, error) {
	handle, err := os.OpenFile(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	info, err := handle.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		return nil, fmt.Errorf("%s: no device: %w", name, os.ErrPermission)
	}
	if err := may(handle); err != nil {
		return nil, err
	}
	// handle leads to the same node even if another file gets its name. The client cannot change the node's mode and
	// owner.
	opened, err := through.Open(border.Device, handle)
	return opened[0], err
}
