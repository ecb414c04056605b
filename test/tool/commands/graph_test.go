package commands

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// A layer intercepts the commands for which it returns its own functions, of instances and of devices, in a chain of two layers.
func TestGraphKnowsWhatLayersIntercept(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("acme")
	w.ExplicitLayer("VK_LAYER_upper", "intercept vkCmdDraw", "intercept vkGetPhysicalDeviceFeatures")
	w.ExplicitLayer("VK_LAYER_lower", "intercept vkCmdDispatch")
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_upper:VK_LAYER_lower"
	w.Env["VK_IMPLICIT_LAYER_PATH"] = w.Path("none") // the tool sees the machine's directories
	out, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), "explain", "--picture", "--json")
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

// After a crash, the picture says what happened, and claims nothing about layers and drivers that no child process has asked.
func TestGraphOfCrash(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good")
	brokenLayer(w, "crash")
	w.ImplicitLayer("VK_LAYER_fine")
	w.Env["VK_LAYER_PATH"] = w.Path("none") // the tool sees the machine's directories
	out, exit := w.Run(2*time.Minute, filepath.Join(built, "vkloader"), "explain", "--picture", "--json")
	var chain struct {
		Problem string
		Layers  []struct{ Name, Unknown string }
		Drivers []struct{ Known bool }
	}
	if err := json.Unmarshal([]byte(out), &chain); err != nil {
		t.Fatalf("%v\n%s%+v", err, out, exit)
	}
	if !strings.HasPrefix(chain.Problem, "killed by SIG") || exit.Code != 1 || len(chain.Layers) != 2 || len(chain.Drivers) != 1 {
		t.Errorf("%s%+v", out, exit)
	}
	for _, l := range chain.Layers {
		if !strings.HasPrefix(l.Unknown, "not asked: killed by SIG") {
			t.Errorf("%s: %q", l.Name, l.Unknown)
		}
	}
	for _, d := range chain.Drivers {
		if d.Known {
			t.Error("a driver's devices are known after a crash")
		}
	}
}
