package doctor

import (
	"testing"

	"vkloader/internal/core/diag"
)

func TestSizeless(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"VK_LAYER_VALVE_steam_overlay_32", "VK_LAYER_VALVE_steam_overlay_64", true}, {"VK_LAYER_MANGOHUD_overlay_x86", "VK_LAYER_MANGOHUD_overlay_x86_64", true},
		{"VK_LAYER_a_i686", "VK_LAYER_a_x86_64", true}, {"VK_LAYER_a32", "VK_LAYER_a64", true}, {"VK_LAYER_a_32", "VK_LAYER_b_64", false},
	} {
		if got := sizeless(c.a) == sizeless(c.b); got != c.want {
			t.Errorf("%s, %s: %v", c.a, c.b, got)
		}
	}
}

// A driver for 32-bit programs is no problem of 64-bit programs, also where a variable excludes their driver of the same
// name, and where its device is absent.
func TestTwinOfAnExcludedDriver(t *testing.T) {
	t.Parallel()
	of := func(name string) map[string]string {
		return join(file(icds+name+"_icd.i686.json", icd("/usr/lib/i386-linux-gnu/libvulkan_"+name+".so", "")),
			file("usr/lib/i386-linux-gnu/libvulkan_"+name+".so", library(t, "class=32 machine=i386 exports=vk_icdGetInstanceProcAddr")))
	}
	intel := join(file(icds+"intel_icd.json", icd("libvulkan_intel.so", "")),
		file(libraries+"libvulkan_intel.so", library(t, "soname=libvulkan_intel.so exports=vk_icdGetInstanceProcAddr")))
	machine := desktop(t, intel, of("intel"), of("radeon"), of("nouveau"), file("usr/lib/i386-linux-gnu/libvulkan.so.1",
		library(t, "class=32 machine=i386 exports=vkCreateInstance")), lavapipe(t))
	for _, out := range []string{"intel_icd.json", "radeon_icd.json"} {
		r := examine(t, machine, Options{}, "VK_LOADER_DRIVERS_DISABLE="+out)
		if f := find(r.Findings, func(f *Finding) bool { return f.Code == LibraryForeign && f.Severity != diag.Note }); f != nil {
			t.Errorf("without %s: %s %s", out, f.Severity, Headed(f.Subject, f.What))
		}
	}
}
