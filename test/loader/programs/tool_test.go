package programs

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// The tool is not linked with Vulkan, and uses its own library only.
var toolAlone = machine.Loader{Name: "no", Directory: ""}

// The tool is a single file without a dynamic linker.
func TestToolIsStatic(t *testing.T) {
	t.Parallel()
	file, err := elf.Open(filepath.Join(machine.Built(t), "vkloader"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the tool needs %v, %v", libraries, err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the tool names a dynamic linker")
		}
	}
}

// Without a driver, the tool reports a problem.
func TestDevicesWithoutDriver(t *testing.T) {
	t.Parallel()
	stage := machine.New(t).With("VK_DRIVER_FILES=/nonexistent.json")
	alone := stage.Run(toolAlone, filepath.Join(machine.Built(t), "vkloader"), "list", "devices", "--details")
	alone.WantExit(t, 1)
	if !strings.Contains(alone.Out, "Problem: create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER") {
		t.Errorf("got\n%s", alone.Out)
	}
}

// A driver that kills its process kills only the child process; the tool reports when and how.
func TestInfoOfCrashingDriver(t *testing.T) {
	t.Parallel()
	machine.Need(t, "gcc")
	stage := machine.New(t)
	work := filepath.Join(stage.Dir, "work")
	write(t, filepath.Join(work, "crash.c"), "__attribute__((constructor)) static void start(void) { *(volatile int *)8 = 1; }\n")
	stage.Run(toolAlone, "gcc", "-shared", "-fPIC", "-o", "libcrash.so", "crash.c").WantExit(t, 0)
	manifest := filepath.Join(work, "crash.json")
	write(t, manifest, `{"file_format_version":"1.0.0","ICD":{"library_path":"./libcrash.so","api_version":"1.3.0"}}`)
	result := stage.With("VK_DRIVER_FILES="+manifest).Run(toolAlone, filepath.Join(machine.Built(t), "vkloader"), "list", "devices", "--details")
	result.WantExit(t, 1)
	if !strings.Contains(result.Out, "Problem: killed by SIGSEGV while enumerating extensions") {
		t.Errorf("got\n%s\n%s", result.Out, result.Err)
	}
}

// The library opens exactly the drivers that the tool lists as used, with drivers that are left out for several
// reasons.
func TestListAgreesWithLibrary(t *testing.T) {
	t.Parallel()
	machine.Lavapipe(t)
	stage := machine.New(t)
	broken := filepath.Join(stage.Dir, "work", "broken.json")
	write(t, broken, `{"file_format_version":"1.0.0","ICD":`)
	stage = stage.With("VK_ADD_DRIVER_FILES="+broken, "VK_LOADER_DRIVERS_DISABLE=*hasvk*,radeon*")
	tool := filepath.Join(machine.Built(t), "vkloader")
	listed := stage.Run(toolAlone, tool, "list", "drivers", "--json")
	listed.WantExit(t, 1) // the broken manifest is a problem
	var answer struct {
		Schema int
		Found  []struct {
			Path, Why, Statement string
			In                   bool
		}
	}
	if err := json.Unmarshal([]byte(listed.Out), &answer); err != nil {
		t.Fatalf("%v\n%s", err, listed.Out)
	}
	var in, opened []string
	for _, f := range answer.Found {
		if f.Why == "" || f.Statement == "" {
			t.Errorf("no reason for %+v", f)
		}
		if f.In {
			in = append(in, filepath.Base(librariesOf(t, f.Path)))
		}
	}
	log := stage.With("VK_LOADER_DEBUG=all", "LD_DEBUG=files").Run(machine.Ours(t), "vulkaninfo", "--summary")
	for _, line := range strings.Split(log.Err, "\n") {
		if _, path, ok := strings.Cut(line, "calling init: "); ok && strings.Contains(filepath.Base(path), "libvulkan_") &&
			!slices.Contains(opened, filepath.Base(path)) {
			opened = append(opened, filepath.Base(path))
		}
	}
	slices.Sort(in)
	slices.Sort(opened)
	if !slices.Equal(in, opened) || len(in) == 0 {
		t.Errorf("the tool lists as used %v, the library opened %v\n%s", in, opened, listed.Out)
	}
}

// On this machine, doctor finds every driver of Mesa's package good with all its dependencies. lavapipe, which was tried, has its device.
// There is no problem, and the verdict is that Vulkan works.
func TestDoctorOnThisMachine(t *testing.T) {
	t.Parallel()
	machine.Lavapipe(t)
	result := machine.New(t).Run(toolAlone, filepath.Join(machine.Built(t), "vkloader"), "doctor", "--timeout", "2m", "--json")
	result.WantExit(t, 0)
	var answer struct {
		Verdict string
		Drivers []struct {
			Manifest, File string
			Good, Used     bool
			Needs          int
		}
		Probes []struct {
			Name, Result string
			Devices      []string
		}
		Findings []struct{ Code, Severity, What string }
	}
	if err := json.Unmarshal([]byte(result.Out), &answer); err != nil {
		t.Fatalf("%v\n%s\n%s", err, result.Out, result.Err)
	}
	if installed := glob(t, machine.Manifests+"/*.json"); len(answer.Drivers) < len(installed) {
		t.Errorf("%d drivers of %v", len(answer.Drivers), installed)
	}
	for _, d := range answer.Drivers {
		if strings.HasPrefix(d.Manifest, machine.Manifests) && (!d.Good || !d.Used || d.Needs < 5 || d.File == "") {
			t.Errorf("%+v", d)
		}
	}
	for _, f := range answer.Findings {
		if f.Severity == "problem" {
			t.Errorf("%+v", f)
		}
	}
	if !strings.Contains(answer.Verdict, "works") {
		t.Errorf("%q", answer.Verdict)
	}
	lavapipe := slices.IndexFunc(answer.Probes, func(p struct {
		Name, Result string
		Devices      []string
	}) bool {
		return p.Name == filepath.Base(machine.Lavapipe(t))
	})
	if lavapipe < 0 || answer.Probes[lavapipe].Result != "ok" || !strings.Contains(answer.Probes[lavapipe].Devices[0], "llvmpipe") {
		t.Errorf("%+v", answer.Probes)
	}
}

// With the value "list", Mesa's real layer prints the devices and calls exit: doctor blames the variable, and not the
// layer.
func TestDoctorNamesMesasVariable(t *testing.T) {
	t.Parallel()
	machine.Lavapipe(t)
	stage := machine.New(t).With("MESA_VK_DEVICE_SELECT=list", "VK_LOADER_DRIVERS_SELECT=lvp*")
	result := stage.Run(toolAlone, filepath.Join(machine.Built(t), "vkloader"), "doctor", "--timeout", "2m")
	result.WantExit(t, 1)
	want := "Broken: MESA_VK_DEVICE_SELECT=list makes programs fail; 1 problem\n"
	if !strings.HasPrefix(result.Out, want) || strings.Contains(result.Out, "layer-exits") {
		t.Errorf("no %q in\n%s", want, result.Out)
	}
}

// librariesOf returns the libraries that a Mesa manifest names.
func librariesOf(t *testing.T, manifest string) string {
	t.Helper()
	var content struct {
		ICD struct {
			Library string `json:"library_path"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, manifest)), &content); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", manifest, err))
	}
	return content.ICD.Library
}
