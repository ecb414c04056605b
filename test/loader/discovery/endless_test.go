package discovery

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// bytesRead returns the number of bytes that a host has read so far, from files and everything else.
func bytesRead(t *testing.T, h *world.Host) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", h.Pid()))
	if err == nil {
		_, err = fmt.Sscanf(string(text), "rchar: %d", &bytes)
	}
	if err != nil {
		t.Skip("what a process reads is not counted here: ", err)
	}
	return bytes
}

// A pipe without a writer, an endless device, and a file with endless content though its size is 0 are not read and cause no wait if
// they are in a searched directory, and neither is a directory with such a name. The other files count.
//
// holds: LAY-7 LAY-8
func TestEndlessFiles(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good")
	h := w.Start()
	h.OK("create_instance")
	usual := bytesRead(t, h)
	h.Quit()

	var put []string
	for _, kind := range []string{"driver", "layer"} {
		for name, make := range map[string]func(string) error{
			"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"zero":      func(path string) error { return os.Symlink("/dev/zero", path) },
			"pagemap":   func(path string) error { return os.Symlink("/proc/self/pagemap", path) },
			"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		} {
			path := w.ImplicitLayer("VK_LAYER_" + name).ManifestPath
			if kind == "driver" {
				path = w.DriverFile(name, "{")
			}
			put = append(put, path)
			if err := errors.Join(os.Remove(path), make(path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	h = w.Start()
	h.OK("create_instance")
	if got := len(h.OK("physical_devices").Ints("devices")); got != 1 {
		t.Errorf("%d devices", got)
	}
	if more := bytesRead(t, h) - usual; more > 64<<10 {
		t.Errorf("%d bytes more are read for %s", more, strings.Join(put, ", "))
	}
	h.Quit()
}

// A file that grows while it is read is read up to its size at opening, and never beyond 16 MB.
//
// holds: LAY-8
func TestGrowingManifest(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good")
	path := w.DriverFile("growing", "{")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(15 << 20); err != nil {
		t.Fatal(err)
	}
	h := w.Start()
	before := bytesRead(t, h)
	stop, ended := make(chan struct{}), make(chan error)
	go func() {
		text := make([]byte, 4096)
		for size := 15 << 20; ; size += len(text) {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if size > 32<<20 { // again, as no disk has room for ever
				size = 15 << 20
				if err := f.Truncate(int64(size)); err != nil {
					ended <- err
					return
				}
			}
			if _, err := f.Write(text); err != nil {
				ended <- err
				return
			}
		}
	}()
	h.OK("create_instance")
	if got := len(h.OK("physical_devices").Ints("devices")); got != 1 {
		t.Errorf("%d devices", got)
	}
	more := bytesRead(t, h) - before
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if more > 3*16<<20 {
		t.Errorf("%d bytes are read", more)
	}
	h.Quit()
}
