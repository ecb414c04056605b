package debug

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The two kinds of callbacks, which behave alike.
var sorts = []struct{ name, create, destroy, createCommand, destroyCommand, extension, made string }{
	{"messenger", "create_messenger", "destroy_messenger", "vkCreateDebugUtilsMessengerEXT", "vkDestroyDebugUtilsMessengerEXT", "VK_EXT_debug_utils", "messenger"},
	{"report", "create_report", "destroy_report", "vkCreateDebugReportCallbackEXT", "vkDestroyDebugReportCallbackEXT", "VK_EXT_debug_report", "report"},
}

// driver adds a driver with both debugging extensions.
func driver(w *world.World, name string, lines ...string) *world.Fake {
	return w.Driver(name, append([]string{"device name=" + name, "ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 10"}, lines...)...)
}

func instance(h *world.Host, words ...string) world.Answer {
	return h.OK("create_instance", append([]string{"ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report"}, words...)...)
}

// holds: DBG-027 DBG-028 DBG-030 DBG-031
func TestCallbackLife(t *testing.T) {
	t.Parallel()
	for _, s := range sorts {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "first")
			w.Driver("lacks")
			driver(w, "last")
			h := w.Start()
			instance(h)
			h.Do("allocator", "as", "mine")
			h.Do("allocator", "as", "other")
			h.Do("memory", "as", "next", "size", "32", "u32@0", "1000247000")
			words := []string{"as", "x", "allocator", "mine"}
			if s.name == "messenger" {
				words = append(words, "next", "next", "severity", "0x1001", "types", "3")
			}
			if h.OK(s.create, words...).Int(s.made) == 0 {
				t.Error("no handle")
			}
			if !h.Do("physical_devices", "count", "null").HasText("x", "Received NULL pointer") {
				t.Error("nothing heard")
			}
			h.Do("call", "name", s.destroyCommand, "instance", "i", "arg", "i", "arg", "null", "arg", "other")
			h.Do(s.destroy, "name", "x", "allocator", "mine")
			if h.Do("physical_devices", "count", "null").HasText("x", "Received NULL pointer") {
				t.Error("heard after destruction")
			}
			h.Do("destroy_instance")
			if a, b := h.Do("allocator_stats", "name", "mine"), h.Do("allocator_stats", "name", "other"); a.Int("live") != 0 || a.Int("faults") != 0 || a.Int("calls") == 0 || b.Int("calls") != 0 {
				t.Errorf("left %v, %v", a, b)
			}
			h.Quit()
			log := w.Log().Fn(s.createCommand, s.destroyCommand)
			if got := log.Names(); !slices.Equal(got, []string{"last " + s.createCommand, "first " + s.createCommand, "last " + s.destroyCommand, "first " + s.destroyCommand}) {
				t.Fatalf("the drivers saw %v", got)
			}
			for _, e := range log {
				if e.Text("instance") != "instance:1" || e.IsNull("allocator") {
					t.Errorf("the driver saw %v", e)
				}
				if e.Text("fn") == s.destroyCommand && e.Text("object") != s.made+":1" {
					t.Errorf("the driver saw %v", e)
				}
				if e.Text("fn") == "vkCreateDebugUtilsMessengerEXT" && (e.Int("severity") != 0x1001 || e.Int("types") != 3 || !slices.Equal(e.Ints("next"), []int{1000247000})) {
					t.Errorf("the driver saw %v", e)
				}
			}
		})
	}
}

// holds: DBG-003
func TestNoDriverKnowsDebugging(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("plain", "device name=plain ext=VK_KHR_swapchain:70")
	h := w.Start()
	instance(h)
	h.OK("create_messenger")
	h.OK("create_report")
	a := h.Do("submit_message", "text", "hello")
	if find(to(a, "m"), "hello") == nil || find(to(a, "r"), "hello") == nil {
		t.Errorf("received %v", a.Received())
	}
	a = h.Do("call", "name", "vkDebugReportMessageEXT", "instance", "i", "arg", "i", "arg", "8", "arg", "1", "arg", "1", "arg", "1", "arg", "1", "arg", "text:p", "arg", "text:hello")
	if find(to(a, "m"), "hello") == nil || find(to(a, "r"), "hello") == nil {
		t.Errorf("received %v", a.Received())
	}
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	h.OK("create_device", "pd", pd)
	h.Do("get_queue")
	h.OK("command_buffers", "instance", "i")
	h.OK("set_name", "instance", "i", "type", "3", "handle", "d")
	h.Do("memory", "as", "label", "size", "48", "u32@0", "1000128002")
	for _, l := range labels {
		h.Do("call", "name", l.name, "instance", "i", "arg", l.handle, "arg", "label")
	}
	h.Do("destroy_device")
	h.Do("destroy_messenger")
	h.Do("destroy_report")
	h.Do("destroy_instance")
	h.Quit()
}

// holds: DBG-029 ALC-047
func TestDriverFailsToCreate(t *testing.T) {
	t.Parallel()
	for _, s := range sorts {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "never")
			driver(w, "fails", "result "+s.createCommand+" -2")
			driver(w, "made")
			h := w.Start()
			h.Do("allocator", "as", "i_memory")
			h.Do("allocator", "as", "own")
			instance(h, "allocator", "i_memory")
			h.Do(s.create, "as", "warm") // the lists may stay allocated
			live := h.Do("allocator_stats", "name", "i_memory").Int("live")
			w.ForgetLog()
			if r := h.Do(s.create, "as", "x", "allocator", "own").Result(); r != -2 {
				t.Errorf("result %d", r)
			}
			if a, b := h.Do("allocator_stats", "name", "i_memory"), h.Do("allocator_stats", "name", "own"); a.Int("live") != live || b.Int("live") != 0 || a.Int("faults")+b.Int("faults") != 0 {
				t.Errorf("left %v, before %d; %v", a, live, b)
			}
			if a := h.Do("physical_devices", "count", "null"); len(a.Received()) != 0 {
				t.Errorf("received %v", a.Received())
			}
			h.Do("destroy_instance", "allocator", "i_memory")
			h.Quit()
			log := w.Log().Fn(s.createCommand, s.destroyCommand)
			if got := log.Names(); !slices.Equal(got, []string{"made " + s.createCommand, "fails " + s.createCommand, "made " + s.destroyCommand}) {
				t.Fatalf("the drivers saw %v", got)
			}
			if log[2].Text("object") != s.made+":2" || log[2].IsNull("allocator") {
				t.Errorf("destroyed %v", log[2])
			}
		})
	}
}

// holds: DBG-033
func TestObjectsLeftAlive(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for _, name := range []string{"a", "b"} {
		driver(w, name, "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1")
	}
	h := w.Start()
	h.Do("allocator", "as", "own")
	instance(h, "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface")
	h.OK("create_report", "allocator", "own")
	h.OK("create_messenger", "allocator", "own")
	h.OK("create_messenger", "as", "m2")
	h.OK("create_surface", "allocator", "own")
	for _, pd := range h.OK("physical_devices").Ints("devices") {
		h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(pd), "arg", "0", "arg", "s", "arg", "out:4")
	}
	h.Do("destroy_instance")
	if a := h.Do("allocator_stats", "name", "own"); a.Int("live") != 0 || a.Int("faults") != 0 {
		t.Errorf("left %v", a)
	}
	h.Quit()
	for _, name := range []string{"a", "b"} {
		log := w.Log().By(name).Fn("vkDestroySurfaceKHR", "vkDestroyDebugUtilsMessengerEXT", "vkDestroyDebugReportCallbackEXT", "vkDestroyInstance")
		want := []string{name + " vkDestroySurfaceKHR", name + " vkDestroyDebugUtilsMessengerEXT", name + " vkDestroyDebugUtilsMessengerEXT", name + " vkDestroyDebugReportCallbackEXT", name + " vkDestroyInstance"}
		if !slices.Equal(log.Names(), want) {
			t.Fatalf("the driver saw %v", log.Names())
		}
		for i, given := range []bool{true, true, false, true} {
			if log[i].IsNull("allocator") == given || (given && log[i].Int("allocator_good") != 1) {
				t.Errorf("the driver saw %v", log[i])
			}
		}
		if e := log[4]; e.Int("surfaces")+e.Int("messengers")+e.Int("reports") != 0 {
			t.Errorf("alive at the end: %v", e)
		}
	}
}

// holds: DBG-034 HND-012
func TestInstanceIsNotChecked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"vkCreateDebugUtilsMessengerEXT", "vkDestroyDebugUtilsMessengerEXT", "vkSubmitDebugUtilsMessageEXT", "vkCreateDebugReportCallbackEXT", "vkDestroyDebugReportCallbackEXT", "vkDebugReportMessageEXT"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one")
			h := w.Start()
			instance(h)
			exit := h.Dies("call", "name", name, "instance", "i", "arg", "null", "arg", "zeros", "arg", "zeros", "arg", "zeros")
			if exit.Signal == 0 {
				t.Errorf("ended with code %d", exit.Code)
			}
		})
	}
}

// holds: DBG-035 ALC-013
func TestWhereCallbacksAreKept(t *testing.T) {
	t.Parallel()
	for _, s := range sorts {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one")
			h := w.Start()
			for _, name := range []string{"inst", "own", "third"} {
				h.Do("allocator", "as", name, "fill", "0xff")
			}
			instance(h, "allocator", "inst")
			stats := func(name string) (int64, int64) {
				a := h.Do("allocator_stats", "name", name)
				if a.Int("faults") != 0 {
					t.Errorf("%s: %v", name, a)
				}
				return a.Int("live"), int64(a.Ints("scopes")[1])
			}
			h.OK(s.create, "as", "warm")
			live, objects := stats("inst")
			h.OK(s.create, "as", "x", "allocator", "own")
			if l, o := stats("inst"); l != live+1 || o != objects+1 {
				t.Errorf("of the instance: %d blocks more, %d of object scope", l-live, o-objects)
			}
			if l, o := stats("own"); l != 1 || o != 1 {
				t.Errorf("of the call: %d blocks, %d of object scope", l, o)
			}
			h.OK(s.create, "as", "y")
			if l, _ := stats("inst"); l != live+3 {
				t.Errorf("of the instance: %d blocks more", l-live)
			}
			h.Do(s.destroy, "name", "x", "allocator", "own")
			h.Do(s.destroy, "name", "y", "allocator", "inst")
			if l, _ := stats("inst"); l != live {
				t.Errorf("of the instance: %d blocks left", l-live)
			}
			if l, _ := stats("own"); l != 0 {
				t.Errorf("of the call: %d blocks left", l)
			}
			h.Do(s.destroy, "name", "warm")
			h.Do("destroy_instance", "allocator", "inst")
			if l, _ := stats("inst"); l != 0 {
				t.Errorf("%d blocks left", l)
			}
			h.Quit()
		})
	}
}

// holds: DBG-036 DBG-037 DBG-038 DBG-039 ALC-041 ALC-042 ALC-043 ALC-044 ALC-045 ALC-046
func TestThirtyThirdCallback(t *testing.T) {
	t.Parallel()
	for _, s := range sorts {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one")
			h := w.Start()
			h.Do("allocator", "fill", "0xff")
			instance(h, "allocator", "a")
			for i := range 32 {
				h.OK(s.create, "as", fmt.Sprint("x", i))
			}
			if n := h.Do("allocator_stats").Int("reallocations"); n != 0 {
				t.Errorf("%d growths", n)
			}
			live := h.Do("allocator_stats").Int("live")
			made := func() int { return len(w.Log().Fn(s.createCommand)) - len(w.Log().Fn(s.destroyCommand)) }
			failures := []int64{}
			for n := 0; ; n++ {
				h.Do("allocator", "fail_once", strconv.Itoa(n))
				before := h.Do("allocator_stats").Int("reallocations")
				r := h.Do(s.create, "as", "x32").Result()
				a := h.Do("allocator_stats")
				if r == 0 {
					break
				}
				if r != outOfHostMemory || a.Int("live") != live || a.Int("faults") != 0 || made() != 32 {
					t.Fatalf("allocation %d: result %d, %v, %d in the driver", n, r, a, made())
				}
				failures = append(failures, a.Int("reallocations")-before)
			}
			// Two blocks fail: the growth of the instance's list, then the growth of the driver's.
			if !slices.Equal(failures, []int64{0, 0, 1, 2}) {
				t.Errorf("growths before each failure: %v", failures)
			}
			h.Do("allocator")
			if destroyed := len(w.Log().Fn(s.destroyCommand)); destroyed != 0 {
				t.Errorf("%d were destroyed", destroyed)
			}
			for i := range 33 {
				h.Do(s.destroy, "name", fmt.Sprint("x", i))
			}
			if made() != 0 {
				t.Errorf("%d in the driver", made())
			}
			h.Do("destroy_instance", "allocator", "a")
			if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
				t.Errorf("left %v", a)
			}
			h.Quit()
			seen := map[string]bool{}
			for _, e := range w.Log().Fn(s.destroyCommand) {
				if object := e.Text("object"); !strings.HasPrefix(object, s.made+":") || seen[object] {
					t.Errorf("destroyed %s", object)
				}
				seen[e.Text("object")] = true
			}
			if e := w.Log().Fn("vkDestroyInstance")[0]; e.Int(s.made+"s") != 0 {
				t.Errorf("alive at the end: %v", e)
			}
		})
	}
}

// holds: DBG-037 DBG-039
func TestPlacesAreUsedAgain(t *testing.T) {
	t.Parallel()
	for _, s := range sorts {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			driver(w, "one")
			h := w.Start()
			h.Do("allocator", "fill", "0xff")
			instance(h, "allocator", "a")
			for n := 0; ; n++ {
				h.Do("allocator", "fail_once", strconv.Itoa(n))
				if r := h.Do(s.create, "as", "x0").Result(); r == 0 {
					break
				} else if r != outOfHostMemory {
					t.Fatalf("allocation %d: result %d", n, r)
				}
			}
			h.Do("allocator")
			for i := 1; i < 20; i++ {
				h.OK(s.create, "as", fmt.Sprint("x", i))
			}
			for i := range 200 {
				name := fmt.Sprint("x", i*7%20)
				h.Do(s.destroy, "name", name)
				h.OK(s.create, "as", name)
			}
			a := h.Do("allocator_stats")
			if a.Int("reallocations") != 0 || a.Int("faults") != 0 {
				t.Errorf("%v", a)
			}
			for i := range 20 {
				h.Do(s.destroy, "name", fmt.Sprint("x", i))
			}
			h.Do("destroy_instance", "allocator", "a")
			if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
				t.Errorf("left %v", a)
			}
			h.Quit()
			if c, d := len(w.Log().Fn(s.createCommand)), len(w.Log().Fn(s.destroyCommand)); c != 220 || d != 220 {
				t.Errorf("made %d, destroyed %d, want 220", c, d)
			}
		})
	}
}

// holds: THR-012 DBG-030 DBG-031
func TestCallbacksThatCallBack(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one")
	h := w.Start()
	h.Do("allocator")
	instance(h, "allocator", "a")
	h.Do("script", "as", "again", "line", "create_messenger as=inner instance=i", "line", "destroy_messenger name=inner instance=i", "line", "physical_devices instance=i count=only")
	h.Do("script", "as", "suicide", "line", "destroy_messenger name=s instance=i", "line", "destroy_messenger name=victim instance=i")
	h.OK("create_messenger", "as", "victim", "severity", "0x1000")
	h.OK("create_messenger", "as", "s", "severity", "0x1000", "script", "suicide")
	h.OK("create_messenger", "as", "m", "severity", "0x1000", "script", "again")
	a := h.Do("physical_devices", "count", "null")
	if len(to(a, "m")) != 1 || len(to(a, "s")) != 1 || len(to(a, "victim")) != 0 || len(to(a, "inner")) != 0 {
		t.Errorf("received %v", a.Received())
	}
	a = h.Do("physical_devices", "count", "null")
	if len(to(a, "m")) != 1 || len(to(a, "s")) != 0 || len(to(a, "victim")) != 0 {
		t.Errorf("received %v", a.Received())
	}
	h.Do("destroy_messenger")
	h.Do("destroy_instance", "allocator", "a")
	if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
		t.Errorf("left %v", a)
	}
	h.Quit()
}

// The memory of a callback that destroys itself is freed when it returns, not with the instance.
//
// holds: DBG-030 DBG-031
func TestMemoryOfACallbackThatDestroysItself(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one")
	h := w.Start()
	h.Do("allocator")
	instance(h)
	live := h.Do("allocator_stats").Int("live")
	h.Do("script", "as", "suicide", "line", "destroy_messenger name=s instance=i allocator=a")
	h.OK("create_messenger", "as", "s", "severity", "0x1000", "script", "suicide", "allocator", "a")
	if h.Do("allocator_stats").Int("live") == live {
		t.Error("the allocator was not used")
	}
	if a := h.Do("submit_message", "text", "x"); len(to(a, "s")) != 1 {
		t.Errorf("received %v", a.Received())
	}
	if a := h.Do("allocator_stats"); a.Int("live") != live || a.Int("faults") != 0 {
		t.Errorf("left %v, there were %d", a, live)
	}
	h.Quit()
}

// holds: THR-009 DBG-036
func TestThreadsCreateAndDestroyCallbacks(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one")
	driver(w, "two")
	h := w.Start()
	h.Do("allocator")
	instance(h, "allocator", "a")
	script := []string{"as", "life"}
	for i := range 10 {
		script = append(script, "line", fmt.Sprintf("create_messenger as=m%%t_%d instance=i severity=0x1000", i), "line", fmt.Sprintf("create_report as=r%%t_%d instance=i flags=8", i))
	}
	script = append(script, "line", "submit_message instance=i severity=0x1000 text=x")
	for i := range 10 {
		script = append(script, "line", fmt.Sprintf("destroy_messenger name=m%%t_%d instance=i", i), "line", fmt.Sprintf("destroy_report name=r%%t_%d instance=i", i))
	}
	h.Do("script", script...)
	if bad := h.Do("run", "script", "life", "threads", "8", "times", "4").Int("bad"); bad != 0 {
		t.Errorf("%d threads failed", bad)
	}
	h.Do("destroy_instance", "allocator", "a")
	if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
		t.Errorf("left %v", a)
	}
	h.Quit()
	for _, s := range sorts {
		if c, d := len(w.Log().Fn(s.createCommand)), len(w.Log().Fn(s.destroyCommand)); c != 640 || d != 640 {
			t.Errorf("%s: made %d, destroyed %d, want 640", s.name, c, d)
		}
	}
	for _, e := range w.Log() {
		if strings.HasPrefix(e.Text("object"), "dead") || strings.HasPrefix(e.Text("object"), "foreign") {
			t.Fatalf("the driver saw %v", e)
		}
	}
}

// holds: PHY-049 PHY-055 PHY-056
func TestRemovedDriversObjects(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "full", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1")
	w.Driver("empty", "ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 10", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1")
	h := w.Start()
	h.Do("allocator")
	instance(h, "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "allocator", "a")
	for i := range 5 {
		h.OK("create_messenger", "as", fmt.Sprint("m", i), "severity", "0x1000")
		h.OK("create_report", "as", fmt.Sprint("r", i), "flags", "8")
		h.OK("create_surface", "as", fmt.Sprint("s", i))
	}
	h.Do("destroy_messenger", "name", "m2")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	log := w.Log().By("empty").Fn("vkDestroyDebugUtilsMessengerEXT", "vkDestroyDebugReportCallbackEXT", "vkDestroyInstance")
	if len(log) != 11 || log[10].Text("fn") != "vkDestroyInstance" || log[10].Int("messengers")+log[10].Int("reports") != 0 {
		t.Errorf("the removed driver saw %v", log.Names())
	}
	a := h.Do("submit_message", "text", "x")
	for _, name := range []string{"m0", "m1", "m3", "m4", "r0", "r1", "r2", "r3", "r4"} {
		if len(to(a, name)) != 1 {
			t.Errorf("%s received %v", name, to(a, name))
		}
	}
	if len(to(a, "m2")) != 0 {
		t.Error("m2 received a message")
	}
	for i := range 300 {
		h.OK("create_messenger", "as", fmt.Sprint("n", i))
		h.OK("create_surface", "as", fmt.Sprint("t", i))
	}
	h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", pd, "arg", "0", "arg", "t299", "arg", "out:4")
	h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", pd, "arg", "0", "arg", "s3", "arg", "out:4")
	for i := range 300 {
		h.Do("destroy_messenger", "name", fmt.Sprint("n", (i*7)%300))
		h.Do("destroy_surface", "name", fmt.Sprint("t", (i*11)%300))
	}
	for _, i := range []int{4, 0, 3, 1} {
		h.Do("destroy_messenger", "name", fmt.Sprint("m", i))
		h.Do("destroy_report", "name", fmt.Sprint("r", i))
		h.Do("destroy_surface", "name", fmt.Sprint("s", i))
	}
	h.Do("destroy_instance", "allocator", "a")
	if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
		t.Errorf("left %v", a)
	}
	h.Quit()
}

// holds: PHY-055 THR-009 ALC-047
func TestRemovalWhileCallbacksAreMade(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "full", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1")
	for i := range 6 {
		w.Driver(fmt.Sprint("empty", i), "ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 10", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1",
			"delay vkCreateDebugUtilsMessengerEXT 3", "delay vkDestroyInstance 3")
	}
	h := w.Start()
	h.Do("allocator", "fill", "0xff")
	instance(h, "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "allocator", "a")
	h.Do("script", "as", "all", "line", "create_messenger as=m%t instance=i severity=0x1000", "line", "create_surface as=s%t", "line", "create_report as=r%t instance=i flags=8",
		"line", "physical_devices instance=i", "line", "submit_message instance=i text=x", "line", "destroy_messenger name=m%t instance=i", "line", "destroy_surface name=s%t", "line", "destroy_report name=r%t instance=i")
	if bad := h.Do("run", "script", "all", "threads", "6", "times", "10").Int("bad"); bad != 0 {
		t.Errorf("%d threads failed", bad)
	}
	h.Do("destroy_instance", "allocator", "a")
	if a := h.Do("allocator_stats"); a.Int("live") != 0 || a.Int("faults") != 0 {
		t.Errorf("left %v", a)
	}
	h.Quit()
	for _, e := range w.Log() {
		if e.Text("fn") == "vkDestroyInstance" && e.Int("messengers")+e.Int("reports")+e.Int("surfaces") != 0 {
			t.Errorf("alive at the end: %v", e)
		}
		if strings.HasPrefix(e.Text("object"), "dead") || strings.HasPrefix(e.Text("instance"), "dead") {
			t.Fatalf("the driver saw %v", e)
		}
	}
	for _, s := range sorts {
		if c, d := len(w.Log().Fn(s.createCommand)), len(w.Log().Fn(s.destroyCommand)); c != d || c < 60 {
			t.Errorf("%s: made %d, destroyed %d", s.name, c, d)
		}
	}
}

// holds: DBG-027 DBG-028 ALC-030
func TestManyDrivers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for i := range 40 { // more than the loader has stack room for
		driver(w, fmt.Sprint("driver", i))
	}
	h := w.Start()
	instance(h)
	for _, s := range sorts {
		for n, refused := 0, true; refused && world.Variant() == ""; n++ { // a sanitizer replaces malloc
			h.Do("malloc_fail", "from", strconv.Itoa(n))
			result := h.Do(s.create, "as", "x").Result()
			refused = h.Do("malloc_fail").Int("calls") > int64(n)
			if result == 0 {
				h.Do(s.destroy, "name", "x")
			} else if result != -1 || !refused {
				t.Fatalf("%s with %d allocations: result %d", s.name, n, result)
			}
		}
	}
	w.ForgetLog()
	for _, s := range sorts {
		h.OK(s.create, "as", s.name)
		h.Do(s.destroy, "name", s.name)
	}
	report(h, reportError, 1)
	h.Do("destroy_instance")
	h.Quit()
	for _, s := range sorts {
		made, gone := w.Log().Fn(s.createCommand).Who(), w.Log().Fn(s.destroyCommand).Who()
		if len(made) != 40 || made[0] != "driver39" || made[39] != "driver0" || len(gone) != 40 {
			t.Errorf("%s: made by %v, destroyed by %v", s.name, made, gone)
		}
	}
	if n := len(w.Log().Fn("vkDebugReportMessageEXT")); n != 40 {
		t.Errorf("%d drivers received the message", n)
	}
}
