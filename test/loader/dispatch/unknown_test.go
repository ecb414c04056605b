package dispatch

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// holds: UNK-001..UNK-003 UNK-006 UNK-010 UNK-011 UNK-017 UNK-021 UNK-023 UNK-027 LAY-414 LAY-419 GPA-040 DRV-060
func TestUnknownPhysicalDeviceFunctions(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer_gpdpa vkFakeBoth", "offer_gpdpa vkFakeOne", "offer_gpdpa fakeBare", "offer_gpdpa vkCmdDraw", "args vkFakeBoth 10",
		"return vkFakeBoth 0xfedcba9876543210", "write vkFakeBoth 9 8 u64 77")
	w.Driver("two", "device name=b", "offer_gpdpa vkFakeBoth", "offer_gpdpa vkFakeTwo")
	w.Driver("three", "device name=c", "interface 0 3", "offer_gpdpa vkFakeThree")
	w.DriverKind(world.NoGPDPA, "four", "device name=d", "no_gpdpa", "offer_gpdpa vkFakeFour")
	w.DriverKind(world.NoGPDPA, "five", "device name=e", "offer_gpdpa vkFakeFive")
	w.Env["VK_LOADER_DEBUG"] = "debug"
	h := w.Start()
	h.OK("create_instance", "messenger", "m:0x1111:7")
	devices := h.OK("physical_devices").Ints("devices")
	pd := map[string]string{}
	for _, d := range devices {
		pd[h.Do("properties", "pd", world.Ref(d)).Text("name")] = world.Ref(d)
	}
	pointers := map[string]int64{}
	for _, name := range []string{"vkFakeTwo", "vkFakeBoth", "vkFakeOne", "fakeBare", "vkFakeFive"} {
		pointers[name] = gipa(h, "i", name)
		if pointers[name] == 0 {
			t.Errorf("%s does not resolve", name)
		}
	}
	for _, name := range []string{"vkFakeThree", "vkFakeFour", "vkNobody"} {
		if gipa(h, "i", name) != 0 {
			t.Errorf("%s resolves", name)
		}
	}
	for name, p := range pointers {
		if again := gipa(h, "i", name); again != p {
			t.Errorf("%s is another pointer when asked again", name)
		}
	}
	if gipa(h, "i", "vkCmdDraw") != h.Do("dlsym", "name", "vkCmdDraw").Int("ptr") {
		t.Error("a known name took the route of unknown ones")
	}
	a := h.Do("call", "pointer", world.Ref(int(pointers["vkFakeBoth"])), "arg", pd["a"], "arg", "0x1111111111111111", "arg", "2", "arg", "3", "arg", "4", "arg", "5", "arg", "6",
		"arg", "0x7777777777777777", "arg", "8", "arg", "out:16")
	seventySeven := make([]byte, 16)
	world.Order().PutUint64(seventySeven[8:], 77)
	if a.Text("value") != "0xfedcba9876543210" || a.Strings("outs")[0] != hex.EncodeToString(seventySeven) {
		t.Errorf("the call gave %v", a)
	}
	h.Do("call", "pointer", world.Ref(int(pointers["vkFakeBoth"])), "arg", pd["b"], "arg", "9")
	h.Do("call", "pointer", world.Ref(int(pointers["fakeBare"])), "arg", pd["a"], "arg", "9")
	h.Do("call", "pointer", world.Ref(int(pointers["vkFakeFive"])), "arg", pd["e"], "arg", "9")
	exit := h.Quit()
	both := w.Log().Fn("vkFakeBoth")
	if len(both) != 2 || both[0].Text("who") != "one" || both[1].Text("who") != "two" {
		t.Fatalf("the calls arrived as %v", both)
	}
	args := both[0].Strings("args")
	if want := []string{"physical_device:1", "1229782938247303441", "2", "3", "4", "5", "6", "8608480567731124087", "8"}; !slices.Equal(args[:9], want) {
		t.Errorf("arguments %v, want %v", args, want)
	}
	for _, e := range w.Log().Fn("fakeBare", "vkFakeFive") {
		if e.Strings("args")[0] != "physical_device:1" || e.Strings("args")[1] != "9" {
			t.Errorf("%v", e)
		}
	}
	text := strings.Join(exit.Messages(), "\n")
	for _, want := range []string{"loader_phys_dev_ext_gpa: Adding unknown physical function vkFakeTwo to internal store at index 0", "loader_phys_dev_ext_gpa: Driver " + w.Path("lib/two.so") + " returned ptr "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// holds: UNK-007 LAY-416 GPA-092
func TestUnknownFunctionOfAnotherDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer_gpdpa vkFakeOne")
	w.Driver("two", "device name=b")
	w.Env["VK_LOADER_DEBUG"] = "error"
	h := w.Start()
	h.OK("create_instance")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0]) // driver b: drivers are in reverse order
	p := gipa(h, "i", "vkFakeOne")
	exit := h.Dies("call", "pointer", world.Ref(int(p)), "arg", pd)
	if exit.Signal == 0 || !slices.Contains(exit.Messages(), "Function vkFakeOne not supported for this physical device") {
		t.Errorf("signal %v, messages %q", exit.Signal, exit.Messages())
	}
}

// A new name is looked up in every device once. Afterwards the devices are not in use, and can be destroyed.
//
// holds: UNK-014
func TestUnknownNameIsAskedOnce(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer vkFakeDevice", "log_lookups vkFakeDevice")
	h := w.Start()
	h.OK("create_instance")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	for _, name := range []string{"d", "e"} {
		h.OK("create_device", "as", name, "pd", pd)
	}
	asked := func() (n int) {
		for _, e := range w.Log() {
			if e.Text("fn") == "vkGetDeviceProcAddr" {
				n++
			}
		}
		return n
	}
	before := asked()
	gipa(h, "i", "vkFakeDevice")
	first := asked() - before
	gipa(h, "i", "vkFakeDevice")
	if again := asked() - before - first; first != 2 || again != 0 {
		t.Errorf("the devices were asked %d times, and %d times more", first, again)
	}
	h.Do("destroy_device", "name", "d")
	h.Do("destroy_device", "name", "e")
	h.Do("destroy_instance")
	h.Quit()
	if gone := w.Log().Fn("vkDestroyDevice"); len(gone) != 2 {
		t.Errorf("%d devices were destroyed", len(gone))
	}
}

// A device is not destroyed while a name is looked up in it. The driver's lookup itself starts the thread that destroys the device,
// and waits until that thread waits.
//
// holds: THR-007 UNK-014
func TestDeviceThatIsBeingAskedStays(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer vkFakeSlow", "log_lookups vkFakeSlow", "perform_lookup vkFakeSlow meanwhile")
	h := w.Start()
	h.OK("create_instance")
	h.OK("create_device", "pd", world.Ref(h.OK("physical_devices").Ints("devices")[0]))
	h.Do("script", "as", "away", "line", "destroy_device")
	h.Do("script", "as", "meanwhile", "line", "spawn script=away", "line", "settle")
	gipa(h, "i", "vkFakeSlow")
	if a := h.Do("join"); a.Int("bad") != 0 {
		t.Errorf("%v", a)
	}
	h.Quit()
	log := w.Log().Fn("vkGetDeviceProcAddr", "vkDestroyDevice")
	if got := log.Names(); !slices.Equal(got, []string{"one vkGetDeviceProcAddr", "one vkDestroyDevice"}) {
		t.Errorf("the driver saw %v", log)
	}
}

// A name that is being looked up in a device can be looked up again, and called, before the first lookup has ended.
//
// holds: UNK-014 THR-007
func TestNameThatIsBeingLookedUp(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer vkFakeDevice", "return vkFakeDevice 7", "perform_lookup vkFakeDevice meanwhile")
	h := w.Start()
	h.OK("create_instance")
	h.OK("create_device", "pd", world.Ref(h.OK("physical_devices").Ints("devices")[0]))
	h.Do("script", "as", "meanwhile", "line", "call name=vkFakeDevice via=gipa instance=i arg=d")
	if gipa(h, "i", "vkFakeDevice") == 0 {
		t.Error("the name is not found")
	}
	done := h.Do("performed")["scripts"].([]any)
	if len(done) != 1 {
		t.Fatalf("performed: %v", done)
	}
	if a := world.Answer(done[0].([]any)[0].(map[string]any)); a.Text("value") != "0x7" {
		t.Errorf("meanwhile: %v", a)
	}
	h.Quit()
}

// holds: UNK-012..UNK-016 LAY-83 LAY-417 LAY-418 LAY-422
func TestUnknownDeviceFunctions(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "offer vkFakeDevice", "offer vkFakeQueue", "offer_gipa vkFakeClaimed", "args vkFakeDevice 10", "return vkFakeDevice 0x123456789abcdef0")
	w.Driver("two", "device name=b", "offer vkFakeDevice")
	w.ImplicitLayer("VK_LAYER_x").Set("device_extensions", []map[string]any{{"name": "VK_YY_x", "spec_version": "1", "entrypoints": []string{"vkFakeListed", "vkCmdDraw"}}})
	w.Env["VK_LOADER_DEBUG"] = "error"
	h := w.Start()
	h.OK("create_instance")
	devices := h.OK("physical_devices").Ints("devices") // b, a
	h.OK("create_device", "as", "before", "pd", world.Ref(devices[1]))
	p := gipa(h, "i", "vkFakeDevice")
	q := gipa(h, "i", "vkFakeQueue")
	claimed, listed := gipa(h, "i", "vkFakeClaimed"), gipa(h, "i", "vkFakeListed")
	if p == 0 || q == 0 || claimed == 0 || listed == 0 || gipa(h, "i", "vkNobody") != 0 {
		t.Fatalf("pointers %d %d %d %d, nobody's %d", p, q, claimed, listed, gipa(h, "i", "vkNobody"))
	}
	h.OK("create_device", "as", "after", "pd", world.Ref(devices[0]))
	h.Do("get_queue", "device", "before")
	h.OK("command_buffers", "device", "before")
	a := h.Do("call", "pointer", world.Ref(int(p)), "arg", "before", "arg", "1", "arg", "2", "arg", "3", "arg", "4", "arg", "5", "arg", "6", "arg", "7", "arg", "8", "arg", "9")
	if a.Text("value") != "0x123456789abcdef0" {
		t.Errorf("the call gave %v", a)
	}
	h.Do("call", "pointer", world.Ref(int(p)), "arg", "after", "arg", "1")
	h.Do("call", "pointer", world.Ref(int(q)), "arg", "q", "arg", "5")
	h.Do("call", "pointer", world.Ref(int(q)), "arg", "c0", "arg", "6")
	h.Do("call", "via", "gdpa", "device", "before", "name", "vkFakeDevice", "arg", "before", "arg", "11")
	var exit world.Exit
	if world.CalleeCleans() {
		if exit = h.Dies("call", "pointer", world.Ref(int(claimed)), "arg", "before"); exit.Signal != syscall.SIGABRT {
			t.Errorf("a function that the device lacks ends the process by %v", exit.Signal)
		}
	} else {
		if r := h.Do("call", "pointer", world.Ref(int(claimed)), "arg", "before").Result(); r != -7 {
			t.Errorf("a function that the device lacks returns %d, want VK_ERROR_EXTENSION_NOT_PRESENT", r)
		}
		if r := h.Do("call", "pointer", world.Ref(int(q)), "arg", "after").Result(); r != -7 {
			t.Errorf("a function that the other device lacks returns %d", r)
		}
		exit = h.Quit()
	}
	calls := w.Log().Fn("vkFakeDevice")
	if len(calls) != 3 || calls[0].Text("who") != "one" || calls[1].Text("who") != "two" || calls[2].Text("who") != "one" {
		t.Fatalf("the calls arrived as %v", calls)
	}
	if want := []string{"device:1", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; !slices.Equal(calls[0].Strings("args"), want) {
		t.Errorf("arguments %v", calls[0].Strings("args"))
	}
	var firsts []string
	for _, e := range w.Log().Fn("vkFakeQueue") {
		firsts = append(firsts, e.Strings("args")[0])
	}
	if !slices.Equal(firsts, []string{"queue:1", "command_buffer:1"}) {
		t.Errorf("first arguments %v", firsts)
	}
	if m := exit.Messages(); !slices.Contains(m, "Bad destination in loader trampoline dispatch,Are layers and extensions that you are calling enabled?") {
		t.Errorf("messages %q", m)
	}
}

// holds: UNK-019..UNK-022 LAY-420
func TestLimitOfUnknownNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	var script []string
	for i := 0; i < 260; i++ {
		script = append(script, fmt.Sprintf("offer_gpdpa vkFakePD%d", i), fmt.Sprintf("offer vkFakeDev%d", i))
	}
	w.Driver("one", append(script, "device name=a", "quiet *")...)
	w.Env["VK_LOADER_DEBUG"] = "error"
	h := w.Start()
	h.OK("create_instance")
	h.OK("create_instance", "as", "j")
	seen := map[int64]bool{}
	for _, family := range []string{"vkFakePD", "vkFakeDev"} {
		for i := 0; i < 260; i++ {
			p := gipa(h, "i", fmt.Sprint(family, i))
			if (p != 0) != (i < 250) {
				t.Errorf("%s%d is pointer %d", family, i, p)
			}
			if p != 0 && seen[p] {
				t.Errorf("%s%d has the pointer of another name", family, i)
			}
			seen[p] = true
		}
		if gipa(h, "i", family+"7") == 0 || gipa(h, "i", family+"249") == 0 {
			t.Error("a stored name is gone after the limit")
		}
	}
	if gipa(h, "j", "vkFakePD255") == 0 || gipa(h, "j", "vkFakeDev255") == 0 {
		t.Error("the other instance has no room of its own")
	}
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	h.OK("create_device", "pd", pd)
	h.Do("call", "pointer", world.Ref(int(gipa(h, "i", "vkFakePD249"))), "arg", pd)
	h.Do("call", "pointer", world.Ref(int(gipa(h, "i", "vkFakeDev249"))), "arg", "d")
	exit := h.Quit()
	for _, want := range []string{"loader_dev_ext_gpa: Exhausted the unknown physical device function array!", "loader_dev_ext_gpa: Exhausted the unknown device function array!"} {
		if !slices.Contains(exit.Messages(), want) {
			t.Errorf("no %q in %q", want, exit.Messages())
		}
	}
}

// holds: UNK-004 UNK-005 UNK-008 UNK-009 UNK-018 LAY-338 LAY-339 LAY-415 LAY-421 GPA-081 GPA-084
func TestUnknownFunctionsThroughLayers(t *testing.T) {
	t.Parallel()
	for _, wrap := range []string{"", "wrap instance physdev device"} {
		w := world.New(t)
		w.Driver("one", "device name=a", "offer_gpdpa vkFakePD", "offer vkFakeDev")
		w.ImplicitLayer("VK_LAYER_top", "intercept vkFakePD", "intercept vkFakeDev", wrap)
		w.ImplicitLayer("VK_LAYER_old").Kind(world.LayerOld)
		w.ImplicitLayer("VK_LAYER_mute", "gpdpa_null vkFakeOwn")
		w.ImplicitLayer("VK_LAYER_bottom", "intercept vkFakePD", "intercept vkFakeDev", "offer_gpdpa vkFakeOwn", wrap)
		h := w.Start()
		h.OK("create_instance")
		pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
		h.OK("create_device", "pd", pd)
		f, g := gipa(h, "i", "vkFakePD"), gipa(h, "i", "vkFakeDev")
		h.Do("call", "pointer", world.Ref(int(f)), "arg", pd, "arg", "1")
		h.Do("call", "pointer", world.Ref(int(g)), "arg", "d", "arg", "1")
		h.Do("call", "via", "gdpa", "device", "d", "name", "vkFakeDev", "arg", "d", "arg", "2")
		h.Quit()
		want := []string{"VK_LAYER_top", "VK_LAYER_bottom", "one"}
		if wrap != "" {
			want = []string{"VK_LAYER_top", "VK_LAYER_bottom", "one"}
		}
		if got := w.Log().Fn("vkFakePD").Who(); !slices.Equal(got, want) {
			t.Errorf("%q: vkFakePD went %v, want %v", wrap, got, want)
		}
		if got := w.Log().Fn("vkFakeDev").Who(); !slices.Equal(got, append(want, want...)) {
			t.Errorf("%q: vkFakeDev went %v, want %v twice", wrap, got, want)
		}
	}
}
