package chain

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"vkloader/test/world"
)

// Layers with pre-instance functions take nothing from the stack, however many there are: the links of these alone are
// 80 kB, the stack has 64. The layer that is called first answers.
//
// holds: LAY-222 LAY-224 G-12
func TestManyPreInstanceLayers(t *testing.T) {
	t.Parallel()
	const many = 2500
	w := world.New(t)
	w.Driver("a")
	pre := preLayer(w, "VK_LAYER_pre_0000", "pre_version 77", "pre_layers 17", "pre_extensions 9")
	text, err := os.ReadFile(pre.ManifestPath)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < many; i++ {
		name := fmt.Sprintf("VK_LAYER_pre_%04d", i)
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
	h := w.Start()
	h.Do("script", "as", "all", "line", world.Line("instance_version"), "line", world.Line("instance_layers", "count", "only"),
		"line", world.Line("instance_extensions", "count", "only"))
	if bad := h.Do("run", "script", "all", "threads", "1", "stack", "65536").Int("bad"); bad != 0 {
		t.Error("a call failed")
	}
	if calls := w.Log().Names(); len(calls) != 3 {
		t.Errorf("%d calls: %v", len(calls), calls)
	}
	h.Quit()
}
