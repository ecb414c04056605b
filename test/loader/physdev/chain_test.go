package physdev

import (
	"fmt"
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// Types of structures in a chain before a device group: one that the registry has, and two that it lacks.
const (
	features2Type  = "1000059000"
	groupType      = "1000070001"
	unknownOf64    = "2147483001"
	unknownOf256   = "2147483010" // the driver logs its last word
	lastOfFeatures = "232"        // inheritedQueries
)

// grouped makes a program's chain that begins at "c0", has structures with the given sTypes, and ends with the device
// group "g".
func grouped(h *world.Host, members []int, types ...string) {
	h.Do("memory", "as", "members", "size", "16", "ptr@0", world.Ref(members[0]), "ptr@8", world.Ref(members[1]))
	h.Do("memory", "as", "g", "size", "32", "u32@0", groupType, "u32@16", "2", "ptr@24", "members")
	next := "g"
	for i := len(types) - 1; i >= 0; i-- {
		name := fmt.Sprint("c", i)
		words := []string{"as", name, "size", "256", "u32@0", types[i], "ptr@8", next}
		switch types[i] {
		case features2Type:
			words = append(words, "u32@"+lastOfFeatures, "1")
		case unknownOf256:
			words = append(words, "u32@252", "4711")
		}
		h.Do("memory", words...)
		next = name
	}
}

// The loader does not write to a program's chain, so the chain may be constant and shared by threads. The driver gets the group with
// its own handles in its place, after all known and unknown structures before it (DEV-030).
//
// holds: DEV-027 DEV-029 DEV-030 EXT-039
func TestConstantGroupOfADevice(t *testing.T) {
	t.Parallel()
	for name, words := range map[string][]string{
		"first":                {},
		"behind a known":       {"features2", "1"},
		"at the end of memory": {"unknown_edge", "2147483005", "features2", "1", "unknown_edge", "2147483006"},
		"behind unknown":       {"unknown", unknownOf64, "features2", "1", "unknown", "2147483002"},
	} {
		for _, layered := range []bool{false, true} {
			w := world.New(t)
			w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
			w.Driver("a", "device name=x", "device name=y", "group x y").API("1.1.0")
			create := []string{"api", "1.1.0"}
			if layered {
				w.ExplicitLayer("VK_LAYER_wrap", "wrap physdev")
				w.ExplicitLayer("VK_LAYER_plain")
				create = append(create, "layer", "VK_LAYER_wrap", "layer", "VK_LAYER_plain")
			}
			h := w.Start()
			h.OK("create_instance", create...)
			d := all(h)
			h.OK("create_device", append(slices.Clone(words), "pd", world.Ref(d[0]), "readonly", "1",
				"group", world.Ref(d[1])+","+world.Ref(d[0]), "unknown", "2147483003")...)
			made := w.Log().By("a").Fn("vkCreateDevice")
			if len(made) != 1 || !slices.Equal(made[0].Strings("group"), []string{"physical_device:2", "physical_device:1"}) {
				t.Fatalf("%s: the driver saw %v", name, made)
			}
			var want []string
			for i := 0; i < len(words); i += 2 {
				want = append(want, map[bool]string{true: features2Type, false: words[i+1]}[words[i] == "features2"])
			}
			want = append(want, groupType, "2147483003")
			next := made[0].Strings("next")
			if got := next[max(0, len(next)-len(want)):]; !slices.Equal(got, want) {
				t.Errorf("%s: the driver saw the chain %v, want %v at its end", name, next, want)
			}
			h.Do("destroy_device")
			h.Do("destroy_instance")
			h.Quit()
		}
	}
}

// Threads that create devices from one chain see it complete, with every byte of the structures before the group.
//
// holds: DEV-029 DEV-030
func TestSharedGroupOfDevices(t *testing.T) {
	t.Parallel()
	for _, types := range [][]string{{}, {features2Type}, {unknownOf256, features2Type}, {unknownOf64, unknownOf64, unknownOf256}} {
		w := world.New(t)
		w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
		w.Driver("a", "device name=x", "device name=y", "group x y", "steady").API("1.1.0")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		d := all(h)
		grouped(h, d, types...)
		chain := "g"
		if len(types) > 0 {
			chain = "c0"
		}
		before := h.Do("peek", "ref", chain, "size", "16").Text("bytes")
		h.Do("script", "as", "life",
			"line", "create_device as=d%t chain="+chain+" pd="+world.Ref(d[0]),
			"line", "destroy_device name=d%t")
		if bad := h.Do("run", "script", "life", "threads", "8", "times", "25").Int("bad"); bad != 0 {
			t.Errorf("%v: %d threads failed", types, bad)
		}
		if after := h.Do("peek", "ref", chain, "size", "16").Text("bytes"); after != before {
			t.Errorf("%v: the chain was %s and is %s", types, before, after)
		}
		h.Do("destroy_instance")
		h.Quit()
		made := w.Log().By("a").Fn("vkCreateDevice")
		if len(made) != 200 {
			t.Errorf("%v: %d devices", types, len(made))
		}
		for _, m := range made {
			if !slices.Equal(m.Strings("group"), []string{"physical_device:1", "physical_device:2"}) ||
				slices.Contains(types, features2Type) && m.Int("features2") != 1 || slices.Contains(types, unknownOf256) && m.Int("unknown256") != 4711 {
				t.Fatalf("%v: the driver saw %v", types, m)
			}
		}
	}
}
