package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// of runs the tool for programs whose loader is in a directory.
func of(w *world.World, directory string, arguments ...string) string {
	w.T.Helper()
	w.System = true // no other directory comes first
	w.Env["LD_LIBRARY_PATH"] = directory
	out, _ := w.Run(2*time.Minute, filepath.Join(built, "vkloader"), arguments...)
	return out
}

// Probes use the loader that programs get: doctor finds a fault that only this loader has, and attributes it to the loader.
func TestProbeThroughTheProgramsLoader(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("acme", "device name=acme")
	loader, err := binary.Parse(strings.Fields("soname=libvulkan.so.1 code=crash exports=vkGetInstanceProcAddr,vkCreateInstance," +
		"vkEnumerateInstanceExtensionProperties,vkEnumerateInstanceLayerProperties,vkEnumerateInstanceVersion " +
		"texts=VK_ICD_FILENAMES,VK_INSTANCE_LAYERS,VK_DRIVER_FILES,VK_LOADER_LAYERS_DISABLE,VK_LOADER_DRIVERS_DISABLE"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w.Path("other"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.Path("other/libvulkan.so.1"), loader.Bytes(), 0o755); err != nil {
		t.Fatal(err)
	}
	out := of(w, w.Path("other"), "doctor", "--probe")
	for _, want := range []string{"Programs get " + w.Path("other/libvulkan.so.1") + ": LD_LIBRARY_PATH",
		"problem driver-crashes: acme.json", "killed by SIG", "it happens only with the loader that programs get, of an unknown version, and not with vkloader's",
		"Or: unset VK_DRIVER_FILES"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out = of(w, built, "doctor", "--probe")
	if strings.Contains(out, "driver-crashes") || !strings.Contains(out, "of vkloader ") {
		t.Errorf("through this loader:\n%s", out)
	}
}

// If programs get Debian's loader, doctor names it with its package, probes open it, and the words of its log cause no finding.
func TestProbeThroughDebiansLoader(t *testing.T) {
	t.Parallel()
	built, err := filepath.EvalSymlinks(filepath.Join(built, "libvulkan.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	debian, err := filepath.EvalSymlinks(world.SystemLibrary)
	if err != nil {
		t.Fatal(err)
	}
	for name, directory := range map[string]string{built: filepath.Dir(built), debian: filepath.Dir(world.SystemLibrary)} {
		w := world.NewSystem(t)
		w.Env["NODEVICE_SELECT"] = "1"
		w.Driver("acme", "device name=acme")
		w.Driver("empty", "quiet *")
		out := of(w, directory, "doctor", "--probe", "--json")
		var report struct {
			Loader struct{ Version, Package string }
			Probes []struct{ Name, Result string }

			Through []string `json:"probed_through"`
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if name == debian && (report.Loader.Package != "libvulkan1" || report.Loader.Version == "") {
			t.Errorf("%+v", report.Loader)
		}
		results := ""
		for _, p := range report.Probes {
			results += p.Name + " " + p.Result + ", "
		}
		if results != "acme.json ok, empty.json no device, drivers and layers together ok, " {
			t.Errorf("%s: %s", name, results)
		}
		if !slices.Equal(report.Through, []string{name}) {
			t.Errorf("through %v, not through %s", report.Through, name)
		}
	}
}

// "list devices" says what programs list with another loader, if that differs, and "check" asks that loader.
func TestDevicesWithTheProgramsLoader(t *testing.T) {
	t.Parallel()
	for directory, code := range map[string]int{built: 0, filepath.Dir(world.SystemLibrary): 11} {
		w := world.NewSystem(t)
		w.Env["NODEVICE_SELECT"] = "1"
		w.Driver("acme", "device name=acme")
		w.Driver("bad", "device name=bad", "result vkEnumeratePhysicalDevices -3")
		out := of(w, directory, "list", "devices")
		const differs = ", which programs get: list devices failed with VK_ERROR_INITIALIZATION_FAILED"
		if strings.Contains(strings.Join(strings.Fields(out), " "), differs) != (code != 0) || !strings.Contains(out, "acme") {
			t.Errorf("%s:\n%s", directory, out)
		}
		if out, exit := w.Run(time.Minute, tool, "check"); exit.Code != code {
			t.Errorf("%s: exit code %d, want %d:\n%s", directory, exit.Code, code, out)
		}
	}
}

// A layer that hides every device hides them from both loaders. doctor does not attribute the fault to the program's loader, and another
// loader is no fix.
func TestBlindWithEveryLoader(t *testing.T) {
	t.Parallel()
	w := world.NewSystem(t)
	w.Env["NODEVICE_SELECT"] = "1"
	w.Driver("acme", "device name=acme")
	w.Env["XDG_DATA_HOME"] = w.Path("data") // Debian's loader has no variable for implicit layers
	w.ImplicitLayer("VK_LAYER_hides", "remove_device 0").MoveManifest("data/vulkan/implicit_layer.d")
	out := of(w, filepath.Dir(world.SystemLibrary), "doctor")
	for want, wanted := range map[string]bool{"problem layer-fails: VK_LAYER_hides": true, "no device is listed": true,
		"export DISABLE_VK_LAYER_hides=1": true, "it happens only with": false, "vkloader run PROGRAM Or:": false} {
		if strings.Contains(strings.Join(strings.Fields(out), " "), want) != wanted {
			t.Errorf("%q is wanted: %t, in\n%s", want, wanted, out)
		}
	}
}

// If the program's loader would ignore the settings, they are no step of --fix: --fix writes nothing, and prints the remaining steps.
func TestFixWritesNothingThatIsIgnored(t *testing.T) {
	t.Parallel()
	w := world.NewSystem(t)
	w.Env["NODEVICE_SELECT"] = "1"
	w.Driver("bad", "device name=bad", "die vkEnumeratePhysicalDevices")
	w.Driver("good", "device name=good")
	out := of(w, filepath.Dir(world.SystemLibrary), "doctor", "--fix", "--yes", "--timeout", "60s")
	if strings.Contains(out, "--until-changed") || !strings.Contains(out, "Not fixed") || !strings.Contains(out, "bad.json") {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(w.Path("home/.config/vulkan")); err == nil {
		t.Errorf("settings are written:\n%s", out)
	}
}

// No file name and no package shows the version of a copied loader. A probe shows it.
func TestVersionByProbe(t *testing.T) {
	t.Parallel()
	w := world.NewSystem(t)
	w.Env["NODEVICE_SELECT"] = "1"
	w.Driver("acme", "device name=acme")
	real, err := filepath.EvalSymlinks(world.SystemLibrary)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	w.Write("game/libvulkan.so.1", string(copied))
	for arguments, want := range map[string]string{
		"doctor --no-probe": w.Path("game/libvulkan.so.1") + ":",
		"doctor":            w.Path("game/libvulkan.so.1") + ", version " + strings.TrimPrefix(filepath.Base(real), "libvulkan.so."),
	} {
		if out := of(w, w.Path("game"), strings.Fields(arguments)...); !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", arguments, want, out)
		}
	}
}
