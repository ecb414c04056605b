package commands

import (
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// A driver that fails because of any variable of drivers has the variable as its problem, also one that the tool does not know.
func TestDoctorNamesAnyVariable(t *testing.T) {
	t.Parallel()
	needSys(t)
	w := world.New(t)
	w.NoShim = true
	d := w.Driver("picky", "device name=picky")
	own := w.Path("libpicky.so")
	w.Write("picky.c", `#include <dlfcn.h>
#include <stdlib.h>
static void *driver(const char *name) { return dlsym(dlopen("`+d.Library+`", RTLD_NOW), name); }
__attribute__((constructor)) static void check(void) { if (getenv("RADV_EXPERIMENT") || getenv("DISPLAY")) abort(); }
int vk_icdNegotiateLoaderICDInterfaceVersion(void *v) { return ((int (*)(void *))driver("vk_icdNegotiateLoaderICDInterfaceVersion"))(v); }
void *vk_icdGetInstanceProcAddr(void *i, const char *n) { return ((void *(*)(void *, const char *))driver("vk_icdGetInstanceProcAddr"))(i, n); }
`)
	if err := world.Compile("-shared", "-fPIC", "-o", own, w.Path("picky.c"), "-ldl"); err != nil {
		t.Fatal(err)
	}
	d.Set("library_path", own)
	w.Driver("other", "device name=other").Set("library_path", own) // one variable is one problem
	w.Env["RADV_DEBUG"], w.Env["RADV_EXPERIMENT"], w.Env["MESA_LOG"] = "info", "1", "null"
	found := diagnosed(t, w, 1, "--timeout", "2m")
	if got := found.finding("variable-hides"); !strings.HasPrefix(got, `problem RADV_EXPERIMENT: with the value "1", programs fail (picky.json: `) || found.finding("driver-crashes") != "" ||
		!strings.HasPrefix(found.Verdict, "Broken: RADV_EXPERIMENT=1 ") || !strings.HasSuffix(found.Verdict, "; 1 problem") {
		t.Errorf("%s\n%+v", found.Verdict, found.Findings)
	}
	delete(w.Env, "RADV_EXPERIMENT")
	w.Env["DISPLAY"] = "localhost:13.0" // nihui/waifu2x-ncnn-vulkan issue 85
	if found := diagnosed(t, w, 1, "--timeout", "2m"); !strings.HasPrefix(found.finding("variable-hides"), "problem DISPLAY: ") {
		t.Errorf("with a display: %+v", found)
	}
	delete(w.Env, "DISPLAY")
	if found := diagnosed(t, w, 0, "--timeout", "2m"); !found.Works {
		t.Errorf("without the variable: %+v", found)
	}
}

// An unfinished driver that refuses to work without a variable of its file is tried with it (KhronosGroup/Vulkan-Tools issue 633).
func TestDoctorTriesAnUnfinishedDriver(t *testing.T) {
	t.Parallel()
	needSys(t)
	w := world.New(t)
	w.NoShim = true
	d, own := w.Driver("mali", "device name=mali"), w.Path("libmali.so")
	w.Write("mali.c", `#include <dlfcn.h>
#include <stdlib.h>
static void *driver(const char *name) { return dlsym(dlopen("`+d.Library+`", RTLD_NOW), name); }
int vk_icdNegotiateLoaderICDInterfaceVersion(void *v) {
    return getenv("PAN_I_WANT_A_BROKEN_VULKAN_DRIVER") ? ((int (*)(void *))driver("vk_icdNegotiateLoaderICDInterfaceVersion"))(v) : -9;
}
void *vk_icdGetInstanceProcAddr(void *i, const char *n) { return ((void *(*)(void *, const char *))driver("vk_icdGetInstanceProcAddr"))(i, n); }
`)
	if err := world.Compile("-shared", "-fPIC", "-o", own, w.Path("mali.c"), "-ldl"); err != nil {
		t.Fatal(err)
	}
	d.Set("library_path", own)
	const fact = "problem mali.json: it is not finished, and lists a device only with PAN_I_WANT_A_BROKEN_VULKAN_DRIVER=1"
	if found := diagnosed(t, w, 1, "--timeout", "2m"); found.finding("gpu-unfinished") != fact || found.finding("driver-fails") != "" ||
		!strings.HasSuffix(found.Verdict, "1 problem") {
		t.Errorf("%s\n%+v", found.Verdict, found.Findings)
	}
	w.Env["PAN_I_WANT_A_BROKEN_VULKAN_DRIVER"] = "1"
	if found := diagnosed(t, w, 0, "--timeout", "2m"); !found.Works {
		t.Errorf("with the variable: %+v", found)
	}
}

// A layer that hides a device from programs is named at the device.
func TestDoctorNamesWhatHidesADevice(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.NoShim = true
	w.Driver("two", "device name=first vendor=0x1002 device=1", "device name=second vendor=0x8086 device=2")
	w.ImplicitLayer("VK_LAYER_harmless")
	w.ImplicitLayer("VK_LAYER_hider", "remove_device 1")
	d := diagnosed(t, w, 0, "--timeout", "2m")
	if got := d.finding("gpu-missing"); got != "warning second: its driver works, and the layer VK_LAYER_hider excludes it from the list of devices" {
		t.Errorf("%q\n%s\n%+v", got, d.Verdict, d.Findings)
	}
	if strings.Contains(d.Verdict, "no problems found") {
		t.Error(d.Verdict)
	}
}

// A device that NVIDIA's layer hides as its variable asks is no fault (the PRIME variables of alvr-org/ALVR pull request 2655).
func TestDoctorObeysNVIDIAsLayer(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.NoShim = true
	w.Driver("two", "device name=first vendor=0x10de device=1", "device name=second vendor=0x8086 device=2")
	w.ImplicitLayer("VK_LAYER_NV_optimus", "remove_device 1").Set("enable_environment", map[string]string{"__NV_PRIME_RENDER_OFFLOAD": "1"})
	w.Env["__NV_PRIME_RENDER_OFFLOAD"], w.Env["__VK_LAYER_NV_optimus"] = "1", "NVIDIA_only"
	const want = "note second: its driver works, and __VK_LAYER_NV_optimus=NVIDIA_only"
	if d := diagnosed(t, w, 0, "--timeout", "2m"); !strings.HasPrefix(d.finding("gpu-left-out"), want) || !strings.Contains(d.Verdict, "no problems found") {
		t.Errorf("%s\n%+v", d.Verdict, d.Findings)
	}
}

// A failure with a known meaning has the remedy for it, and one driver is one problem.
func TestDoctorKnowsFailures(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		"result vkCreateDevice -4":             "The device or its kernel driver has failed. See the kernel's messages (dmesg), then restart the machine.",
		"result vkEnumeratePhysicalDevices -1": "A limit on memory may be too low for ",
	} {
		w := world.New(t)
		w.NoShim = true
		w.Driver("bad", "device name=bad", result)
		w.Driver("good", "device name=good")
		d := diagnosed(t, w, 1, "--timeout", "2m")
		var problems []string
		for _, f := range d.Findings {
			if f.Severity == "problem" {
				problems = append(problems, f.Do)
			}
		}
		if len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
			t.Errorf("%s: %q", result, problems)
		}
	}
}
