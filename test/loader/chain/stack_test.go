package chain

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// stack returns the lines from the title's line to the end's.
func stack(stderr, title, end string) []string {
	var out []string
	for _, l := range strings.Split(stderr, "\n") {
		if strings.HasSuffix(l, " "+title) || len(out) > 0 {
			out = append(out, l)
		}
		if len(out) > 0 && strings.HasSuffix(l, end) {
			return out
		}
	}
	return out
}

// holds: LAY-423 LAY-424 LAY-425 LAY-426 LAY-427 LAY-428
func TestCallStack(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	d := w.Driver("a", "device name=the%20device")
	w.ImplicitLayer("VK_LAYER_i1")
	w.ImplicitLayer("VK_LAYER_i2").Set("enable_environment", map[string]any{"ENABLE_I2": "yes"})
	w.Env["ENABLE_I2"] = "yes"
	w.ImplicitLayer("VK_LAYER_i3").Set("enable_environment", map[string]any{"ENABLE_I3": "yes"})
	w.Env["ENABLE_I3"] = "yes"
	w.ExplicitLayer("VK_LAYER_env")
	w.ExplicitLayer("VK_LAYER_filter", "negotiate_null gdpa")
	w.ExplicitLayer("VK_LAYER_part")
	w.ExplicitLayer("VK_LAYER_meta").Set("library_path", nil).Set("component_layers", []string{"VK_LAYER_part", "VK_LAYER_i3"})
	w.ExplicitLayer("VK_LAYER_app")
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_env"
	w.Env["VK_LOADER_LAYERS_ENABLE"] = "VK_LAYER_filter"
	h := start(w)
	h.OK("create_instance", "layer", "VK_LAYER_meta", "layer", "VK_LAYER_app")
	before := h.Stderr()
	pd := device(h)
	h.OK("create_device", "pd", pd)
	order := h.OK("device_layers", "pd", pd).Strings("layers")
	exit := h.Quit()
	layer := func(name string, device bool) []string {
		kind, by, directory := "Explicit", "", "explicit"
		var more []string
		switch name {
		case "VK_LAYER_i1", "VK_LAYER_i2", "VK_LAYER_i3":
			kind, by, directory = "Implicit", "Implicit Layer", "implicit"
			more = []string{"               Disable Env Var:  DISABLE_" + name}
			if name != "VK_LAYER_i1" && !device {
				more = append(more, fmt.Sprintf("               This layer was enabled because Env Var ENABLE_%s was set to Value yes", strings.ToUpper(name[9:])))
			}
		case "VK_LAYER_env":
			by = "Environment Variable VK_INSTANCE_LAYERS"
		case "VK_LAYER_filter":
			by = "Environment Variable VK_LOADER_LAYERS_ENABLE"
		case "VK_LAYER_part":
			by = "Meta Layer (Vulkan Configurator)"
		case "VK_LAYER_app":
			by = "By the Application"
		}
		text := append([]string{"   " + name, "           Type: " + kind, "           Enabled By: " + by}, more...)
		text = append(text, "           Manifest: "+w.Path(directory, name+".json"), "           Library:  "+w.Path("lib", name+".so"), "     ||")
		for i := range text {
			text[i] = line("LAYER", text[i])
		}
		return text
	}
	for _, device := range []bool{false, true} {
		tag, title, end := "LAYER", "vkCreateInstance layer callstack setup to:", "   <Drivers>"
		if device {
			tag, title, end = "DRIVER", "vkCreateDevice layer callstack setup to:", "   <Device>"
		}
		var want []string
		for _, text := range []string{title, "   <Application>", "     ||", "   <Loader>", "     ||"} {
			want = append(want, line(tag, text))
		}
		count := 0
		for _, name := range order {
			if name != "VK_LAYER_meta" && !(device && name == "VK_LAYER_filter") {
				want = append(want, layer(name, device)...)
				count++
			}
		}
		want = append(want, line(tag, end))
		text := exit.Stderr
		if device {
			text = strings.TrimPrefix(text, before)
		} else if count != 7 {
			t.Errorf("the chain is %v", order)
		}
		got := stack(text, title, end)
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("call stack\n%s\nwant\n%s", g, w)
		}
	}
	said(t, exit.Stderr, 1, "DRIVER", fmt.Sprintf(`       Using "the device" with driver: "%s"`, d.Library))
}

// holds: LAY-423 LAY-425
func TestCallStackWithoutLayersAndBySettings(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	h := start(w)
	h.OK("create_instance")
	var want []string
	for _, text := range []string{"vkCreateInstance layer callstack setup to:", "   <Application>", "     ||", "   <Loader>", "     ||", "   <Drivers>"} {
		want = append(want, line("LAYER", text))
	}
	same(t, "without layers", stack(h.Quit().Stderr, "vkCreateInstance layer callstack setup to:", "   <Drivers>"), want)
	// An implicit layer that is active only as a component.
	w = world.New(t)
	w.Driver("a")
	w.ImplicitLayer("VK_LAYER_part").Set("enable_environment", map[string]any{"ENABLE_PART": "1"})
	w.ImplicitLayer("VK_LAYER_LUNARG_override").Set("library_path", nil).Set("component_layers", []string{"VK_LAYER_part"})
	h = start(w)
	h.OK("create_instance")
	same(t, "created", created(w), []string{"VK_LAYER_part", "a"})
	said(t, h.Quit().Stderr, 1, "LAYER", "           Enabled By: Implicit Layer")
	w = world.New(t)
	w.Driver("a")
	f := w.ExplicitLayer("VK_LAYER_x")
	w.Write("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", world.JSON(map[string]any{"file_format_version": "1.0.0",
		"settings": map[string]any{"layers": []any{map[string]any{"name": "VK_LAYER_x", "path": f.ManifestPath, "control": "on"}}}}))
	h = start(w)
	h.OK("create_instance")
	said(t, h.Quit().Stderr, 1, "LAYER", "           Enabled By: Loader Settings File (Vulkan Configurator)")
}

// holds: LAY-428
func TestSelectionOfMessages(t *testing.T) {
	t.Parallel()
	for level, c := range map[string]struct{ stack, insert, load, warning bool }{
		"":           {},
		"layer":      {true, true, true, false},
		"info":       {false, true, false, false},
		"debug":      {false, false, true, false},
		"warn":       {false, false, false, true},
		"all":        {true, true, true, true},
		"info,debug": {false, true, true, false},
	} {
		w := world.New(t)
		w.Driver("a")
		w.ExplicitLayer("VK_LAYER_x")
		h := start(w)
		h.Quit()
		w.Env["VK_LOADER_DEBUG"] = level
		h = w.Start()
		h.OK("create_instance", "layer", "VK_LAYER_x")
		h.OK("create_device", "pd", device(h), "layer", "VK_LAYER_other")
		stderr := h.Quit().Stderr
		for text, want := range map[string]bool{
			line("LAYER", "   <Loader>"): c.stack,
			line("INFO | LAYER", fmt.Sprintf(`Insert instance layer "VK_LAYER_x" (%s)`, w.Path("lib/VK_LAYER_x.so"))):                                                       c.insert,
			line("DEBUG | LAYER", "Loading layer library "+w.Path("lib/VK_LAYER_x.so")):                                                                                     c.load,
			line("WARNING", "loader_create_device_chain: Using deprecated and ignored 'ppEnabledLayerNames' member of 'VkDeviceCreateInfo' when creating a Vulkan device."): c.warning,
		} {
			if got := strings.Contains(stderr, text+"\n"); got != want {
				t.Errorf("VK_LOADER_DEBUG=%s: %s: %v, want %v", level, text, got, want)
			}
		}
	}
	// Cut after 511 bytes.
	w := world.New(t)
	w.Driver("a")
	long := "VK_LAYER_" + strings.Repeat("x", 190)
	f := w.ExplicitLayer(long).Set("description", "d")
	deep := w.Path(strings.Repeat("d", 200), strings.Repeat("e", 200), "layer.so")
	w.Write(deep, "no library")
	f.Set("library_path", deep)
	f.Set("name", long)
	h := start(w)
	h.Do("create_instance", "layer", long)
	for _, l := range strings.Split(h.Quit().Stderr, "\n") {
		if strings.HasPrefix(l, "[Vulkan Loader]") && len(w.AsThere(l)) > 32+511 {
			t.Errorf("a body of %d bytes: %s", len(l)-32, l)
		}
	}
}

// holds: LAY-429
func TestMessagesToChainedCallbacks(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_x")
	w.ImplicitLayer("VK_LAYER_bad")
	w.BadBinary("VK_LAYER_bad")
	h := w.Start()
	for _, verb := range []string{"instance_layers", "instance_extensions", "instance_version"} {
		if a := h.OK(verb); len(a.Received()) != 0 {
			t.Errorf("%s: %v", verb, a.Received())
		}
	}
	a := h.OK("create_instance", "layer", "VK_LAYER_x", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report", "messenger", "m:0x1111:7", "report", "r:31")
	for _, to := range []string{"m", "r"} {
		for _, text := range []string{`Insert instance layer "VK_LAYER_x`, "Loading layer library ", `Requested layer "VK_LAYER_bad" ` + world.Failure(world.HeaderError("")) + ".", "   <Drivers>"} {
			if !a.HasText(to, text) {
				t.Errorf("%s did not receive %q", to, text)
			}
		}
	}
	if exit := h.Quit(); strings.Contains(exit.Stderr, "Insert instance layer") {
		t.Errorf("on standard error: %s", exit.Stderr)
	}
}
