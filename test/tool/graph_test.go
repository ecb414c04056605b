package tool

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vkloader/test/world"
)

// What a layer intercepts is what it answers with functions of its own: of instances and of devices, in a chain of two.
func TestGraphKnowsWhatLayersIntercept(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("acme")
	w.ExplicitLayer("VK_LAYER_upper", "intercept vkCmdDraw", "intercept vkGetPhysicalDeviceFeatures")
	w.ExplicitLayer("VK_LAYER_lower", "intercept vkCmdDispatch")
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_upper:VK_LAYER_lower"
	w.Env["VK_IMPLICIT_LAYER_PATH"] = w.Path("none") // the tool sees the machine's directories
	out, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), "graph", "--json")
	var chain struct {
		Layers []struct {
			Name     string
			Known    bool
			Commands []string
		}
		Drivers []struct{ Devices []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(out), &chain); err != nil {
		t.Fatalf("%v\n%s%+v", err, out, exit)
	}
	if len(chain.Layers) != 2 || len(chain.Drivers) != 1 || len(chain.Drivers[0].Devices) != 1 {
		t.Fatalf("%+v", chain)
	}
	for i, want := range [][]string{{"vkCmdDraw", "vkGetPhysicalDeviceFeatures", "vkCreateInstance"}, {"vkCmdDispatch", "vkCreateDevice"}} {
		other := []string{"vkCmdDispatch", "vkCmdDraw"}[i]
		layer := chain.Layers[i]
		if !layer.Known || slices.Contains(layer.Commands, other) {
			t.Errorf("%+v has %s of the other one", layer, other)
		}
		for _, name := range want {
			if !slices.Contains(layer.Commands, name) {
				t.Errorf("%+v lacks %s", layer, name)
			}
		}
	}
}
