package commands

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// With --no-probe, neither the tool nor a child process loads a driver, a layer or another library, as the dynamic linker's log shows.
// Without it, child processes load each of them.
func TestDoctorLoadsNothing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("acme", "device name=acme", "log_load")
	w.ImplicitLayer("VK_LAYER_i", "log_load")
	w.ExplicitLayer("VK_LAYER_e", "log_load")
	w.Env["LD_DEBUG"] = "files"
	tool := filepath.Join(built, "vkloader")

	out, exit := w.Run(2*time.Minute, tool, "doctor", "--no-probe")
	for _, want := range []string{"used   acme.json", "used      VK_LAYER_i", "not used  VK_LAYER_e"} {
		if !strings.Contains(strings.ReplaceAll(out, "ok     acme", "ok            acme"), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if seen := w.Log(); len(seen) > 0 {
		t.Errorf("drivers and layers have run: %v", seen)
	}
	initialised := regexp.MustCompile(`calling init: (\S+)`)
	if loaded := initialised.FindString(exit.Stderr); loaded != "" {
		t.Errorf("the tool's process, or a child, has a dynamic linker: %s", loaded)
	}

	out, _ = w.Run(2*time.Minute, tool, "doctor")
	delete(w.Env, "LD_DEBUG")
	for _, who := range []string{"acme", "VK_LAYER_i"} {
		if len(w.Log().By(who).Fn("constructor")) == 0 {
			t.Errorf("doctor has not loaded %s:\n%s", who, out)
		}
	}
	if len(w.Log().By("VK_LAYER_e")) > 0 {
		t.Error("doctor has loaded a layer that nobody asks for")
	}
}

// doctor names a failing driver with its VkResult and the loader's message. A working driver without a device is no problem.
func TestProbeOfFailures(t *testing.T) {
	t.Parallel()
	needSys(t)
	for name, want := range map[string][]string{
		"failing-driver": {"Broken: bad.json fails; 1 problem\n", "problem driver-fails: bad.json\n", "create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER; the loader " +
			"says: terminator_CreateInstance: Received return code -3 from call to vkCreateInstance in ICD /world/lib/bad.so."},
		"failing-layer": {"Broken: VK_LAYER_no fails; 1 problem\n", "problem layer-fails: VK_LAYER_no\n", "create instance failed with VK_ERROR_EXTENSION_NOT_PRESENT",
			"export DISABLE_VK_LAYER_no=1"},
		"empty-driver": {"note driver-no-device: empty.json\n", "it works, but lists no device", "no problems"},
	} {
		out := site(t, name)(nil, "doctor", "--probe", "--full")
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: no %q in\n%s", name, w, out)
			}
		}
	}
}

// doctor names a hanging driver with the phase, and lists the driver that works.
func TestProbeOfHangingDriver(t *testing.T) {
	t.Parallel()
	out := site(t, "hanging-driver")(nil, "doctor", "--probe", "--timeout", "8s")
	for _, want := range []string{"problem driver-hangs: stuck.json\n", "hung for 8s in vkEnumeratePhysicalDevices"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
