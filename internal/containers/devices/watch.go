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

// Sink is told what a source sees. Calls come one after the other.
type Sink interface {
	Add(node, primary string, about table.Device)
	Remove(node string)
	Idle() // everything that was there has been reported
}

// DRM is the graphics devices of the kernel.
type DRM struct {
	Root   string                            // in which /sys and /dev are looked for; "" for the machine's own
	Listen func() (*os.File, Decoder, error) // what tells of changes; nil: the kernel, or what changes in /dev/dri
	// Patience is how long a node may take from the kernel's word to its place in /dev; 0: a second.
	Patience time.Duration
}

// Decoder takes a message of a listener apart: whether something may have changed.
type Decoder func(message []byte) bool

// Run reports until the context ends. An error is of the watch; what is there was reported all the same, and Idle said.
func (d *DRM) Run(ctx context.Context, sink Sink) error {
	listen := d.Listen
	if listen == nil {
		listen = d.listen
	}
	// The watch comes first, so that nothing is missed between it and the look (PRO-026).
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
		case errors.Is(err, unix.ENOBUFS): // messages were lost: look
			d.look(known, sink)
		case err != nil:
			return err
		case decode(message[:n]):
			d.look(known, sink)
		}
	}
}

// look compares what is there with what is known. A node that is not in /dev yet counts when it is there a moment later:
// the kernel speaks of a device before its node can be opened.
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

// appears waits for a node. One that stays away is skipped, until there is news.
func (d *DRM) appears(node string) bool {
	for end := time.Now().Add(cmp.Or(d.Patience, time.Second)); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Lstat(d.Root + "/dev/dri/" + node); err == nil {
			return true
		} else if !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			return false
		}
	}
}

// primary is the node with all rights of the same device; "" without one.
func (d *DRM) primary(node string) string {
	cards, err := filepath.Glob(d.Root + "/sys/class/drm/" + node + "/device/drm/card*")
	if err != nil || len(cards) == 0 {
		return ""
	}
	return filepath.Base(cards[0])
}

// about reads what the kernel says of a device.
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

// listen opens the kernel's messages about devices; without the right to, it watches the directory of the nodes.
func (d *DRM) listen() (*os.File, Decoder, error) {
	f, err := uevents()
	if err == nil {
		return f, isDRM, nil
	}
	watch, failed := inotify(d.Root + "/dev/dri")
	if failed != nil {
		return nil, nil, fmt.Errorf("neither uevents (%w) nor the directory of the nodes (%w) can be watched", err, failed)
	}
	return watch, func([]byte) bool { return true }, nil
}

// uevents opens the socket on which the kernel tells of devices.
func uevents() (*os.File, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT)
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

// isDRM tells whether a message of the kernel is about a graphics device that came or went. Who sent it does not matter:
// it leads to a look at the kernel's own list, and to nothing else.
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
	if _, err := unix.InotifyAddWatch(fd, directory, unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_TO|unix.IN_MOVED_FROM); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), directory), nil
}
