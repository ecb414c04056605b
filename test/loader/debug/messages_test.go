package debug

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: DBG-019
func TestAnswersOfCallbacksMeanNothing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	a := instance(h, "returns", "1", "messenger", "A", "report", "B:0x1f")
	if len(to(a, "A")) < 3 || len(to(a, "B")) < 3 {
		t.Errorf("received %v", a.Received())
	}
	h.OK("create_messenger", "as", "first", "returns", "1")
	h.OK("create_messenger", "as", "second", "returns", "1")
	h.OK("create_report", "returns", "1")
	if a := h.Do("submit_message", "text", "x"); len(a.Received()) != 3 {
		t.Errorf("received %v", a.Received())
	}
	h.OK("physical_devices")
	h.Do("destroy_instance")
	h.Quit()
}

// loaderLines returns the lines that the loader wrote.
func loaderLines(stderr string) []string {
	var out []string
	for _, line := range strings.Split(stderr, "\n") {
		if strings.HasPrefix(line, "[Vulkan Loader] ") {
			out = append(out, line)
		}
	}
	return out
}

// holds: MSG-001 MSG-002 MSG-004 MSG-005
func TestFatalMessagesAlone(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "layer"} { // for each value of the variable
		w := world.New(t)
		w.Driver("one")
		w.DriverFile("broken", "{")
		w.Env["VK_LOADER_DEBUG"] = value
		h := w.Start()
		instance(h)
		h.Do("physical_devices", "count", "null")
		h.OK("physical_devices")
		exit := h.Quit()
		const want = "[Vulkan Loader] ERROR:          vkEnumeratePhysicalDevices: Received NULL pointer for physical device count return value. [VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]"
		var lines []string
		for _, line := range loaderLines(exit.Stderr) {
			if !strings.HasPrefix(line, "[Vulkan Loader] LAYER:") {
				lines = append(lines, line)
			}
		}
		if len(lines) != 1 || lines[0] != want {
			t.Errorf("%q: standard error is %q", value, exit.Stderr)
		}
	}
}

// holds: MSG-002 MSG-003
func TestHeadersAndCuts(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	broken := w.DriverFile("missing", world.DriverManifest("/nowhere/libmissing.so", "1.0.0"))
	w.ExplicitLayer("VK_LAYER_test_one")
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	instance(h, "app_name", strings.Repeat("x", 2000), "layer", "VK_LAYER_test_one")
	h.OK("physical_devices")
	h.Do("destroy_instance")
	exit := h.Quit()
	cut := false
	heads := map[string]bool{}
	for _, line := range loaderLines(exit.Stderr) {
		colon := strings.Index(line, ":")
		head := line[len("[Vulkan Loader] "):colon]
		heads[head] = true
		if pad := line[colon+1:]; colon+2 < 32 && strings.TrimLeft(pad[:32-colon-1], " ") != "" {
			t.Errorf("the header is not filled up to 32 characters: %q", line)
		}
		text := line[max(32, colon+2):]
		if len(text) > 511 {
			t.Errorf("%d bytes of text", len(text))
		}
		cut = cut || len(text) == 511
	}
	for _, head := range []string{"INFO", "DEBUG | LAYER", "ERROR | DRIVER", "LAYER", "DEBUG | DRIVER"} {
		if !heads[head] {
			t.Errorf("no line with %q among %v", head, heads)
		}
	}
	for head := range heads {
		for i, word := range strings.Split(head, " | ") {
			levels, categories := "ERROR WARNING INFO DEBUG", "PERF DRIVER LAYER"
			if !strings.Contains(categories, word) && (i > 0 || !strings.Contains(levels, word)) {
				t.Errorf("header %q", head)
			}
		}
	}
	if !cut {
		t.Errorf("nothing was cut at 511 bytes")
	}
	if !strings.Contains(exit.Stderr, broken) {
		t.Errorf("nothing about %s", broken)
	}
}

// holds: MSG-006 MSG-007
func TestSelectionOfMessages(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"": "", "all": "idDl", "info": "i", "debug": "d", "layer": "l", "driver": "D", "implem": "D", "icd": "D", "error": "e", "nothing": "", ",,": "",
		"info,layer": "il", "nothing,info": "i", ",info,": "i", "a": "idDl", "i": "i", "in": "i", "d": "d", "de": "d", "dr": "D", "im": "D", "ic": "D", "l": "l", "la": "l",
		"e": "e", "warn": "w", "w": "w", "perf": "", "p": "", "infos": "", "INFO": "", " info": "",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("one")
			w.DriverFile("missing", world.DriverManifest("/nowhere/libmissing.so", "1.0.0")) // ERROR | DRIVER
			w.ExplicitLayer("strange_name")                                                  // WARNING
			w.Env["VK_LOADER_DEBUG"] = value
			h := w.Start()
			instance(h, "layer", "strange_name")
			h.OK("physical_devices")
			h.Do("destroy_instance")
			exit := h.Quit()
			got := map[string]bool{}
			for _, line := range loaderLines(exit.Stderr) {
				head := line[len("[Vulkan Loader] "):strings.Index(line, ":")]
				for _, mark := range []struct{ letter, word string }{{"i", "INFO"}, {"d", "DEBUG"}, {"e", "ERROR"}, {"w", "WARNING"}, {"l", "LAYER"}, {"D", "DRIVER"}} {
					if strings.Contains(head, mark.word) {
						got[mark.letter] = true
					}
				}
				// Every line has one of the marks that were asked for.
				wanted := false
				for _, mark := range []struct{ letter, word string }{{"i", "INFO"}, {"d", "DEBUG"}, {"e", "ERROR"}, {"w", "WARNING"}, {"l", "LAYER"}, {"D", "DRIVER"}} {
					wanted = wanted || (strings.Contains(want, mark.letter) && strings.Contains(head, mark.word))
				}
				if value != "all" && value != "a" && !wanted {
					t.Errorf("not asked for: %q", line)
				}
			}
			for _, letter := range want {
				if !got[string(letter)] {
					t.Errorf("no line with %q: %q", string(letter), exit.Stderr)
				}
			}
		})
	}
}

// holds: MSG-008 HND-002
func TestInvalidHandleReachesNoMessenger(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	instance(h)
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	h.Do("script", "as", "tell", "line", "properties pd="+pd)
	h.OK("create_messenger", "script", "tell")
	h.OK("create_report", "script", "tell")
	before := len(w.Log().Fn("vkGetPhysicalDeviceProperties"))
	exit := h.Dies("call", "name", "vkQueueSubmit", "arg", "zeros", "arg", "0", "arg", "null", "arg", "null")
	if got := loaderLines(exit.Stderr); len(got) != 1 || got[0] != "[Vulkan Loader] ERROR:          vkQueueSubmit: Invalid queue [VUID-vkQueueSubmit-queue-parameter]" {
		t.Errorf("standard error is %q", exit.Stderr)
	}
	if after := len(w.Log().Fn("vkGetPhysicalDeviceProperties")); after != before {
		t.Errorf("a callback was called %d times", after-before)
	}
}
