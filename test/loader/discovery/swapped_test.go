package discovery

import (
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/world"
)

// A manifest that becomes a pipe after it was checked, or after its directory was listed, causes no wait for the pipe's other end.
//
// holds: LAY-7 LAY-8
func TestManifestBecomesAPipe(t *testing.T) {
	if world.Variant() != "" || world.Windows() {
		t.Skip("the sanitizers stand in for fopen, which decides then")
	}
	t.Parallel()
	w := world.New(t)
	w.NoShim = true // a library that interposes fopen would decide instead
	w.Driver("good")
	path := w.ImplicitLayer("VK_LAYER_it").ManifestPath
	listed := w.Path("listed/it.json")
	w.Write("listed/it.json", "{")
	w.Env["VK_IMPLICIT_LAYER_PATH"] = path + ":" + w.Path("listed")
	pipes := []string{w.Path("pipe"), w.Path("pipe of the directory")}
	for _, pipe := range pipes {
		if err := unix.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := w.Start()
	stop, ended := make(chan struct{}), make(chan error)
	go func() {
		for {
			for i, at := range []string{path, listed} {
				if err := unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, pipes[i], unix.RENAME_EXCHANGE); err != nil {
					ended <- err
					return
				}
			}
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
		}
	}()
	h.Do("script", "as", "ask", "line", "instance_layers count=only", "line", "instance_extensions count=only")
	if bad := h.Do("run", "script", "ask", "threads", "2", "times", "1000", "limit", "1200000").Int("bad"); bad != 0 {
		t.Errorf("%d threads failed", bad)
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	h.Quit()
}
