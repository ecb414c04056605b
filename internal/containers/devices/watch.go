package devices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/table"
)

// Sink receives the events of a source, one call after the other.
type Sink interface {
	Add(node, primary string, about table.Device)
	Remove(node string)
	Idle() // all present devices have been reported
}

// DRM is the source of the kernel's graphics devices.
type DRM struct {
	Root   string                            // the root of /sys and /dev; "": the machine's own
	Listen func() (*os.File, Decoder, error) // opens the watch; nil: the kernel's uevents, or inotify on /dev/dri
	// Patience limits the time between the kernel's event and the node in /dev; 0: one second.
	Patience time.Duration
}

// Decoder reports whether a listener's message may announce a change.
type Decoder func(message []byte) bool

// Run reports devices to sink until the context ends. It returns an error of the watch, after it has reported the
// present devices and called Idle.
func (d *DRM) Run(ctx context.Context, sink Sink) error {
	listen := d.Listen
	if listen == nil {
		listen = d.listen
	}
	// The watch starts before the first reading, so that no change is missed (PRO-026).
	events, decode, err := listen()
	known := map[string]bool{}
	d.look(known, sink)
	sink.Idle()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { events.Close() })
	defer stop()
	defer events.Close()
	message := make([]byte, 64<<10)
	for {
		n, err := events.Read(message)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, unix.ENOBUFS): // messages were lost: read the directories
			d.look(known, sink)
		case err != nil:
			return err
		case decode(message[:n]):
			d.look(known, sink)
		}
	}
}

// look compares the present nodes with the known ones and reports the differences. It waits a moment for a node that is
// not in /dev yet: the kernel announces a device before its node can be opened.
func (d *DRM) look(known map[string]bool, sink Sink) {
	nodes := d.nodes()
	for node := range known {
		if !slices.Contains(nodes, node) {
			delete(known, node)
			sink.Remove(node)
		}
	}
	for _, node := range nodes {
		if !known[node] && d.appears(node) {
			known[node] = true
			sink.Add(node, d.primary(node), d.about(node))
		}
	}
}

// nodes lists the render nodes of the kernel, sorted.
func (d *DRM) nodes() []string {
	paths, err := filepath.Glob(d.Root + "/sys/class/drm/renderD*")
	if err != nil {
		return nil
	}
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	slices.Sort(names)
	return names
}

// appears waits for a node in /dev. A node that does not appear is skipped until the next event.
func (d *DRM) appears(node string) bool {
	for end := time.Now().Add(cmp.Or(d.Patience, time.Second)); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Lstat(d.Root + "/dev/dri/" + node); err == nil {
			return true
		} else if !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			return false
		}
	}
}

// primary returns the device's node with all rights, such as card0; "" if it has none.
func (d *DRM) primary(node string) string {
	cards, err := filepath.Glob(d.Root + "/sys/class/drm/" + node + "/device/drm/card*")
	if err != nil || len(cards) == 0 {
		return ""
	}
	return filepath.Base(cards[0])
}

// about reads the kernel's attributes of a device.
func (d *DRM) about(node string) table.Device {
	device := d.Root + "/sys/class/drm/" + node + "/device"
	var about table.Device
	if module, err := os.Readlink(device + "/driver"); err == nil {
		about.Module = filepath.Base(module)
	}
	text, err := os.ReadFile(device + "/uevent")
	if err != nil {
		return about
	}
	for _, line := range strings.Split(string(text), "\n") {
		name, value, _ := strings.Cut(line, "=")
		switch {
		case name == "PCI_ID":
			about.Vendor, about.Product, _ = strings.Cut(strings.ToLower(value), ":")
		case strings.HasPrefix(name, "OF_COMPATIBLE_") && name != "OF_COMPATIBLE_N":
			about.Compatible = append(about.Compatible, value)
		case name == "DRIVER" && about.Module == "":
			about.Module = value
		}
	}
	return about
}

// listen opens the kernel's messages about devices; without permission, it watches /dev/dri.
func (d *DRM) listen() (*os.File, Decoder, error) {
	f, err := uevents()
	if err == nil {
		return f, isDRM, nil
	}
	watch, failed := inotify(d.Root + "/dev/dri")
	if failed != nil {
		return nil, nil, fmt.Errorf("neither uevents (%w) nor the directory of the nodes (%w) can be watched", err,
			failed)
	}
	return watch, func([]byte) bool { return true }, nil
}

// uevents opens a socket for the kernel's device events.
func uevents() (*os.File, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK,
		unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return nil, err
	}
	const fromKernel = 1
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: fromKernel}); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "uevents"), nil
}

// isDRM reports whether a message of the kernel is about a graphics device that was added or removed. The sender does
// not matter: a message only makes the source read the kernel's own list.
func isDRM(message []byte) bool {
	var action, subsystem string
	for _, line := range strings.Split(string(message), "\x00") {
		if value, found := strings.CutPrefix(line, "ACTION="); found {
			action = value
		}
		if value, found := strings.CutPrefix(line, "SUBSYSTEM="); found {
			subsystem = value
		}
	}
	return subsystem == "drm" && (action == "add" || action == "remove" || action == "bind" || action == "unbind")
}

func inotify(directory string) (*os.File, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	if _, err := unix.InotifyAddWatch(fd, directory, unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_TO|
		unix.IN_MOVED_FROM); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), directory), nil
}
