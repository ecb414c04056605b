package debug

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	verbose, info, warning, failure   = 0x1, 0x10, 0x100, 0x1000
	general, validation, performance  = 1, 2, 4
	reportInfo, reportWarning         = 1, 2
	reportPerformance, reportError    = 4, 8
	reportDebug                       = 16
	outOfHostMemory, incompatible     = -1, -9
	initFailed, incomplete            = -3, 5
	typeInstance, typePhysicalDevice  = 1, 2
	typeDevice, typeSurface           = 3, 1000000000
	instanceReport, surfaceReport     = 1, 26
	messengerCreate, reportCreateInfo = 1000128004, 1000011000
)

// to returns the messages of one receiver, in order.
func to(a world.Answer, name string) []world.Answer {
	var out []world.Answer
	for _, m := range a.Received() {
		if m.Text("to") == name {
			out = append(out, m)
		}
	}
	return out
}

// find returns the first message with the text.
func find(list []world.Answer, text string) world.Answer {
	for _, m := range list {
		if m.Text("text") == text {
			return m
		}
	}
	return nil
}

// holds: DBG-001 DBG-002
func TestTheLoadersOwnExtensions(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("plain")
	h := w.Start()
	got := h.OK("instance_extensions")
	versions := map[string]int{"VK_EXT_debug_report": 10, "VK_EXT_debug_utils": 2, "VK_KHR_portability_enumeration": 1, "VK_LUNARG_direct_driver_loading": 1}
	for name, version := range versions {
		at := slices.Index(got.Strings("extensions"), name)
		if at < 0 {
			t.Errorf("%s is not listed", name)
		} else if list := got.Ints("versions"); len(list) > at && list[at] != version {
			t.Errorf("%s has version %d, want %d", name, list[at], version)
		}
		h.OK("create_instance", "ext", name)
		h.Do("destroy_instance")
	}
	h.Quit()
}

// holds: DBG-004 DBG-005 DBG-006 DBG-008 DBG-009 DBG-012 DBG-013 DBG-018
func TestChainedCallbacks(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	created := h.OK("create_instance", "messenger", "A", "report", "C:0x1f", "messenger", "B", "report", "D:0x1f")
	var order []string
	for _, m := range created.Received() {
		if strings.HasPrefix(m.Text("text"), "vkCreateInstance: applicationName") {
			order = append(order, m.Text("to"))
		}
	}
	if !slices.Equal(order, []string{"D", "C", "B", "A"}) {
		t.Errorf("the order is %v", order)
	}
	for _, name := range []string{"A", "B", "C", "D"} {
		if !created.HasText(name, "Vulkan Loader Version") && !created.HasText(name, "Searching for") && len(to(created, name)) < 4 {
			t.Errorf("%s received %v", name, created.Texts(name))
		}
	}
	if r := h.Do("physical_devices", "count", "null"); r.Result() != initFailed || len(r.Received()) != 0 {
		t.Errorf("result %d, received %v", r.Result(), r.Received())
	}
	destroyed := h.Do("destroy_instance")
	for _, name := range []string{"A", "B", "C", "D"} {
		if !destroyed.HasText(name, "Unloading driver library") {
			t.Errorf("%s received at destruction %v", name, destroyed.Texts(name))
		}
	}
	h.Quit()
	var next []int
	for _, s := range w.Log().Fn("vkCreateInstance")[0].Ints("next") {
		if s == messengerCreate || s == reportCreateInfo {
			next = append(next, s)
		}
	}
	if !slices.Equal(next, []int{messengerCreate, reportCreateInfo, messengerCreate, reportCreateInfo}) {
		t.Errorf("the driver's chain is %v", next)
	}
}

// holds: DBG-008 DBG-047
func TestChainedCallbacksRest(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "device name=b")
	h := w.Start()
	h.OK("create_instance", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report", "messenger", "A", "report", "B:0x1f")
	for _, a := range []world.Answer{
		h.Do("physical_devices", "count", "null"), h.Do("physical_devices", "count", "1"), h.Do("submit_message", "text", "x"),
		h.Do("call", "name", "vkDebugReportMessageEXT", "instance", "i", "arg", "i", "arg", "8", "arg", "1", "arg", "1", "arg", "1", "arg", "1", "arg", "text:p", "arg", "text:t"),
	} {
		if len(a.Received()) != 0 {
			t.Errorf("received %v", a.Received())
		}
	}
	h.Do("destroy_instance")
	h.Quit()
}

// holds: DBG-007
func TestChainedCallbacksOfFailedCreation(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "result vkCreateInstance -3")
	h := w.Start()
	h.Do("allocator")
	a := h.Do("create_instance", "allocator", "a", "messenger", "A", "report", "B:0x1f")
	if a.Result() != incompatible && a.Result() != initFailed {
		t.Fatalf("result %d", a.Result())
	}
	for _, name := range []string{"A", "B"} {
		errors := 0
		for _, m := range to(a, name) {
			if s := m.Int("severity"); (name == "A" && s >= warning) || (name == "B" && s != reportInfo && s != reportDebug) {
				errors++
			}
		}
		if errors == 0 {
			t.Errorf("%s heard nothing of the failure: %v", name, a.Texts(name))
		}
	}
	if s := h.Do("allocator_stats"); s.Int("live") != 0 || s.Int("faults") != 0 || s.Int("calls") < 2 {
		t.Errorf("left: %v", s)
	}
	h.Quit()
}

// holds: DBG-010
func TestLaterCallbacksAreDroppedFirst(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=one", "ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 10")
	h := w.Start()
	h.OK("create_instance", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report", "messenger", "A", "report", "B:0x1f")
	h.OK("create_messenger")
	h.OK("create_report")
	a := h.Do("destroy_instance")
	if len(to(a, "A")) == 0 || len(to(a, "B")) == 0 || len(to(a, "m")) != 0 || len(to(a, "r")) != 0 {
		t.Errorf("received %v", a.Received())
	}
	h.Quit()
	log := w.Log().Fn("vkDestroyDebugUtilsMessengerEXT", "vkDestroyDebugReportCallbackEXT", "vkDestroyInstance")
	if got := log.Names(); !slices.Equal(got, []string{"one vkDestroyDebugUtilsMessengerEXT", "one vkDestroyDebugReportCallbackEXT", "one vkDestroyInstance"}) {
		t.Errorf("the driver saw %v", got)
	}
}

// holds: DBG-011
func TestNoMemoryForChainedCallbacks(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	for n := range 4 {
		h.Do("allocator", "fail_once", strconv.Itoa(n))
		a := h.Do("create_instance", "allocator", "a", "messenger", "A", "report", "B", "messenger", "C", "report", "D")
		if s := h.Do("allocator_stats"); a.Result() != outOfHostMemory || s.Int("live") != 0 || s.Int("faults") != 0 {
			t.Errorf("allocation %d: result %d, left %v", n, a.Result(), s)
		}
	}
	h.Do("allocator")
	h.OK("create_instance", "allocator", "a", "messenger", "A", "report", "B")
	h.Do("destroy_instance", "allocator", "a")
	s := h.Do("allocator_stats")
	if s.Int("live") != 0 || s.Int("faults") != 0 || s.Ints("scopes")[1] < 2 {
		t.Errorf("left %v", s)
	}
	h.Quit()
}

// holds: DBG-014 DBG-015 DBG-017 DBG-020 DBG-021 DBG-022
func TestFormOfLoaderMessages(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	api := strconv.Itoa(1<<29 | 1<<22 | 1<<12)
	a := h.OK("create_instance", "api", api, "app_name", "app", "app_version", "7", "engine_name", "engine", "engine_version", "8",
		"ext", "VK_EXT_debug_utils", "messenger", "A", "messenger", "I:0x10", "messenger", "W:0x100:1", "messenger", "P:0x1111:4", "report", "R:0x1f", "report", "RW:2")
	name := `vkCreateInstance: applicationName: "app", applicationVersion: 7, engineName: "engine", engineVersion: 8, apiVersion: 1.1.0`
	variant := "vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is 1 instead of the expected value of 0."
	all := to(a, "A")
	for _, text := range []string{name, "vkCreateInstance: Requested 0 instance layer(s):", "vkCreateInstance: Requested 1 instance extension(s):", "   VK_EXT_debug_utils"} {
		m := find(all, text)
		if m == nil {
			t.Errorf("no message %q in %v", text, a.Texts("A"))
			continue
		}
		if m.Int("severity") != info || m.Int("types") != general || m.Text("id") != "Loader Message" || m.Int("number") != 0 ||
			m.Int("objects") != 1 || m.Int("object_type") != typeInstance || m.Int("object") != a.Int("instance") || m.Int("thread") != int64(h.Pid()) {
			t.Errorf("%q came as %v", text, m)
		}
		r := find(to(a, "R"), text)
		if r.Int("severity") != reportInfo || r.Text("id") != "Loader Message" || r.Int("number") != 0 || r.Int("object_type") != instanceReport ||
			r.Int("object") != a.Int("instance") || r.Int("thread") != int64(h.Pid()) {
			t.Errorf("%q came to the report callback as %v", text, r)
		}
	}
	if m, r := find(all, variant), find(to(a, "R"), variant); m.Int("severity") != warning || r.Int("severity") != reportWarning {
		t.Errorf("the warning came as %v and %v", m, r)
	}
	for _, m := range to(a, "I") {
		if m.Int("severity") != info {
			t.Errorf("not wanted: %v", m)
		}
	}
	if got := a.Texts("W"); !slices.Contains(got, variant) || slices.Contains(got, name) {
		t.Errorf("W received %v", got)
	}
	if got := a.Texts("RW"); !slices.Contains(got, variant) || slices.Contains(got, name) {
		t.Errorf("RW received %v", got)
	}
	if got := a.Texts("P"); len(got) != 0 {
		t.Errorf("P received %v", got)
	}
	for _, m := range to(h.Do("destroy_instance"), "A") {
		if strings.Contains(m.Text("text"), "Unloading driver library") && m.Int("severity") != verbose {
			t.Errorf("a debug message came as %v", m)
		}
	}
	h.Quit()
}

// holds: DBG-021
func TestNullNamesInMessages(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	a := h.Do("create_instance", "layer", "null", "ext", "null", "messenger", "A")
	if find(to(a, "A"), "   <NULL>") == nil {
		t.Errorf("received %v", a.Texts("A"))
	}
	h.Quit()
}

// holds: DBG-014 DBG-015
func TestLongMessagesAreCut(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	a := h.OK("create_instance", "app_name", strings.Repeat("x", 2000), "messenger", "A")
	for _, m := range to(a, "A") {
		if strings.HasPrefix(m.Text("text"), "vkCreateInstance: applicationName") && len(m.Text("text")) != 511 {
			t.Errorf("%d bytes", len(m.Text("text")))
		}
	}
	h.Quit()
}

// holds: DBG-016
func TestDeliveryDoesNotDependOnTheLog(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "all", "error"} {
		w := world.New(t)
		w.Driver("one")
		if value != "" {
			w.Env["VK_LOADER_DEBUG"] = value
		}
		h := w.Start()
		if a := h.OK("create_instance", "messenger", "A"); !a.HasText("A", "vkCreateInstance: applicationName") {
			t.Errorf("%q: received %v", value, a.Texts("A"))
		}
		h.Quit()
	}
}

// holds: DBG-023 DBG-030
func TestNullCountIsReported(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	i := h.OK("create_instance", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report")
	h.OK("create_messenger")
	h.OK("create_report")
	a := h.Do("physical_devices", "count", "null")
	const text = "vkEnumeratePhysicalDevices: Received NULL pointer for physical device count return value. [VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]"
	m, r := find(to(a, "m"), text), find(to(a, "r"), text)
	if a.Result() != initFailed || m == nil || m.Int("severity") != failure || m.Int("types") != general|validation || m.Int("object") != i.Int("instance") {
		t.Errorf("result %d, received %v", a.Result(), a.Received())
	}
	if r == nil || r.Int("severity") != reportError {
		t.Errorf("received %v", a.Received())
	}
	if exit := h.Quit(); !slices.Contains(exit.Messages(), text) {
		t.Errorf("standard error is %q", exit.Stderr)
	}
}

// holds: DBG-024
func TestTrimmedCountIsReported(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "device name=b", "device name=c", "device name=d", "device name=e", "device name=f")
	h := w.Start()
	h.OK("create_instance", "ext", "VK_EXT_debug_utils")
	h.OK("create_messenger")
	a := h.Do("physical_devices", "count", "5")
	m := find(to(a, "m"), "terminator_EnumeratePhysicalDevices : Trimming device count from 6 to 5.")
	if a.Result() != incomplete || m == nil || m.Int("severity") != info {
		t.Errorf("result %d, received %v", a.Result(), a.Texts("m"))
	}
	h.Quit()
}

// holds: DBG-025
func TestNoErrorWhenAllIsWell(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for i := range 3 {
		w.Driver(fmt.Sprint("driver", i))
	}
	h := w.Start()
	received := h.OK("create_instance", "ext", "VK_EXT_debug_utils", "messenger", "A:0x1000", "report", "B:8").Received()
	h.OK("create_messenger", "severity", "0x1000")
	received = append(received, h.OK("physical_devices").Received()...)
	h.Do("destroy_messenger")
	received = append(received, h.Do("destroy_instance").Received()...)
	if len(received) != 0 {
		t.Errorf("received %v", received)
	}
	h.Quit()
}

// holds: DBG-026
func TestMessagesWithoutInstance(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.DriverFile("broken", "{")
	h := w.Start()
	h.OK("create_instance", "ext", "VK_EXT_debug_utils")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	// The messages of the callback are in the driver's log, because the process does not survive.
	h.Do("script", "as", "tell", "line", "properties pd="+pd)
	h.OK("create_messenger", "script", "tell")
	told := func() int { return len(w.Log().Fn("vkGetPhysicalDeviceProperties")) }
	before := told()
	if a := h.OK("instance_extensions"); len(a.Received()) != 0 || told() != before {
		t.Errorf("received %v", a.Received())
	}
	h.Do("physical_devices", "count", "null")
	if told() != before+1 {
		t.Errorf("the callback told %d times", told()-before)
	}
	exit := h.Dies("call", "name", "vkEnumeratePhysicalDevices", "arg", "garbage", "arg", "out", "arg", "null")
	if exit.Signal == 0 || told() != before+1 {
		t.Errorf("ended with code %d, the callback told %d times", exit.Code, told()-before)
	}
}
