package dispatch

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

// holds: HND-024 HND-026..HND-030 GPA-009 INS-034
func TestArgumentsThatAreChecked(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	for _, c := range []struct {
		words  []string
		result int
		text   string
	}{
		{[]string{"null", "info"}, -3, "vkCreateInstance: 'pCreateInfo' is NULL (VUID-vkCreateInstance-pCreateInfo-parameter)"},
		{[]string{"null", "instance"}, -3, "vkCreateInstance 'pInstance' not valid (VUID-vkCreateInstance-pInstance-parameter)"},
		{[]string{"api", "7"}, 0, "VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 7 which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]"},
	} {
		before := len(h.Messages())
		if a := h.Do("create_instance", c.words...); a.Result() != c.result {
			t.Errorf("%v: result %d", c.words, a.Result())
		}
		if m := h.Messages()[before:]; !slices.Equal(m, []string{c.text}) {
			t.Errorf("%v: messages %q", c.words, m)
		}
	}
	before := len(h.Messages())
	if a := h.Do("instance_version", "arg", "null"); a.Result() != -1 {
		t.Errorf("vkEnumerateInstanceVersion(NULL) gives %d", a.Result())
	}
	if a := h.Do("physical_devices", "count", "null"); a.Result() != -3 {
		t.Errorf("vkEnumeratePhysicalDevices without a count gives %d", a.Result())
	}
	if m := h.Messages()[before:]; !slices.Equal(m, []string{"vkEnumerateInstanceVersion: 'pApiVersion' must not be NULL (VUID-vkEnumerateInstanceVersion-pApiVersion-parameter",
		"vkEnumeratePhysicalDevices: Received NULL pointer for physical device count return value. [VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]"}) {
		t.Errorf("messages %q", m)
	}
	if a := h.Do("device_groups", "count", "null"); a.Result() != -3 {
		t.Errorf("vkEnumeratePhysicalDeviceGroups without a count gives %d", a.Result())
	}
	if p := h.Do("gdpa", "device", "null").Int("ptr"); p != 0 {
		t.Error("a NULL name of a NULL device is not NULL")
	}
	h.Quit()
}

// holds: HND-025 UNK-025 GPA-062
func TestWhatIsNotChecked(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer_gpdpa vkFakePD")
	h := w.Start()
	h.OK("create_instance")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	h.OK("create_device", "pd", pd)
	h.Do("call", "via", "gdpa", "device", "d", "name", "vkCmdDraw", "arg", "garbage", "arg", "1")
	p := gipa(h, "i", "vkFakePD")
	exit := h.Dies("call", "pointer", world.Ref(int(p)), "arg", "null")
	if exit.Signal != syscall.SIGSEGV || len(exit.Messages()) != 0 {
		t.Errorf("an unknown function of NULL: signal %v, messages %q", exit.Signal, exit.Messages())
	}
	if n := len(w.Log().Fn("vkCmdDraw")); n != 1 {
		t.Errorf("the driver's own pointer reached it %d times", n)
	}
}

// holds: GPA-018 GPA-019 EXP-008 EXT-005
func TestWhichNamesAreKnown(t *testing.T) {
	t.Parallel()
	core, device, instance := 0, 0, 0
	for _, c := range vk.Commands {
		switch {
		case c.Minor != vk.ExtensionMinor:
			core++
		case c.Gate != "":
			instance++
		default:
			device++
		}
		for _, other := range []string{"Win32", "ANDROID", "FUCHSIA", "MVK", "NN", "GGP", "QNX", "OHOS", "Metal", "DirectFB"} {
			if strings.Contains(c.Name, other) {
				t.Errorf("%s belongs to another platform", c.Name)
			}
		}
	}
	if core != 234 || device < 495 || instance < 60 {
		t.Errorf("%d core, %d of device extensions, %d of instance extensions", core, device, instance)
	}
	for _, name := range []string{"vkTrimCommandPoolKHR", "vkCmdBeginRenderingKHR", "vkGetBufferDeviceAddressEXT", "vkCmdSetCullModeEXT", "vkDebugMarkerSetObjectTagEXT", "vkCmdDebugMarkerBeginEXT",
		"vkGetPhysicalDeviceToolPropertiesEXT", "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR", "vkGetPhysicalDeviceMultisamplePropertiesEXT",
		"vkGetPhysicalDeviceFragmentShadingRatesKHR", "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV",
		"vkGetPhysicalDeviceVideoCapabilitiesKHR", "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR"} {
		if c := commandOf(name); c.Name != name || c.Gate != "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// holds: UNK-024
func TestMemoryOfUnknownNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer_gpdpa vkFakePD", "offer vkFakeDev")
	h := w.Start()
	h.Do("allocator")
	h.OK("create_instance", "allocator", "a")
	before := h.Do("allocator_stats").Int("calls")
	h.Do("allocator", "as", "a", "fail_from", "0")
	if gipa(h, "i", "vkFakePD") != 0 || gipa(h, "i", "vkFakeDev") != 0 {
		t.Error("a name was stored without memory")
	}
	h.Do("allocator", "as", "a")
	if gipa(h, "i", "vkFakePD") == 0 || gipa(h, "i", "vkFakeDev") == 0 {
		t.Error("the next attempt fails too")
	}
	if h.Do("allocator_stats").Int("calls") == 0 {
		t.Errorf("no memory of the instance's was used (%d calls before)", before)
	}
	h.Do("destroy_instance", "allocator", "a")
	if s := h.Do("allocator_stats"); s.Int("live") != 0 || s.Int("faults") != 0 {
		t.Errorf("allocator: %v", s)
	}
	h.Quit()
}

// holds: THR-001..THR-003 THR-006 THR-007 THR-013 ALC-015 GPA-067
func TestThreads(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "quiet *", "quiet vkCmdBindPipeline")
	w.ImplicitLayer("VK_LAYER_x", "use_allocator")
	w.Env["VK_LOADER_DEBUG"] = ""
	h := w.Start()
	h.Do("allocator")
	lines := []string{"create_instance as=i%t allocator=a"}
	for i := 0; i < 5; i++ {
		lines = append(lines, "gipa instance=i%t name=vkEnumeratePhysicalDevices")
	}
	lines = append(lines, "enumerate_first instance=i%t as=p%t", "create_device as=d%t pd=p%t", "call via=gdpa device=d%t name=vkCmdBindPipeline arg=null arg=0 arg=0 times=50",
		"destroy_device name=d%t", "destroy_instance name=i%t allocator=a")
	words := []string{"as", "life"}
	for _, line := range lines {
		words = append(words, "line", line)
	}
	h.Do("script", words...)
	a := h.Do("run", "script", "life", "threads", "4", "times", "25")
	if a.Int("bad") != 0 {
		t.Errorf("%d threads failed: %v", a.Int("bad"), a["answers"])
	}
	for _, answers := range a.Lists("answers") {
		for _, answer := range answers[1:6] {
			if answer.Int("ptr") == 0 {
				t.Error("vkEnumeratePhysicalDevices was NULL")
			}
		}
	}
	if s := h.Do("allocator_stats"); s.Int("live") != 0 || s.Int("faults") != 0 {
		t.Errorf("allocator: %v", s)
	}
	h.Quit()
	if n := len(w.Log().By("one").Fn("vkDestroyInstance")); n != 100 {
		t.Errorf("%d instances destroyed, want 100", n)
	}
}

// holds: THR-016 SYS-002
func TestOtherThreadsSeeTheEnvironment(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one, two := w.Driver("one", "device name=a", "ext VK_KHR_surface 25"), w.Driver("two", "device name=b", "ext VK_KHR_display 23")
	w.Env["VK_DRIVER_FILES"] = one.ManifestPath
	h := w.Start()
	h.Do("script", "as", "ask", "line", "instance_extensions", "line", "create_instance as=i%t", "line", "destroy_instance name=i%t")
	for i, f := range []*world.Fake{one, two, one} {
		h.Do("setenv", "name", "VK_DRIVER_FILES", "value", f.ManifestPath)
		w.ForgetLog()
		a := h.Do("run", "script", "ask", "threads", "1")
		if a.Int("bad") != 0 {
			t.Errorf("round %d: %v", i, a)
		}
		want := map[*world.Fake]string{one: "VK_KHR_surface", two: "VK_KHR_display"}[f]
		if got := a.Lists("answers")[0][0].Strings("extensions"); got[0] != want || len(got) != 5 {
			t.Errorf("round %d: extensions %v", i, got)
		}
		if who := w.Log().Fn("vkCreateInstance").Who(); !slices.Equal(who, []string{f.Name}) {
			t.Errorf("round %d: instances of %v", i, who)
		}
	}
	h.Quit()
}

// A driver's call waits for another thread, which uses another driver's device and creates instances.
//
// holds: THR-010
func TestDriverThatBlocksHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("slow", "device name=a", "perform vkDeviceWaitIdle meanwhile")
	w.Driver("quick", "device name=b")
	h := w.Start()
	h.OK("create_instance")
	devices := h.OK("physical_devices").Ints("devices") // b, a
	h.OK("create_device", "as", "b", "pd", world.Ref(devices[0]))
	h.OK("create_device", "as", "a0", "pd", world.Ref(devices[1]))
	h.Do("script", "as", "work", "line", "call name=vkDeviceWaitIdle arg=b", "line", "create_instance as=k", "line", "destroy_instance name=k")
	h.Do("script", "as", "meanwhile", "line", "run script=work threads=1 limit=20000")
	h.OK("call", "name", "vkDeviceWaitIdle", "arg", "a0")
	done := h.Do("performed")["scripts"].([]any)
	if len(done) != 1 {
		t.Fatalf("performed: %v", done)
	}
	if a := world.Answer(done[0].([]any)[0].(map[string]any)); a.Text("error") != "" || a.Int("bad") != 0 {
		t.Errorf("the other thread's work: %v", a)
	}
	h.Quit()
	slow, quick := w.Log().By("slow").Fn("vkDeviceWaitIdle"), w.Log().By("quick").Fn("vkDestroyInstance")
	if len(slow) != 1 || len(quick) == 0 {
		t.Errorf("the drivers saw %v and %v", slow, quick)
	}
}
