package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const incompatibleDriver = -9 // VK_ERROR_INCOMPATIBLE_DRIVER

// With a settings file with devices, the library and the tool ignore the variable that selects drivers. Without devices in the file, the
// variable also selects among the file's drivers.
//
// holds: SET-15 SET-88 SET-93 SET-98 ENV-14 ENV-16 ENV-18
func TestSettingsDeviceWithSelectedDrivers(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (w *world.World, drivers map[string]*world.Fake) {
		t.Helper()
		w, drivers = cards(t)
		drivers["amd"].Script("ext VK_EXT_direct_mode_display")
		drivers["cpu"].Script("ext VK_EXT_display_surface_counter")
		w.Env["VK_LOADER_DRIVERS_SELECT"] = "cpu*"
		return w, drivers
	}
	// devices returns the devices of a program, in order.
	devices := func(h *world.Host) (names []string) {
		h.OK("create_instance")
		for _, pd := range h.OK("physical_devices").Ints("devices") {
			names = append(names, h.Do("properties", "pd", world.Ref(pd)).Text("name"))
		}
		h.Do("destroy_instance")
		return names
	}
	offers := func(h *world.Host, extension string) bool {
		return slices.Contains(h.OK("instance_extensions").Strings("extensions"), extension)
	}
	set := func(t *testing.T, w *world.World, args ...string) string {
		t.Helper()
		out, exit := tried(w, append([]string{"settings", "set"}, args...)...)
		if exit.Code != 0 {
			t.Fatalf("%v: %d, %s%s", args, exit.Code, out, exit.Stderr)
		}
		return exit.Stderr
	}

	t.Run("all programs", func(t *testing.T) {
		t.Parallel()
		w, _ := begin(t)
		h := w.Start()
		if got := devices(h); !slices.Equal(got, []string{"Processor"}) || offers(h, "VK_EXT_direct_mode_display") {
			t.Errorf("selected: %v", got)
		}
		said := set(t, w, "--device", "amd")
		if !strings.Contains(said, "Radeon iGPU: its driver is excluded by VK_LOADER_DRIVERS_SELECT=cpu*. With these settings programs on this loader still get") {
			t.Error(said)
		}
		if got := devices(h); !slices.Equal(got, []string{"Radeon iGPU"}) || !offers(h, "VK_EXT_direct_mode_display") {
			t.Errorf("with devices: %v", got)
		}
		// The tool's output about drivers, devices and the variable agrees with that.
		if _, in := listed(t, w); !slices.Equal(in, []string{"03:00.0R"}) {
			t.Errorf("list devices: %v", in)
		}
		type foundDriver struct{ In bool }
		var drivers struct{ Found []foundDriver }
		out, _ := tried(w, "list", "drivers", "--json")
		if err := json.Unmarshal([]byte(out), &drivers); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(drivers.Found, func(f foundDriver) bool { return !f.In }) || len(drivers.Found) != 3 {
			t.Errorf("list drivers: %s", out)
		}
		if out, _ := tried(w, "list", "variables", "--set"); !regexp.MustCompile(`ignored +VK_LOADER_DRIVERS_SELECT +cpu\*`).MatchString(out) {
			t.Errorf("env:\n%s", out)
		}
		// Without the file, the variable has its effect on new instances. The running program's list of instance extensions still
		// has those of every driver; the list of a new program has not.
		if _, exit := tried(w, "settings", "clear"); exit.Code != 0 {
			t.Error(exit.Stderr)
		}
		if got := devices(h); !slices.Equal(got, []string{"Processor"}) || !offers(h, "VK_EXT_direct_mode_display") {
			t.Errorf("cleared: %v", got)
		}
		h.Quit()
		if h = w.Start(); offers(h, "VK_EXT_direct_mode_display") || !offers(h, "VK_EXT_display_surface_counter") {
			t.Error("a program that is started after that has the extensions of a driver that is not selected")
		}
		h.Quit()
	})
	t.Run("one program", func(t *testing.T) {
		t.Parallel()
		w, _ := begin(t)
		set(t, w, "--app", "/bin/sh", "--device", "amd")
		h := w.Start()
		if got := devices(h); !slices.Equal(got, []string{"Processor"}) {
			t.Errorf("another program: %v", got)
		}
		program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", h.Pid()))
		if err != nil {
			t.Fatal(err)
		}
		set(t, w, "--app", program, "--device", "amd")
		if got := devices(h); !slices.Equal(got, []string{"Radeon iGPU"}) {
			t.Errorf("the program: %v", got)
		}
		h.Quit()
	})
	t.Run("drivers without devices", func(t *testing.T) {
		t.Parallel()
		w, drivers := begin(t)
		set(t, w, "--driver", drivers["amd"].ManifestPath)
		h := w.Start()
		if code := h.Do("create_instance").Result(); code != incompatibleDriver {
			t.Errorf("exclusive drivers that are not selected: %d", code)
		}
		w.Env["VK_LOADER_DRIVERS_SELECT"] = filepath.Base(drivers["amd"].ManifestPath)
		h.Quit()
		h = w.Start()
		if got := devices(h); !slices.Equal(got, []string{"Radeon iGPU"}) {
			t.Errorf("selected: %v", got)
		}
		h.Quit()
	})
}

// The settings file that is kept for this release is the one that its tool writes.
func TestKeptSettingsOfThisRelease(t *testing.T) {
	t.Parallel()
	version, err := os.ReadFile("../../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	minor := string(version[:bytes.LastIndexByte(version, '.')])
	kept, err := os.ReadFile(filepath.Join("../../loader/discovery/testdata/releases", minor, "vk_loader_settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	w := world.New(t)
	w.ExplicitLayer("E1")
	w.ExplicitLayer("E2")
	out, exit := tried(w, "settings", "set", "--layer", "E2=on", "--layer", "E1=off", "--log", "warn,error",
		"--expires", "never", "--dry-run")
	if got := strings.ReplaceAll(out, w.Path("explicit"), "DIRECTORY"); exit.Code != 0 || got != string(kept) {
		t.Errorf("exit code %d: %s\nthe file of this release is\n%s\n%s", exit.Code, got, kept, exit.Stderr)
	}
}
