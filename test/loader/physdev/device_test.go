package physdev

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: EXT-003
func TestExtensionOfNobody(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	h := w.Start()
	if got := h.Do("create_instance", "ext", display).Result(); got != extensionNotPresent {
		t.Errorf("result %d", got)
	}
	h.Quit()
}

// Two extensions with the same name, which fills all 256 bytes, are one.
//
// holds: DEV-003
func TestExtensionNameWithoutAnEnd(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	long := "VK_" + strings.Repeat("x", 253)
	w.Driver("a", "device name=a ext="+long+":1,"+long+":2,VK_KHR_x:3,"+long+":4")
	h := w.Start()
	h.OK("create_instance")
	if got := h.OK("device_extensions", "pd", world.Ref(all(h)[0])).Ints("versions"); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("versions %v", got)
	}
	h.Quit()
}

// holds: EXT-039
func TestGroupOfADevice(t *testing.T) {
	t.Parallel()
	for _, layers := range [][]string{nil, {"wrap physdev"}} {
		w := world.New(t)
		w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
		w.Driver("a", "device name=x", "device name=y", "device name=z", "group x y z").API("1.1.0")
		create := []string{"api", "1.1.0"}
		if layers != nil {
			w.ExplicitLayer("VK_LAYER_wrap", layers...)
			create = append(create, "layer", "VK_LAYER_wrap")
		}
		h := w.Start()
		h.OK("create_instance", create...)
		d := all(h)
		a := h.OK("create_device", "pd", world.Ref(d[0]), "unknown", "1234567", "group", world.Ref(d[0])+","+world.Ref(d[2]), "unknown", "7654321")
		if a.Int("unchanged") != 1 {
			t.Errorf("%v: what the program passed was changed", layers)
		}
		made := w.Log().By("a").Fn("vkCreateDevice")
		if len(made) != 1 || !slices.Equal(made[0].Strings("group"), []string{"physical_device:1", "physical_device:3"}) {
			t.Errorf("%v: the driver saw %v", layers, made)
		}
		h.Do("destroy_device")
		w.ForgetLog() // a list that is not there is passed on as it is
		h.OK("create_device", "pd", world.Ref(d[0]), "group", "null")
		if made := w.Log().By("a").Fn("vkCreateDevice"); len(made) != 1 || len(made[0].Strings("group")) != 0 {
			t.Errorf("%v: the driver saw %v", layers, made)
		}
		h.Do("destroy_device")
		h.Quit()
	}
}

// holds: EXT-040
func TestGroupOfADeviceEmulated(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	driver := w.Driver("a", "device name=x", "device name=y")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	d := all(h)
	note := `vkCreateDevice: Emulating handling of VkPhysicalDeviceGroupProperties in pNext chain for ICD "` + driver.Library + `"`
	failure := "vkCreateDevice: Emulation failed to create device from device group info"
	h.OK("create_device", "pd", world.Ref(d[0]), "group", world.Ref(d[0]))
	saidLine(t, h, "INFO", note)
	if contains(h.Messages(), failure) {
		t.Errorf("%q", h.Messages())
	}
	if made := w.Log().Fn("vkCreateDevice"); len(made) != 1 || !slices.Equal(made[0].Strings("group"), []string{"physical_device:1"}) {
		t.Errorf("the driver saw %v", made)
	}
	h.Do("destroy_device")
	w.ForgetLog()
	if got := h.Do("create_device", "pd", world.Ref(d[0]), "group", world.Ref(d[0])+","+world.Ref(d[1])).Result(); got != initializationFailed {
		t.Errorf("a group of two: result %d", got)
	}
	said(t, h.Messages(), note, 2)
	saidLine(t, h, "ERROR", failure)
	if made := w.Log().Fn("vkCreateDevice"); len(made) != 0 {
		t.Errorf("the driver saw %v", made)
	}
	h.Quit()
}

// holds: EXT-041
func TestFeatures2OfADeviceEmulated(t *testing.T) {
	t.Parallel()
	for _, enabled := range []bool{true, false} {
		w := world.New(t)
		w.Env["VK_LOADER_DEBUG"] = "all"
		w.Driver("has", "device name=has", "ext "+props2)
		driver := w.Driver("lacks", "device name=lacks")
		var create []string
		want := int64(-1)
		if enabled {
			create, want = []string{"ext", props2}, 1
		}
		h := w.Start()
		h.OK("create_instance", create...)
		h.OK("create_device", "pd", world.Ref(all(h)[0]), "features2", "1")
		made := w.Log().By("lacks").Fn("vkCreateDevice")
		if len(made) != 1 || made[0].Int("features") != want || !slices.Contains(made[0].Ints("next"), 1000059000) {
			t.Errorf("extension %v: the driver saw %v", enabled, made)
		}
		saidLine(t, h, "INFO", `vkCreateDevice: Emulating handling of VkPhysicalDeviceFeatures2 in pNext chain for ICD "`+driver.Library+`"`)
		h.Quit()
	}
}

var ofDeviceExtensions = []string{"vkGetPhysicalDeviceVideoCapabilitiesKHR", "vkGetPhysicalDeviceVideoFormatPropertiesKHR",
	"vkGetPhysicalDeviceVideoEncodeQualityLevelPropertiesKHR", "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR",
	"vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR", "vkGetPhysicalDeviceFragmentShadingRatesKHR",
	"vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV",
	"vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV", "vkGetPhysicalDeviceCooperativeMatrixProperties2EXT",
	"vkGetPhysicalDeviceCooperativeVectorPropertiesNV", "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR",
	"vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", "vkGetPhysicalDeviceMultisamplePropertiesEXT",
	"vkGetPhysicalDeviceDescriptorSizeEXT", "vkGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV",
	"vkGetPhysicalDeviceExternalTensorPropertiesARM", "vkGetPhysicalDeviceOpticalFlowImageFormatsNV",
	"vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM", "vkGetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM",
	"vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM", "vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM",
	"vkEnumeratePhysicalDeviceQueueFamilyPerformanceCountersByRegionARM", "vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM"}

// holds: EXT-047 EXT-048 EXT-049 EXT-050 HND-015
func TestCommandsOfDeviceExtensions(t *testing.T) {
	t.Parallel()
	lines := []string{"device name=has"}
	for _, c := range ofDeviceExtensions {
		lines = append(lines, "offer "+c, "return "+c+" 5")
	}
	w := world.New(t)
	w.Driver("lacks", "device name=lacks")
	w.Driver("has", lines...)
	h := w.Start()
	h.OK("create_instance")
	d := all(h)
	for _, c := range ofDeviceExtensions {
		w.ForgetLog()
		call := func(device string) []string {
			return []string{"name", c, "via", "gipa", "instance", "i", "arg", device, "arg", "21", "arg", "null", "arg", "23", "arg", "24", "arg", "25"}
		}
		if got := h.Do("call", call(world.Ref(d[0]))...).Result(); got != 5 {
			t.Errorf("%s: result %d", c, got)
		}
		log := w.Log()
		if len(log) != 1 || log[0].Text("who") != "has" || log[0].Text("fn") != c || log[0].Strings("args")[0] != "physical_device:1" {
			t.Errorf("%s: the driver saw %v", c, log)
		} else if args := log[0].Strings("args"); !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "25") || strings.Contains(a, "0x19") }) {
			t.Errorf("%s: arguments %v", c, args)
		}
		dies(t, h, "ICD associated with VkPhysicalDevice does not support "+strings.TrimPrefix(c, "vk"), call(world.Ref(d[1]))...)
		dies(t, h, fmt.Sprintf("%s: Invalid physicalDevice [VUID-%s-physicalDevice-parameter]", c, c), call("garbage")...)
	}
	h.Quit()
}
