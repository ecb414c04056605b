package physdev

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// query is a command with two names in a driver that may be emulated.
type query struct {
	core, old, extension string
	memory               []string // for "memory": the structures for the call
	args                 []string // after the physical device; x is the memory
	offset               int      // where the result is read
	want                 uint32   // the value that the fake's functions write there; emulated group B writes 0
}

const (
	memoryCapabilities    = "VK_KHR_external_memory_capabilities"
	semaphoreCapabilities = "VK_KHR_external_semaphore_capabilities"
	fenceCapabilities     = "VK_KHR_external_fence_capabilities"
)

var queries = []query{
	{"vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures", props2,
		[]string{"size", "256", "u32@0", "1000059000"}, []string{"x"}, 16, 1},
	{"vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceProperties", props2,
		[]string{"size", "1024", "u32@0", "1000059001"}, []string{"x"}, 16 + 12, 77}, // deviceID
	{"vkGetPhysicalDeviceFormatProperties2", "vkGetPhysicalDeviceFormatProperties", props2,
		[]string{"size", "64", "u32@0", "1000059002"}, []string{"37", "x"}, 16 + 4, 1},
	{"vkGetPhysicalDeviceImageFormatProperties2", "vkGetPhysicalDeviceImageFormatProperties", props2,
		[]string{"size", "128", "u32@0", "1000059003", "u32@64", "1000059004"}, []string{"x+64", "x"}, 16 + 12, 7},
	{"vkGetPhysicalDeviceQueueFamilyProperties2", "vkGetPhysicalDeviceQueueFamilyProperties", props2,
		[]string{"size", "128", "u32@0", "1000059005", "u32@64", "1"}, []string{"x+64", "x"}, 16 + 4, 4},
	{"vkGetPhysicalDeviceMemoryProperties2", "vkGetPhysicalDeviceMemoryProperties", props2,
		[]string{"size", "1024", "u32@0", "1000059006"}, []string{"x"}, 16, 1},
	{"vkGetPhysicalDeviceSparseImageFormatProperties2", "vkGetPhysicalDeviceSparseImageFormatProperties", props2,
		[]string{"size", "256", "u32@0", "1000059008", "u32@64", "2", "u32@128", "1000059007", "u32@168", "1000059007"},
		[]string{"x", "x+64", "x+128"}, 168 + 16, 2},
	{"vkGetPhysicalDeviceExternalBufferProperties", "", memoryCapabilities,
		[]string{"size", "128", "u32@0", "1000071002", "u32@64", "1000071003", "u32@80", "99"}, []string{"x", "x+64"}, 64 + 16, 55},
	{"vkGetPhysicalDeviceExternalSemaphoreProperties", "", semaphoreCapabilities,
		[]string{"size", "128", "u32@0", "1000076000", "u32@64", "1000076001", "u32@80", "99"}, []string{"x", "x+64"}, 64 + 16, 55},
	{"vkGetPhysicalDeviceExternalFenceProperties", "", fenceCapabilities,
		[]string{"size", "128", "u32@0", "1000112000", "u32@64", "1000112001", "u32@80", "99"}, []string{"x", "x+64"}, 64 + 16, 55},
}

// ask calls the query by one of its names and returns the driver's calls.
func (q query) ask(w *world.World, h *world.Host, device int, words ...string) world.Log {
	h.Do("memory", append([]string{"as", q.core, fmt.Sprintf("u32@%d", q.offset), "99"}, q.memory...)...)
	w.ForgetLog()
	line := append([]string{"arg", world.Ref(device)}, words...)
	for _, a := range q.args {
		line = append(line, "arg", strings.Replace(a, "x", q.core, 1))
	}
	h.Do("call", line...)
	return w.Log()
}

// writes returns the four lines that make the fake's functions write 55 to the members of the external structures.
func (q query) writes() []string {
	if q.old != "" {
		return nil
	}
	return []string{"write " + q.core + " 2 16 u32 55", "write " + q.core + "KHR 2 16 u32 55"}
}

// holds: PHY-085 PHY-090 EXT-006 EXT-007..012 EXT-015 EXT-018 EXT-019 EXT-022 EXT-034 EXT-001
func TestWhichFunction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		api       string
		extension bool // enabled by the program
		driver    string
		driverExt bool
		missing   string // "core" or "KHR": the driver lacks it
		want      string // "core", "KHR", "emulated"
	}{
		{name: "EXT-008: 1.0 on 1.1", api: "1.0.0", driver: "1.1.0", want: "emulated"},
		{name: "EXT-008: 1.0 on 1.1 with the extension in the driver alone", api: "1.0.0", driver: "1.1.0", driverExt: true, want: "emulated"},
		{name: "EXT-009: 1.1 on 1.1", api: "1.1.0", driver: "1.1.0", want: "core"},
		{name: "1.1 with both", api: "1.1.0", extension: true, driver: "1.1.0", driverExt: true, want: "core"},
		{name: "1.3", api: "1.3.0", driver: "1.3.0", want: "core"},
		{name: "EXT-010: 1.1 with the extension on 1.0", api: "1.1.0", extension: true, driver: "1.0.0", driverExt: true, want: "KHR"},
		{name: "EXT-011: 1.0 with the extension on 1.0", api: "1.0.0", extension: true, driver: "1.0.0", driverExt: true, want: "KHR"},
		{name: "EXT-011: 1.0 with the extension on 1.1", api: "1.0.0", extension: true, driver: "1.1.0", driverExt: true, want: "KHR"},
		{name: "EXT-012: 1.1 without the extension on 1.0", api: "1.1.0", driver: "1.0.0", driverExt: true, want: "emulated"},
		{name: "1.0 on 1.0", api: "1.0.0", driver: "1.0.0", want: "emulated"},
		{name: "extension enabled, function missing", api: "1.0.0", extension: true, driver: "1.0.0", driverExt: true, missing: "KHR", want: "emulated"},
		{name: "1.1, core function missing, extension enabled", api: "1.1.0", extension: true, driver: "1.1.0", driverExt: true, missing: "core", want: "KHR"},
	} {
		w := world.New(t)
		w.Env["VK_LOADER_DEBUG"] = "info"
		lines := []string{"device name=a device=77"}
		create := []string{"api", c.api}
		for _, e := range []string{props2, memoryCapabilities, semaphoreCapabilities, fenceCapabilities} {
			if c.driverExt {
				lines = append(lines, "ext "+e)
			}
			if c.extension {
				create = append(create, "ext", e)
			}
		}
		for _, q := range queries {
			lines = append(lines, q.writes()...)
			switch c.missing {
			case "core":
				lines = append(lines, "missing "+q.core)
			case "KHR":
				lines = append(lines, "missing "+q.core+"KHR")
			}
		}
		d := w.Driver("a", lines...).API(c.driver)
		h := w.Start()
		h.OK("create_instance", create...)
		device := all(h)[0]
		for _, q := range queries {
			ways := [][]string{{"name", q.core}, {"name", q.core, "via", "gipa", "instance", "i"}}
			if c.extension {
				ways = append(ways, []string{"name", q.core + "KHR", "via", "gipa", "instance", "i"})
			} else if h.Do("gipa", "instance", "i", "name", q.core+"KHR").Int("ptr") != 0 {
				t.Errorf("%s: %sKHR is there", c.name, q.core)
			}
			for _, way := range ways {
				mark := len(h.Messages())
				log := q.ask(w, h, device, way...)
				want := []string{q.core}
				switch {
				case c.want == "KHR":
					want = []string{q.core + "KHR"}
				case c.want == "emulated" && q.old != "":
					want = []string{q.old}
				case c.want == "emulated":
					want = nil
				}
				if got := functions(log); !slices.Equal(got, want) {
					t.Errorf("%s: %v: the driver saw %v, want %v", c.name, way, got, want)
				}
				for _, e := range log {
					seen := e.Text("physical_device")
					if args := e.Strings("args"); len(args) > 0 {
						seen = args[0]
					}
					if seen != "physical_device:1" {
						t.Errorf("%s: %v: the driver got %v", c.name, way, e)
					}
				}
				result := q.want
				messages := since(h.Messages(), mark)
				if c.want == "emulated" {
					text := fmt.Sprintf(`%s: Emulating call in ICD "%s"`, q.core, d.Library)
					if q.old != "" {
						text += " using " + q.old
					} else {
						result = 0
					}
					said(t, messages, text, 1)
				} else if contains(messages, "Emulating") {
					t.Errorf("%s: %v: %q", c.name, way, messages)
				}
				if got := word(t, h, q.core, q.offset); got != result {
					t.Errorf("%s: %v: the result is %d, want %d", c.name, way, got, result)
				}
			}
		}
		h.Quit()
	}
}

// holds: EXT-004 EXT-016 PHY-084
func TestMixedDrivers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("old", "device name=old")
	w.Driver("khr", "device name=khr", "ext "+props2)
	w.Driver("new", "device name=new").API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0", "ext", props2)
	for _, device := range all(h) {
		who := name(h, device)
		log := queries[0].ask(w, h, device, "name", "vkGetPhysicalDeviceFeatures2")
		want := map[string]string{"old": "vkGetPhysicalDeviceFeatures", "khr": "vkGetPhysicalDeviceFeatures2KHR", "new": "vkGetPhysicalDeviceFeatures2"}[who]
		if len(log) != 1 || log[0].Text("who") != who || log[0].Text("fn") != want {
			t.Errorf("%s: %v", who, log)
		}
	}
	h.Quit()
}

func emulating(t *testing.T, create ...string) (*world.World, *world.Host, int) {
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	w.Driver("a", "device name=a queues=3 ext=", "ext "+memoryCapabilities)
	h := w.Start()
	h.OK("create_instance", create...)
	return w, h, all(h)[0]
}

const ignored = "%s: Emulation found unrecognized structure type in %s - this struct will be ignored"

// chained gives x a chain of two structures with unknown types, of 32 bytes each.
func chained(h *world.Host, offset int) {
	h.Do("memory", "as", "u2", "size", "32", "u32@0", "1234567", "u32@16", "171")
	h.Do("memory", "as", "u1", "size", "32", "u32@0", "7654321", "ptr@8", "u2", "u32@16", "171")
	h.Do("memory", "as", "x", fmt.Sprintf("ptr@%d", offset), "u1")
}

func untouched(t *testing.T, h *world.Host) {
	t.Helper()
	for ref, kind := range map[string]uint32{"u1": 7654321, "u2": 1234567} {
		if word(t, h, ref, 0) != kind || word(t, h, ref, 16) != 171 {
			t.Errorf("%s was changed", ref)
		}
	}
}

// holds: PHY-086 EXT-019 EXT-020 EXT-021
// An emulation is logged before the driver is called, because the driver may not return.
func TestEmulationIsSaidFirst(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "info"
	lines := []string{"device name=a"}
	for _, q := range queries {
		if q.old != "" {
			lines = append(lines, "perform "+q.old+" inside")
		}
	}
	w.Driver("a", lines...)
	h := w.Start()
	h.OK("create_instance")
	device := all(h)[0]
	h.Do("script", "as", "inside", "line", "instance_layers")
	for _, q := range queries {
		if q.old == "" {
			continue
		}
		mark := len(h.Messages())
		q.ask(w, h, device, "name", q.core)
		messages := h.Messages()[mark:]
		said := slices.IndexFunc(messages, func(m string) bool { return strings.Contains(m, "mulat") && strings.Contains(m, q.core) })
		inside := slices.IndexFunc(messages, func(m string) bool { return strings.Contains(m, "No valid vk_loader_settings.json file") })
		if said < 0 || inside < said {
			t.Errorf("%s: %q", q.core, messages)
		}
	}
	h.Quit()
}

func TestEmulatedFeatures(t *testing.T) {
	t.Parallel()
	_, h, device := emulating(t)
	h.Do("memory", "as", "x", "size", "256", "u32@0", "1000059000")
	chained(h, 8)
	h.Do("memory", "as", "multiview", "size", "32", "u32@0", "1000053001", "u32@16", "1", "u32@20", "1", "u32@24", "1", "u32@28", "171")
	h.Do("memory", "as", "u2", "ptr@8", "multiview")
	h.Do("call", "name", "vkGetPhysicalDeviceFeatures2", "arg", world.Ref(device), "arg", "x")
	if word(t, h, "x", 16) != 1 {
		t.Error("features are not filled")
	}
	for _, offset := range []int{16, 20, 24} {
		if word(t, h, "multiview", offset) != 0 {
			t.Errorf("multiview feature at %d is not false", offset)
		}
	}
	if word(t, h, "multiview", 28) != 171 || word(t, h, "multiview", 0) != 1000053001 {
		t.Error("more was written than the features")
	}
	untouched(t, h)
	text := fmt.Sprintf(ignored, "vkGetPhysicalDeviceFeatures2", "pFeatures->pNext")
	said(t, h.Messages(), text, 2)
	saidLine(t, h, "WARNING", text)
	h.Quit()
}

// holds: PHY-087 EXT-022 EXT-023 EXT-024
func TestEmulatedProperties(t *testing.T) {
	t.Parallel()
	for _, enabled := range []bool{true, false} {
		var create []string
		if enabled {
			create = []string{"ext", memoryCapabilities}
		}
		_, h, device := emulating(t, create...)
		h.Do("memory", "as", "x", "size", "1024", "u32@0", "1000059001")
		chained(h, 8)
		id := []string{"as", "id", "size", "64", "u32@0", "1000071004"}
		for offset := 16; offset < 64; offset += 4 {
			id = append(id, fmt.Sprintf("u32@%d", offset), "171")
		}
		h.Do("memory", id...)
		h.Do("memory", "as", "u2", "ptr@8", "id")
		h.Do("call", "name", "vkGetPhysicalDeviceProperties2", "arg", world.Ref(device), "arg", "x")
		untouched(t, h)
		for offset := 16; offset < 64; offset += 4 {
			want := uint32(171)
			if enabled && (offset < 48 || offset == 60) { // the two UUIDs and deviceLUIDValid
				want = 0
			}
			if got := word(t, h, "id", offset); got != want {
				t.Errorf("extension %v: word at %d is %d, want %d", enabled, offset, got, want)
			}
		}
		said(t, h.Messages(), fmt.Sprintf(ignored, "vkGetPhysicalDeviceProperties2KHR", "pProperties->pNext"), 2)
		saidLine(t, h, "WARNING", fmt.Sprintf(ignored, "vkGetPhysicalDeviceProperties2KHR", "pProperties->pNext"))
		n := 0
		if enabled {
			n = 1
		}
		text := "vkGetPhysicalDeviceProperties2: Emulation cannot generate unique IDs for struct VkPhysicalDeviceIDProperties - setting IDs to zero instead"
		said(t, h.Messages(), text, n)
		if enabled {
			saidLine(t, h, "WARNING", text)
		}
		h.Quit()
	}
}

// holds: PHY-089 EXT-025 EXT-028
func TestEmulatedFormatAndMemory(t *testing.T) {
	t.Parallel()
	_, h, device := emulating(t)
	h.Do("memory", "as", "x", "size", "1024", "u32@0", "1000059002")
	h.Do("call", "name", "vkGetPhysicalDeviceFormatProperties2", "arg", world.Ref(device), "arg", "37", "arg", "x")
	h.Do("call", "name", "vkGetPhysicalDeviceMemoryProperties2", "arg", world.Ref(device), "arg", "x")
	if contains(h.Messages(), "unrecognized") {
		t.Errorf("warned without a chain: %q", h.Messages())
	}
	chained(h, 8)
	h.Do("call", "name", "vkGetPhysicalDeviceFormatProperties2", "arg", world.Ref(device), "arg", "37", "arg", "x")
	h.Do("call", "name", "vkGetPhysicalDeviceMemoryProperties2", "arg", world.Ref(device), "arg", "x")
	said(t, h.Messages(), fmt.Sprintf(ignored, "vkGetPhysicalDeviceFormatProperties2", "pFormatProperties->pNext"), 1)
	said(t, h.Messages(), fmt.Sprintf(ignored, "vkGetPhysicalDeviceMemoryProperties2", "pMemoryProperties->pNext"), 1)
	untouched(t, h)
	h.Quit()
}

// holds: PHY-088 EXT-026
func TestEmulatedImageFormat(t *testing.T) {
	t.Parallel()
	w, h, device := emulating(t)
	call := func() world.Answer {
		w.ForgetLog()
		return h.Do("call", "name", "vkGetPhysicalDeviceImageFormatProperties2", "arg", world.Ref(device), "arg", "x+64", "arg", "x")
	}
	h.Do("memory", "as", "x", "size", "128", "u32@0", "1000059003", "u32@64", "1000059004", "u32@28", "99")
	if got := call(); got.Result() != 0 || word(t, h, "x", 28) != 7 {
		t.Errorf("plain: %v, %d", got, word(t, h, "x", 28))
	}
	for _, offset := range []int{8, 72} {
		h.Do("memory", "as", "x", "u64@8", "0", "u64@72", "0", "u32@28", "99")
		chained(h, offset)
		if got := call(); got.Result() != formatNotSupported || word(t, h, "x", 28) != 99 {
			t.Errorf("chain at %d: %v, %d", offset, got, word(t, h, "x", 28))
		}
		if seen := w.Log(); len(seen) != 0 {
			t.Errorf("chain at %d: the driver saw %v", offset, seen)
		}
	}
	h.Quit()

	w = world.New(t) // the driver's result is returned
	w.Driver("a", "device name=a", "return vkGetPhysicalDeviceImageFormatProperties -11")
	h = w.Start()
	h.OK("create_instance")
	device = all(h)[0]
	h.Do("memory", "as", "x", "size", "128", "u32@0", "1000059003", "u32@64", "1000059004")
	if got := call(); got.Result() != formatNotSupported || len(w.Log()) != 1 {
		t.Errorf("%v, %v", got, w.Log())
	}
	h.Quit()
}

// elementOf maps a command to the type of the array that it fills.
var elementOf = map[string]string{"vkGetPhysicalDeviceQueueFamilyProperties2": "VkQueueFamilyProperties2",
	"vkGetPhysicalDeviceSparseImageFormatProperties2": "VkSparseImageFormatProperties2"}

// holds: PHY-089 EXT-027 EXT-029 EXT-030
func TestEmulatedArrays(t *testing.T) {
	t.Parallel()
	for _, q := range []struct {
		name, array string
		before      []string // arguments before the count
		total       int
		want        func(i int) uint32
		offset      int
	}{
		{"vkGetPhysicalDeviceQueueFamilyProperties2", "pQueueFamilyProperties", nil, 3, func(int) uint32 { return 15 }, 16},
		{"vkGetPhysicalDeviceSparseImageFormatProperties2", "pProperties", []string{"info"}, 2, func(i int) uint32 { return uint32(1 + i) }, 16},
	} {
		_, h, device := emulating(t)
		h.Do("memory", "as", "info", "size", "64", "u32@0", "1000059008")
		h.Do("memory", "as", "n", "size", "8")
		call := func(count int, array string) uint32 {
			h.Do("memory", "as", "n", "u32@0", fmt.Sprint(count), "u32@4", "99")
			line := []string{"name", q.name, "arg", world.Ref(device)}
			for _, a := range q.before {
				line = append(line, "arg", a)
			}
			h.Do("call", append(line, "arg", "n", "arg", array)...)
			return word(t, h, "n", 0)
		}
		for _, before := range []int{0, 1, 99} {
			if got := call(before, "null"); got != uint32(q.total) {
				t.Errorf("%s: counted %d", q.name, got)
			}
		}
		for room := 0; room <= 4; room++ {
			h.Do("memory", "as", "x", "size", "256", "type@0", elementOf[q.name])
			line := []string{"as", "x"}
			for i := range 5 {
				line = append(line, fmt.Sprintf("u32@%d", 40*i), "1234", fmt.Sprintf("u64@%d", 40*i+8), "0", fmt.Sprintf("u32@%d", 40*i+q.offset), "99")
			}
			h.Do("memory", line...)
			got := call(room, "x")
			want := min(room, q.total)
			if room == 0 {
				want = q.total // EXT-027: counted
			}
			if got != uint32(want) {
				t.Errorf("%s: room %d gives %d, want %d", q.name, room, got, want)
			}
			for i := range 5 {
				value := uint32(99)
				if i < room && i < q.total {
					value = q.want(i)
				}
				if seen := word(t, h, "x", 40*i+q.offset); seen != value {
					t.Errorf("%s: room %d: element %d is %d, want %d", q.name, room, i, seen, value)
				}
				if word(t, h, "x", 40*i) != 1234 {
					t.Errorf("%s: room %d: sType of element %d was changed", q.name, room, i)
				}
			}
		}
		if contains(h.Messages(), "unrecognized") {
			t.Errorf("%s: warned without a chain: %q", q.name, h.Messages())
		}
		chained(h, 48) // of the second element
		call(4, "x")
		said(t, h.Messages(), fmt.Sprintf(ignored, q.name, q.array+"[1].pNext"), 1)
		saidLine(t, h, "WARNING", fmt.Sprintf(ignored, q.name, q.array+"[1].pNext"))
		chained(h, 8+3*40) // beyond the filled elements: no warning
		call(4, "x")
		if contains(h.Messages(), q.array+"[3]") {
			t.Errorf("%s: an element that is not filled is warned about", q.name)
		}
		if q.before != nil {
			h.Do("memory", "as", "info", "ptr@8", "u2")
			call(0, "null")
			said(t, h.Messages(), fmt.Sprintf(ignored, q.name, "pFormatInfo->pNext"), 1)
		}
		untouched(t, h)
		h.Quit()
	}
}

// Drivers whose 1.0 function reports more elements than there is room for.
//
// holds: EXT-030 EXT-027
func TestEmulatedArrayOverclaimed(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a queues=2", "more vkGetPhysicalDeviceQueueFamilyProperties 5",
		"more vkGetPhysicalDeviceSparseImageFormatProperties 5")
	h := w.Start()
	h.OK("create_instance")
	device := world.Ref(all(h)[0])
	for _, q := range [][]string{{"vkGetPhysicalDeviceQueueFamilyProperties2", "n", "x"},
		{"vkGetPhysicalDeviceSparseImageFormatProperties2", "info", "n", "x"}} {
		h.Do("memory", "as", "info", "size", "64")
		h.Do("memory", "as", "n", "size", "8", "u32@0", "2")
		line := []string{"as", "x", "size", "512", "type@0", elementOf[q[0]]}
		for offset := 0; offset < 512; offset += 40 {
			line = append(line, fmt.Sprintf("u32@%d", offset+16), "99", fmt.Sprintf("u64@%d", offset+8), "0")
		}
		h.Do("memory", line[:len(line)-4]...)
		words := []string{"name", q[0], "arg", device}
		for _, a := range q[1:] {
			words = append(words, "arg", a)
		}
		h.Do("call", words...)
		if got := word(t, h, "n", 0); got != 7 { // EXT-027: the driver's value is passed on
			t.Errorf("%s: count %d", q[0], got)
		}
		for i := range 10 {
			if changed := word(t, h, "x", 40*i+16) != 99; changed != (i < 2) {
				t.Errorf("%s: element %d: changed %v", q[0], i, changed)
			}
		}
	}
	h.Quit()
}

// holds: PHY-090 EXT-031 EXT-032 EXT-033
func TestEmulatedExternal(t *testing.T) {
	t.Parallel()
	for _, q := range []struct{ name, info, out string }{
		{"vkGetPhysicalDeviceExternalBufferProperties", "pExternalBufferInfo->pNext", "pExternalBufferProperties->pNext"},
		{"vkGetPhysicalDeviceExternalSemaphoreProperties", "pExternalSemaphoreInfo->pNext", "pExternalSemaphoreProperties->pNext"},
		{"vkGetPhysicalDeviceExternalFenceProperties", "pExternalFenceInfo->pNext", "pExternalFenceProperties->pNext"},
	} {
		_, h, device := emulating(t)
		h.Do("memory", "as", "x", "size", "96", "type@64", "Vk"+strings.TrimPrefix(q.name, "vkGetPhysicalDevice"), "u32@64", "4321", "u32@80", "9", "u32@84", "9", "u32@88", "9", "u32@92", "171")
		call := func() {
			h.Do("call", "name", q.name, "arg", world.Ref(device), "arg", "x", "arg", "x+64")
		}
		call()
		for i, want := range []uint32{0, 0, 0, 171} {
			if got := word(t, h, "x", 80+4*i); got != want {
				t.Errorf("%s: word %d is %d, want %d", q.name, i, got, want)
			}
		}
		if word(t, h, "x", 64) != 4321 {
			t.Errorf("%s: sType was changed", q.name)
		}
		if contains(h.Messages(), "unrecognized") {
			t.Errorf("%s: warned without a chain: %q", q.name, h.Messages())
		}
		chained(h, 8)
		call()
		said(t, h.Messages(), fmt.Sprintf(ignored, q.name, q.info), 1)
		chained(h, 72)
		call()
		said(t, h.Messages(), fmt.Sprintf(ignored, q.name, q.info), 2)
		said(t, h.Messages(), fmt.Sprintf(ignored, q.name, q.out), 1)
		saidLine(t, h, "WARNING", fmt.Sprintf(ignored, q.name, q.out))
		untouched(t, h)
		h.Quit()
	}
}
