package chain

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/world"
)

// Layers with pre-instance functions take no room on the stack, in any number: their links alone are 192 kB, and the stack is
// smaller. The layer that is called first answers.
//
// holds: LAY-222 LAY-224 G-12
func TestManyPreInstanceLayers(t *testing.T) {
	t.Parallel()
	many := 6000
	if world.Windows() { // where opening a library takes longer; the links are 70 kB, and the stack has 64
		many = 2200
	}
	w := world.New(t)
	w.Driver("a")
	pre := preLayer(w, "VK_LAYER_pre_00000", "pre_version 77", "pre_layers 17", "pre_extensions 9")
	text, err := os.ReadFile(pre.ManifestPath)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < many; i++ {
		name := fmt.Sprintf("VK_LAYER_pre_%05d", i)
		path := strings.Replace(pre.ManifestPath, pre.Name, name, 1)
		if path == pre.ManifestPath {
			t.Fatalf("%s does not name the layer", path)
		}
		content := strings.ReplaceAll(string(text), pre.Name+".so", "LIBRARY")
		content = strings.ReplaceAll(strings.ReplaceAll(content, pre.Name, name), "LIBRARY", pre.Name+".so")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.Env["VK_IMPLICIT_LAYER_PATH"] = filepath.Dir(pre.ManifestPath)
	h := w.Start()
	if world.Windows() {
		for _, call := range []string{"instance_version", "instance_layers count=only", "instance_extensions count=only"} {
			h.Do("script", "as", "one", "line", call)
			if bad := h.Do("run", "script", "one", "threads", "1", "stack", "65536").Int("bad"); bad != 0 {
				t.Errorf("%s fails", call)
			}
		}
	} else {
		h.Try("maps") // wait until the program runs: a limit set while the kernel still starts it would end it
		// The main thread's stack, limited to its size at the start: the stack of another thread may end in memory mapped below it.
		limit := unix.Rlimit{Cur: 64 << 10, Max: unix.RLIM_INFINITY}
		if err := unix.Prlimit(h.Pid(), unix.RLIMIT_STACK, &limit, nil); err != nil {
			t.Fatal(err)
		}
		h.OK("instance_version")
		h.OK("instance_layers", "count", "only")
		h.OK("instance_extensions", "count", "only")
	}
	if calls := w.Log().Names(); len(calls) != 3 {
		t.Errorf("%d calls: %v", len(calls), calls)
	}
	h.Quit()
}
