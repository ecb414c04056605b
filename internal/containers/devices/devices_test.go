package devices

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/table"
)

// events is a sink that sends each call of a source as a line.
type events chan string

func (e events) Add(node, primary string, about table.Device) {
	e <- "add " + node + " " + primary + " " + about.Module
}
func (e events) Remove(node string) { e <- "remove " + node }
func (e events) Idle()              { e <- "idle" }

func (e events) want(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		select {
		case got := <-e:
			if got != w {
				t.Errorf("%q, want %q", got, w)
			}
		case <-time.After(5 * time.Minute):
			t.Fatalf("no %q", w)
		}
	}
}

// render puts a render node into a root, with its card and its module.
func render(t *testing.T, root, node, card, module, uevent string) {
	t.Helper()
	device := filepath.Join(root, "sys/devices", node)
	for _, d := range []string{filepath.Join(device, "drm", card), filepath.Join(root, "sys/class/drm", node), filepath.Join(root, "dev/dri")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.WriteFile(filepath.Join(device, "uevent"), []byte(uevent), 0o644),
		os.Symlink("../../bus/drivers/"+module, filepath.Join(device, "driver")),
		os.Symlink("../../../devices/"+node, filepath.Join(root, "sys/class/drm", node, "device")),
		os.WriteFile(filepath.Join(root, "dev/dri", node), nil, 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, d *DRM) (events, func() error) {
	t.Helper()
	seen, ended := make(events, 100), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- d.Run(ctx, seen) }()
	t.Cleanup(cancel)
	return seen, func() error { cancel(); return <-ended }
}

const added, other = "add@/x\x00ACTION=add\x00SUBSYSTEM=drm\x00", "add@/x\x00ACTION=add\x00SUBSYSTEM=usb\x00"

// holds: FLS-044 FLS-045 PRO-026
func TestWatch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	render(t, root, "renderD128", "card0", "amdgpu", "PCI_ID=1002:73BF\n")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	say := func(message string) {
		if _, err := writer.WriteString(message); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // so that each becomes a separate message
	}
	// A change between the start of the watch and the first reading of the directories is reported once.
	seen, end := run(t, &DRM{Root: root, Listen: func() (*os.File, Decoder, error) {
		say(added)
		render(t, root, "renderD129", "card1", "i915", "")
		return reader, isDRM, nil
	}})
	seen.want(t, "add renderD128 card0 amdgpu", "add renderD129 card1 i915", "idle")
	if err := os.RemoveAll(filepath.Join(root, "sys/class/drm/renderD128")); err != nil {
		t.Fatal(err)
	}
	say(other)
	render(t, root, "renderD130", "card2", "xe", "")
	say(added)
	seen.want(t, "remove renderD128", "add renderD130 card2 xe")
	if err := end(); err != nil || len(seen) != 0 {
		t.Errorf("%v, %d more", err, len(seen))
	}
}

func TestAbout(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	render(t, root, "renderD128", "card0", "amdgpu", "DRIVER=other\nPCI_ID=1002:73BF\nPCI_SUBSYS_ID=1:2\n")
	render(t, root, "renderD129", "card1", "panthor", "OF_COMPATIBLE_0=rockchip,rk3588-mali\nOF_COMPATIBLE_1=arm,mali-valhall-csf\nOF_COMPATIBLE_N=2\n")
	d := &DRM{Root: root}
	for node, want := range map[string]table.Device{
		"renderD128": {Module: "amdgpu", Vendor: "1002", Product: "73bf"},
		"renderD129": {Module: "panthor", Compatible: []string{"rockchip,rk3588-mali", "arm,mali-valhall-csf"}},
		"renderD130": {},
	} {
		if got := d.about(node); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", node, got)
		}
	}
}

// Without a watch, the source still reports the present devices, and then Idle.
//
// holds: PRO-027 FLS-042 FLS-047
func TestNoWatch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	render(t, root, "renderD127", "card9", "amdgpu", "")
	render(t, root, "renderD128", "card0", "amdgpu", "")
	if err := os.Remove(filepath.Join(root, "dev/dri/renderD127")); err != nil { // a missing node is skipped
		t.Fatal(err)
	}
	seen, end := run(t, &DRM{Root: root, Patience: 30 * time.Millisecond,
		Listen: func() (*os.File, Decoder, error) { return nil, nil, unix.EPERM }})
	seen.want(t, "add renderD128 card0 amdgpu", "idle")
	if err := end(); !errors.Is(err, unix.EPERM) {
		t.Error(err)
	}
}

// The directory of the nodes is watched where the kernel's messages are not available.
//
// holds: PRO-026
func TestDirectoryWatch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	render(t, root, "renderD128", "card0", "amdgpu", "")
	seen, end := run(t, &DRM{Root: root, Listen: func() (*os.File, Decoder, error) {
		f, err := inotify(root + "/dev/dri")
		return f, func([]byte) bool { return true }, err
	}})
	seen.want(t, "add renderD128 card0 amdgpu", "idle")
	render(t, root, "renderD129", "card1", "i915", "")
	seen.want(t, "add renderD129 card1 i915")
	if err := errors.Join(os.RemoveAll(filepath.Join(root, "sys/class/drm/renderD129")), os.Remove(filepath.Join(root, "dev/dri/renderD129"))); err != nil {
		t.Fatal(err)
	}
	seen.want(t, "remove renderD129")
	if err := end(); err != nil {
		t.Error(err)
	}
}

// This kernel's own messages, if this process may receive them. The test does not wait for one.
func TestKernel(t *testing.T) {
	t.Parallel()
	d := &DRM{}
	f, decode, err := d.listen()
	if err != nil {
		t.Skipf("neither messages nor /dev/dri: %v", err)
	}
	f.Close()
	if decode == nil {
		t.Error("no decoder")
	}
	for message, want := range map[string]bool{added: true, other: false, "": false, "remove@/x\x00ACTION=remove\x00SUBSYSTEM=drm": true,
		"change@/x\x00ACTION=change\x00SUBSYSTEM=drm": false} {
		if isDRM([]byte(message)) != want {
			t.Errorf("%q", message)
		}
	}
}
