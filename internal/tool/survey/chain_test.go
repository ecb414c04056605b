package survey

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/decide"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

var update = flag.Bool("update", false, "draw docs/images/chain.svg again")

// pictured returns a machine with an overlay, a capture layer with a long name, two drivers and a damaged one.
func pictured(t *testing.T) *machine.Source {
	t.Helper()
	layer := func(name, library, description, more string) string {
		return fmt.Sprintf(`{"file_format_version":"1.2.0","layer":{"name":%q,"type":"GLOBAL","library_path":%q,`+
			`"api_version":"1.3.0","implementation_version":"1","description":%q%s}}`, name, library, description, more)
	}
	driver := `{"file_format_version":"1.0.0","ICD":{"library_path":"/usr/lib/libvulkan_%s.so","api_version":"1.3.230"}}`
	long := "/opt/capture-studio/lib/x86_64-linux-gnu/vulkan/layers/libVkLayer_capture_of_frames_for_a_vendor_with_a_long_name.so"
	source := &machine.Source{Machine: machine.Machine{Root: t.TempDir(),
		Environ: []string{"HOME=/home/user", "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation", "CAPTURE=on"}}}
	for name, content := range map[string]string{
		"/usr/share/vulkan/icd.d/acme_icd.json":  fmt.Sprintf(driver, "acme"),
		"/usr/share/vulkan/icd.d/gone_icd.json":  fmt.Sprintf(driver, "gone"),
		"/usr/share/vulkan/icd.d/lvp_icd.json":   fmt.Sprintf(driver, "lvp"),
		"/usr/share/vulkan/icd.d/wrong_icd.json": `{"file_format_version":"1.0.0","ICD":{"library_path":"a.so"}}`,
		"/usr/share/vulkan/explicit_layer.d/validation.json": layer("VK_LAYER_KHRONOS_validation",
			"libVkLayer_khronos_validation.so", "Khronos Validation Layer", ""),
		"/usr/share/vulkan/implicit_layer.d/capture.json": layer(
			"VK_LAYER_VENDOR_WITH_A_LONG_NAME_capture_of_frames_and_everything_that_belongs_to_them", long,
			"Capture of frames", `,"disable_environment":{"NO_CAPTURE":"1"},"enable_environment":{"CAPTURE":"on"}`),
		"/usr/share/vulkan/implicit_layer.d/overlay.json": layer("VK_LAYER_ACME_overlay", "/usr/lib/libacme_overlay.so",
			"Frames per second", `,"disable_environment":{"NO_OVERLAY":"1"}`),
	} {
		path := filepath.Join(source.Root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return source
}

func picturedChain(t *testing.T) *Chain {
	t.Helper()
	source := pictured(t)
	made, err := decide.Explain(source)
	if err != nil {
		t.Fatal(err)
	}
	chain := chainOf(source, made)
	chain.Program = "/usr/games/openarena"
	seen := &discover.Report{Library: "/usr/lib/x86_64-linux-gnu/libvulkan.so.1.4.363", Version: discover.Version(1<<22 | 4<<12 | 363),
		Devices: []discover.Device{
			{Index: 0, Name: "ACME Radiant 7000", TypeText: "discrete GPU", APIText: "1.3.230", DriverName: "acme", DriverInfo: "12.4"},
			{Index: 1, Name: "ACME integrated graphics of a name that is too long for one line of its box", TypeText: "integrated GPU",
				APIText: "1.3.230", DriverName: "acme", DriverInfo: "12.4"},
			{Index: 2, Name: "llvmpipe (LLVM 15.0.6, 256 bits)", TypeText: "CPU", APIText: "1.3.230", DriverName: "llvmpipe",
				DriverInfo: "Mesa 22.3.6"},
		}}
	log := &loaders.Log{Messages: []loaders.LogMessage{{Severity: loaders.LogError,
		Text: "libvulkan_gone.so: cannot open shared object file", Library: "/usr/lib/libvulkan_gone.so"}}}
	for i, library := range []string{"/usr/lib/libvulkan_acme.so", "/usr/lib/libvulkan_acme.so", "/usr/lib/libvulkan_lvp.so"} {
		log.Used = append(log.Used, loaders.LogUse{Device: seen.Devices[i].Name, Library: library})
	}
	asked := &probe.Result{Asked: []probe.Interception{
		{Answered: true, Commands: []string{"vkCreateInstance", "vkCreateDevice", "vkQueuePresentKHR", "vkQueueSubmit", "vkQueueSubmit2",
			"vkCreateSwapchainKHR", "vkAllocateMemory", "vkMapMemory", "vkUnmapMemory", "vkCreateBuffer", "vkCreateImage",
			"vkCmdDraw", "vkCmdDrawIndexed", "vkCmdDispatch", "vkCmdCopyBuffer", "vkCmdCopyImage", "vkDestroyDevice"}},
		{Answered: true, Commands: []string{"vkCreateInstance", "vkCreateDevice", "vkQueuePresentKHR"}},
		{Answered: true, Problem: "it crashed when it was asked"},
	}}
	addObserved(chain, made.Plan, seen, log, asked)
	return chain
}

// The picture in the documentation equals the tool's. To redraw it: go test ./internal/tool/survey -run Picture -update
func TestPictureOfTheDocumentation(t *testing.T) {
	var svg bytes.Buffer
	if err := SVG(&svg, picturedChain(t)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "..", "docs", "images", "chain.svg")
	if *update {
		if err := os.WriteFile(path, svg.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, svg.Bytes()) {
		t.Errorf("%s is another picture: go test ./internal/tool/survey -run Picture -update, and look at it", path)
	}
}

// Devices appear with their drivers and intercepted commands with their layers. Unknown data are marked.
func TestChainOfGraph(t *testing.T) {
	chain := picturedChain(t)
	if len(chain.Layers) != 3 || len(chain.Drivers) != 3 || chain.Problem != "" {
		t.Fatalf("%+v", chain)
	}
	for i, want := range []struct {
		known    bool
		commands int
		unknown  string
	}{{true, 17, ""}, {true, 3, ""}, {false, 0, "it crashed when it was asked"}} {
		if l := chain.Layers[i]; l.Known != want.known || len(l.Commands) != want.commands || l.Unknown != want.unknown {
			t.Errorf("layer %d: %+v", i, l)
		}
	}
	const first = "vkCreateInstance vkCreateDevice vkQueuePresentKHR vkQueueSubmit vkQueueSubmit2 vkCreateSwapchainKHR vkAllocateMemory"
	if got := strings.Join(chain.Layers[0].Commands[:7], " "); got != first {
		t.Errorf("the first commands: %s", got)
	}
	for name, want := range map[string]int{"acme_icd.json": 2, "gone_icd.json": 0, "lvp_icd.json": 1} {
		for _, d := range chain.Drivers {
			if d.Name == name && (len(d.Devices) != want || (d.Problem != "") != (name == "gone_icd.json")) {
				t.Errorf("%+v", d)
			}
		}
	}
}
