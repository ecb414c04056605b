package chain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

func pointer(h *world.Host, instance, name string) int {
	return int(h.Do("gipa", "instance", instance, "name", name).Int("ptr"))
}

// all creates an instance with the named layers, top to bottom.
func all(h *world.Host, names ...string) {
	words := []string{"api", "1.1.0"}
	for _, name := range names {
		words = append(words, "layer", name)
	}
	h.OK("create_instance", words...)
}

// holds: LAY-414 UNK-001 UNK-002 UNK-003 UNK-006 UNK-010 LAY-419 UNK-021 GPA-040
func TestUnknownPhysicalDeviceCommands(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a", "offer_gpdpa vkBoth", "offer_gpdpa vkOfA", "offer_gpdpa bare", "args vkBoth 10", "return vkBoth 0x8877665544332211").API("1.1.0")
	w.Driver("b", "device name=b", "offer_gpdpa vkBoth", "offer_gpdpa vkOfB", "return vkBoth -5").API("1.1.0")
	w.DriverKind(world.NoGPDPA, "c", "device name=c", "no_gpdpa", "offer_gpdpa vkOfC")
	w.Driver("d", "device name=d", "interface 0 3", "offer_gpdpa vkOfD")
	w.DriverKind(world.OnlyGIPA, "e", "device name=e", "offer_gpdpa vkOfE")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	devices := map[string]string{}
	for _, d := range h.OK("physical_devices").Ints("devices") {
		devices[h.Do("properties", "pd", world.Ref(d)).Text("name")] = world.Ref(d)
	}
	found := map[string]int{}
	for _, name := range []string{"vkBoth", "vkOfA", "bare", "vkOfB"} {
		if found[name] = pointer(h, "i", name); found[name] == 0 {
			t.Fatalf("%s not found", name)
		}
	}
	for _, name := range []string{"vkOfC", "vkOfD", "vkNobody"} {
		if pointer(h, "i", name) != 0 {
			t.Errorf("%s found", name)
		}
	}
	for name, p := range found {
		if pointer(h, "i", name) != p {
			t.Errorf("%s: another pointer", name)
		}
	}
	w.ForgetLog()
	call := func(name, device string, args ...string) world.Answer {
		words := []string{"pointer", world.Ref(found[name]), "arg", devices[device]}
		for _, a := range args {
			words = append(words, "arg", a)
		}
		return h.Do("call", words...)
	}
	if got := call("vkBoth", "a", "2", "3", "0xffffffffffffffff", "5", "6", "7", "8", "9", "10").Text("value"); got != "0x8877665544332211" {
		t.Errorf("value %s", got)
	}
	if got := call("vkBoth", "b", "2").Result(); got != -5 {
		t.Errorf("result %d", got)
	}
	call("vkOfA", "a", "77")
	call("bare", "a")
	call("vkOfB", "b")
	same(t, "calls", w.Log().Names(), []string{"a vkBoth", "b vkBoth", "a vkOfA", "a bare", "b vkOfB"})
	for i, want := range [][]string{{"physical_device:1", "2", "3", "-1", "5", "6", "7", "8", "9", "10"}, {"physical_device:1", "2"}, {"physical_device:1", "77"}} {
		if got := w.Log()[i].Strings("args"); !slices.Equal(got[:len(want)], want) {
			t.Errorf("call %d: arguments %v, want %v", i, got, want)
		}
	}
	h.Quit()
}

// Every kind of stub passes twelve words and floating-point numbers unchanged, in registers and on the stack, including 64-bit
// values on 32-bit machines, and returns the results. The functions here have these arguments for every command. On ppc64el,
// the trampolines of known commands have the commands' own arguments and no others.
//
// holds: UNK-003 UNK-013 LAY-414
func TestArgumentsPass(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	const known = "vkGetPhysicalDeviceMultisamplePropertiesEXT"
	w.Driver("a", "device name=a", "offer_gpdpa vkFloatsOfPhysicalDevice", "offer vkFloatsOfDevice",
		"offer "+known, "floats "+known, "floats vkDeviceWaitIdle", "floats vkCmdDraw")
	h := w.Start()
	h.OK("create_instance")
	pd := device(h)
	h.OK("create_device", "pd", pd)
	h.Do("get_queue")
	h.OK("command_buffers")
	for _, c := range []struct{ name, object, driver string }{{"vkFloatsOfPhysicalDevice", pd, "physical_device:1"},
		{"vkFloatsOfDevice", "d", "device:1"}, {known, pd, "physical_device:1"}, {"vkDeviceWaitIdle", "d", "device:1"},
		{"vkCmdDraw", "c0", "command_buffer:1"}} {
		if world.Target() == "ppc64el" && !strings.HasPrefix(c.name, "vkFloats") {
			continue
		}
		words := []string{"pointer", world.Ref(pointer(h, "i", c.name)), "floats", "1", "arg", c.object}
		want := []string{c.driver}
		for i := int64(2); i <= 12; i++ {
			words = append(words, "arg", fmt.Sprint(i*1001<<32+i))
			want = append(want, fmt.Sprint(i*1001<<32+i))
		}
		w.ForgetLog()
		if got := h.Do("call", words...).Text("value"); got != "-0.375" {
			t.Errorf("%s returned %s", c.name, got)
		}
		e := w.Log().Fn("vkFloats")[0]
		same(t, c.name, e.Strings("args"), want)
		if e.Text("floats") != "1.5 2.25 -4.125" {
			t.Errorf("%s: %v", c.name, e)
		}
	}
	h.Quit()
}

// holds: UNK-002
func TestPhysicalDeviceLookupByGIPA(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.DriverKind(world.OnlyGIPA, "a", "device name=a", "negotiate_by_gipa", "offer_gpdpa vkUnknown")
	h := w.Start()
	h.OK("create_instance")
	if p := pointer(h, "i", "vkUnknown"); p == 0 {
		t.Errorf("not found through vk_icdGetInstanceProcAddr")
	} else {
		h.Do("call", "pointer", world.Ref(p), "arg", device(h))
	}
	same(t, "calls", w.Log().Fn("vkUnknown").Who(), []string{"a"})
	h.Quit()
}

// holds: LAY-415 LAY-421 UNK-001 UNK-004 UNK-005 UNK-008 UNK-009 LAY-384 LAY-385
func TestUnknownPhysicalDeviceCommandsThroughLayers(t *testing.T) {
	t.Parallel()
	const fn = "vkUnknown"
	offer, take := "offer_gpdpa "+fn, "intercept "+fn
	for name, c := range map[string]struct {
		driver bool
		layers [][]string // scripts, top to bottom
		want   []string   // the called functions; nil: not found
	}{
		"driver alone, layers forward":          {true, [][]string{{}, {}, {}}, []string{"d"}},
		"top":                                   {true, [][]string{{offer}, {}, {}}, []string{"1", "d"}},
		"middle, the top forwards":              {true, [][]string{{}, {offer}, {}}, []string{"2", "d"}},
		"all":                                   {true, [][]string{{offer}, {take}, {offer}}, []string{"1", "2", "3", "d"}},
		"all, no driver":                        {false, [][]string{{offer}, {offer}, {offer}}, []string{"1", "2", "3"}},
		"bottom, no driver, the others forward": {false, [][]string{{}, {}, {offer}}, []string{"3"}},
		"none":                                  {false, [][]string{{}, {}, {}}, nil},
		"intercept what is not there":           {false, [][]string{{take}, {take}, {take}}, nil},
		"the top does not forward, no driver":   {false, [][]string{{"gpdpa_null " + fn}, {offer}, {}}, nil},
		"the top does not forward, a driver has it":  {true, [][]string{{"gpdpa_null " + fn}, {offer}, {}}, []string{"2", "d"}},
		"the top has no GPDPA":                       {false, [][]string{{"negotiate_null gpdpa"}, {offer}, {}}, []string{"2"}},
		"the top has version 1":                      {false, [][]string{{"negotiate 0 1"}, {offer}, {offer}}, []string{"2", "3"}},
		"version 1 in the middle and at the bottom":  {true, [][]string{{offer}, {"negotiate 0 1"}, {"negotiate 0 1"}}, []string{"1", "d"}},
		"nobody has GPDPA":                           {true, [][]string{{"negotiate 0 1"}, {"negotiate 0 1"}, {"negotiate_null gpdpa"}}, []string{"d"}},
		"wrapping all":                               {true, [][]string{{offer, "wrap instance physdev"}, {take, "wrap instance physdev"}, {offer, "wrap instance physdev"}}, []string{"1", "2", "3", "d"}},
		"wrapping the top":                           {true, [][]string{{"wrap instance physdev", "unknown " + fn}, {offer}, {}}, []string{"1", "2", "d"}},
		"wrapping in the middle, others look":        {true, [][]string{{offer}, {"wrap instance physdev", "unknown " + fn}, {offer}}, []string{"1", "2", "3", "d"}},
		"asked for in vkCreateInstance by the lower": {true, [][]string{{offer}, {}, {"ask " + fn}}, []string{"1", "d"}},
		"asked for in vkCreateInstance, no driver":   {false, [][]string{{offer}, {}, {"ask " + fn}}, []string{"1"}},
	} {
		w := world.New(t)
		d := w.Driver("d", "device name=d1", "device name=d2").API("1.1.0")
		if c.driver {
			d.Script(offer)
		}
		var names []string
		for i, script := range c.layers {
			names = append(names, fmt.Sprint(i+1))
			w.ExplicitLayer(names[i], script...)
		}
		h := w.Start()
		all(h, names...)
		devices := h.OK("physical_devices").Ints("devices")
		p := pointer(h, "i", fn)
		if (p != 0) != (c.want != nil) {
			t.Errorf("%s: found %v", name, p != 0)
		}
		if p != 0 {
			w.ForgetLog()
			h.Do("call", "pointer", world.Ref(p), "arg", world.Ref(devices[1]), "arg", "42")
			got := w.Log().Fn(fn)
			same(t, name, got.Who(), c.want)
			last := got[len(got)-1]
			if c.driver && !slices.Equal(last.Strings("args")[:2], []string{"physical_device:2", "42"}) {
				t.Errorf("%s: the driver got %v", name, last)
			}
		}
		for _, e := range w.Log().Fn("asked") {
			if e.IsNull("gpdpa") == c.driver {
				t.Errorf("%s: the next layer's GPDPA says %v", name, e)
			}
		}
		h.Quit()
	}
}

// holds: LAY-416 UNK-007
func TestUnknownCommandThatADriverLacks(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a")
	w.Driver("b", "device name=b", "offer_gpdpa vkOfB")
	h := w.Start()
	h.OK("create_instance", "messenger", "m:0x1111:7")
	devices := h.OK("physical_devices").Ints("devices")
	p := pointer(h, "i", "vkOfB")
	h.Do("call", "pointer", world.Ref(p), "arg", world.Ref(devices[0]))
	exit := h.Dies("call", "pointer", world.Ref(p), "arg", world.Ref(devices[1]))
	aborted(t, exit)
	said(t, exit.Stderr, 1, "ERROR", "Function vkOfB not supported for this physical device")
	same(t, "calls", w.Log().Fn("vkOfB").Who(), []string{"b"})
}

// One of the layers looks names up itself when it is asked for a name.
//
// holds: THR-007 LAY-417 LAY-418 LAY-419 LAY-422 UNK-012 UNK-013 UNK-014 UNK-015 UNK-016 UNK-017 UNK-018
func TestUnknownDeviceCommands(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{true, false} { // look up before creating devices, or after
		w := world.New(t)
		w.Driver("a", "device name=a", "offer vkBoth", "offer vkOfA", "args vkBoth 10", "return vkBoth 0x1122334455667788", "offer_gdpa vkByManifest", "offer_gdpa vkSecret").API("1.1.0")
		w.Driver("b", "device name=b", "offer vkBoth").API("1.1.0")
		w.ExplicitLayer("VK_LAYER_1", "offer vkOfTop", "gdpa_asks vkNobody").Set("device_extensions", []any{map[string]any{"name": "VK_XX_x", "spec_version": "1", "entrypoints": []string{"vkByManifest"}}})
		w.ExplicitLayer("VK_LAYER_2", "intercept vkBoth", "offer_gdpa vkOfSecond")
		h := start(w)
		all(h, "VK_LAYER_1", "VK_LAYER_2")
		devices := h.OK("physical_devices").Ints("devices")
		found := map[string]int{}
		ask := func() {
			for _, name := range []string{"vkBoth", "vkOfA", "vkOfTop", "vkByManifest", "vkOfSecond", "vkSecret", "vkNobody"} {
				found[name] = pointer(h, "i", name)
			}
		}
		create := func() {
			h.OK("create_device", "as", "db", "pd", world.Ref(devices[0]))
			h.OK("create_device", "as", "da", "pd", world.Ref(devices[1]))
			for _, d := range []string{"da", "db"} {
				h.Do("get_queue", "device", d, "as", "q"+d)
				h.OK("command_buffers", "device", d, "as", "c"+d)
			}
		}
		if early {
			ask()
		}
		create()
		ask()
		for name, want := range map[string]bool{"vkBoth": true, "vkOfA": true, "vkOfTop": true, "vkByManifest": true, "vkOfSecond": false, "vkSecret": false, "vkNobody": false} {
			if (found[name] != 0) != want {
				t.Errorf("%s found: %v, want %v", name, found[name] != 0, want)
			}
			if found[name] != pointer(h, "i", name) {
				t.Errorf("%s: another pointer", name)
			}
		}
		w.ForgetLog()
		call := func(name string, args ...string) world.Answer {
			words := []string{"pointer", world.Ref(found[name])}
			for _, a := range args {
				words = append(words, "arg", a)
			}
			return h.Do("call", words...)
		}
		if got := call("vkBoth", "da", "2", "3", "4", "5", "6", "7", "8", "9", "10").Text("value"); got != "0x1122334455667788" {
			t.Errorf("value %s", got)
		}
		call("vkBoth", "qdb")
		call("vkBoth", "cda0", "7")
		call("vkByManifest", "da")
		call("vkOfTop", "db", "1")
		call("vkOfA", "qda")
		same(t, "calls", w.Log().Names(), []string{"VK_LAYER_2 vkBoth", "a vkBoth", "VK_LAYER_2 vkBoth", "b vkBoth", "VK_LAYER_2 vkBoth", "a vkBoth",
			"a vkByManifest", "VK_LAYER_1 vkOfTop", "a vkOfA"})
		if got := w.Log()[1].Strings("args"); !slices.Equal(got, []string{"device:1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}) {
			t.Errorf("arguments %v", got)
		}
		if got := w.Log()[5].Strings("args")[:2]; !slices.Equal(got, []string{"command_buffer:1", "7"}) {
			t.Errorf("arguments %v", got)
		}
		for name, want := range map[string]string{"vkBoth": "VK_LAYER_2.so", "vkOfA": "a.so", "vkOfTop": "VK_LAYER_1.so", "vkOfSecond": "VK_LAYER_2.so", "vkSecret": "a.so", "vkNobody": ""} {
			text := h.Do("gdpa", "device", "da", "name", name).Text("module")
			if got := text[strings.LastIndex(text, "/")+1:]; got != want {
				t.Errorf("GDPA(%s) is of %q, want %q", name, got, want)
			}
		}
		w.ForgetLog()
		h.Do("call", "name", "vkBoth", "via", "gdpa", "device", "da", "arg", "da")
		call("vkBoth", "da")
		same(t, "alternately", w.Log().Who(), []string{"VK_LAYER_2", "a", "VK_LAYER_2", "a"})
		// A device that has no such function.
		var exit world.Exit
		if world.CalleeCleans() {
			exit = h.Dies("call", "pointer", world.Ref(found["vkOfA"]), "arg", "db")
			aborted(t, exit)
		} else {
			if got := call("vkOfA", "db").Result(); got != extensionNotPresent {
				t.Errorf("on the other driver's device: %d", got)
			}
			exit = h.Quit()
		}
		said(t, exit.Stderr, 1, "ERROR", "Bad destination in loader trampoline dispatch,Are layers and extensions that you are calling enabled?")
	}
}

// holds: UNK-017 LAY-419
func TestOrderOfAsking(t *testing.T) {
	t.Parallel()
	names := []string{"vkPhysical", "vkDevice", "vkPhysicalOfLayer", "vkDeviceOfLayer"}
	var orders [][]string
	for i := range names {
		order := append(slices.Clone(names[i:]), names[:i]...)
		back := slices.Clone(order)
		slices.Reverse(back)
		orders = append(orders, order, back)
	}
	for _, order := range orders {
		w := world.New(t)
		w.Driver("a", "device name=a", "offer_gpdpa vkPhysical", "offer vkDevice").API("1.1.0")
		w.ExplicitLayer("VK_LAYER_x", "offer_gpdpa vkPhysicalOfLayer", "offer vkDeviceOfLayer", "intercept vkPhysical")
		h := w.Start()
		all(h, "VK_LAYER_x")
		pd := device(h)
		found := map[string]int{}
		for i, name := range order {
			if i == 2 {
				h.OK("create_device", "pd", pd)
			}
			if i > 2 {
				h.Do("gdpa", "device", "d", "name", name)
			}
			found[name] = pointer(h, "i", name)
			pointer(h, "i", "vkNobody")
		}
		w.ForgetLog()
		for _, name := range names {
			object := "d"
			if strings.HasPrefix(name, "vkPhysical") {
				object = pd
			}
			if p := pointer(h, "i", name); p == 0 || p != found[name] {
				t.Fatalf("%v: %s is %d, was %d", order, name, p, found[name])
			}
			h.Do("call", "pointer", world.Ref(found[name]), "arg", object)
		}
		same(t, fmt.Sprint(order), w.Log().Names(), []string{"VK_LAYER_x vkPhysical", "a vkPhysical", "a vkDevice", "VK_LAYER_x vkPhysicalOfLayer", "VK_LAYER_x vkDeviceOfLayer"})
		h.Quit()
	}
}

// holds: LAY-420 UNK-019 UNK-020 UNK-021 UNK-022
func TestLimitOfUnknownCommands(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	const most = 250
	var lines []string
	for i := range most + 2 {
		lines = append(lines, fmt.Sprintf("offer_gpdpa vkPhysical%d", i), fmt.Sprintf("offer vkDevice%d", i))
	}
	w.Driver("a", append(lines, "device name=a", fmt.Sprintf("offer vkPhysical%d", most+1))...)
	h := w.Start()
	h.Do("setenv", "name", "VK_LOADER_DEBUG", "value", "error")
	h.OK("create_instance", "ext", "VK_EXT_debug_utils")
	h.OK("create_messenger", "as", "m")
	pd := device(h)
	h.OK("create_device", "pd", pd)
	pointers := map[int]bool{}
	found := map[string]int{}
	for _, kind := range []string{"vkPhysical", "vkDevice"} {
		for i := range most {
			if kind == "vkDevice" && i == most-1 {
				continue // leaves an entry for the name below
			}
			name := fmt.Sprint(kind, i)
			p := pointer(h, "i", name)
			if p == 0 || pointers[p] {
				t.Fatalf("%s: pointer %d", name, p)
			}
			pointers[p], found[name] = true, p
		}
	}
	a := h.Do("gipa", "instance", "i", "name", fmt.Sprint("vkPhysical", most))
	if a.Int("ptr") != 0 || !a.HasText("m", "loader_dev_ext_gpa: Exhausted the unknown physical device function array!") {
		t.Errorf("one too many: %v", a)
	}
	a = h.Do("gipa", "instance", "i", "name", fmt.Sprint("vkPhysical", most+1)) // a driver's GIPA has it, too
	if a.Int("ptr") == 0 || !a.HasText("m", "loader_dev_ext_gpa: Exhausted the unknown physical device function array!") {
		t.Errorf("one that can be a device function: %v", a)
	}
	a = h.Do("gipa", "instance", "i", "name", fmt.Sprint("vkDevice", most))
	if a.Int("ptr") != 0 || !a.HasText("m", "loader_dev_ext_gpa: Exhausted the unknown device function array!") {
		t.Errorf("one too many: %v", a)
	}
	for _, name := range []string{"vkPhysical0", "vkPhysical249", "vkDevice0", "vkDevice248"} {
		if pointer(h, "i", name) != found[name] {
			t.Errorf("%s: another pointer after the limit", name)
		}
		w.ForgetLog()
		object := "d"
		if strings.HasPrefix(name, "vkPhysical") {
			object = pd
		}
		h.Do("call", "pointer", world.Ref(found[name]), "arg", object)
		same(t, name, w.Log().Names(), []string{"a " + name})
	}
	// Another instance has a separate store.
	h.OK("create_instance", "as", "j")
	for i, name := range []string{fmt.Sprint("vkPhysical", most), fmt.Sprint("vkDevice", most)} {
		p := pointer(h, "j", name)
		if want := found[[]string{"vkPhysical0", "vkDevice0"}[i]]; p != want {
			t.Errorf("%s in another instance: %d, want the first place's %d", name, p, want)
		}
		if i == 0 {
			w.ForgetLog()
			h.Do("call", "pointer", world.Ref(p), "arg", world.Ref(h.OK("physical_devices", "instance", "j").Ints("devices")[0]))
			same(t, name, w.Log().Fn(name).Who(), []string{"a"})
		}
	}
	h.Quit()
}

// holds: UNK-023 UNK-024
func TestStoreOfUnknownCommands(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	d := w.Driver("a", "device name=a", "offer_gpdpa vkFirst", "offer_gpdpa vkSecond", "offer vkThird")
	w.ExplicitLayer("VK_LAYER_x", "intercept vkSecond")
	h := start(w)
	h.Do("allocator", "as", "a")
	h.OK("create_instance", "allocator", "a", "layer", "VK_LAYER_x")
	live := h.Do("allocator_stats", "name", "a").Int("live")
	h.Do("allocator", "as", "a", "fail_from", "0")
	for _, name := range []string{"vkFirst", "vkThird"} {
		if pointer(h, "i", name) != 0 {
			t.Errorf("%s found without memory", name)
		}
	}
	h.Do("allocator", "as", "a", "fail_from", "-1")
	for i, name := range []string{"vkFirst", "vkSecond", "vkThird"} {
		if pointer(h, "i", name) == 0 {
			t.Errorf("%s not found", name)
		}
		if now := h.Do("allocator_stats", "name", "a").Int("live"); now <= live+int64(i) {
			t.Errorf("%s: %d blocks live, %d before", name, now, live)
		}
	}
	h.Do("destroy_instance", "allocator", "a")
	if stats := h.Do("allocator_stats", "name", "a"); stats.Int("live") != 0 || stats.Int("faults") != 0 {
		t.Errorf("%v", stats)
	}
	exit := h.Quit()
	var lines []string
	for _, m := range body(exit.Stderr) {
		if strings.Contains(m, "loader_phys_dev_ext_gpa: ") {
			if i := strings.Index(m, " ptr "); i >= 0 {
				tail := m[i+5:]
				m = m[:i] + " ptr P" + tail[strings.Index(tail, " "):]
			}
			lines = append(lines, m)
		}
	}
	same(t, "messages", lines, []string{
		"loader_phys_dev_ext_gpa: Adding unknown physical function vkFirst to internal store at index 0",
		"loader_phys_dev_ext_gpa: Driver " + d.Library + " returned ptr P for vkFirst",
		"loader_phys_dev_ext_gpa: Layer VK_LAYER_x returned ptr P for vkFirst",
		"loader_phys_dev_ext_gpa: Adding unknown physical function vkSecond to internal store at index 1",
		"loader_phys_dev_ext_gpa: Driver " + d.Library + " returned ptr P for vkSecond",
		"loader_phys_dev_ext_gpa: Layer VK_LAYER_x returned ptr P for vkSecond",
	})
	said(t, exit.Stderr, 1, "DEBUG", "loader_phys_dev_ext_gpa: Adding unknown physical function vkFirst to internal store at index 0")
}
