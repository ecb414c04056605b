package loader_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/tools/vkgen/loader"
)

// list reads a list of testdata: fields of each line that is no remark.
func list(t *testing.T, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	columns := 1
	switch name {
	case "core.txt", "device-extensions.txt", "gated.txt":
		columns = 2
	}
	for i, l := range strings.Split(string(data), "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		fields := strings.Fields(l)
		if len(fields) < columns {
			t.Fatalf("testdata/%s:%d: %q has no second column, which the first line of the file explains", name, i+1, l)
		}
		out = append(out, fields)
	}
	return out
}

func known() map[string]vk.Command {
	out := map[string]vk.Command{}
	for _, c := range vk.Commands {
		out[c.Name] = c
	}
	return out
}

// EXP-006, GPA-011: the core commands, each in its version, all exported.
func TestCore(t *testing.T) {
	all := known()
	core := map[string]bool{}
	for _, f := range list(t, "core.txt") {
		core[f[0]] = true
		c, ok := all[f[0]]
		if !ok || int(c.Minor) != int(f[1][0]-'0') || c.Gate != "" || !c.Exported {
			t.Errorf("%s: %+v, want core 1.%s, exported", f[0], c, f[1])
		}
	}
	if len(core) != 234 {
		t.Errorf("testdata/core.txt has %d names; the number in this test is another", len(core))
	}
	for _, c := range vk.Commands {
		if c.Minor != vk.ExtensionMinor && !core[c.Name] {
			t.Errorf("%s is core, and not in the list: add it to tools/vkgen/loader/testdata/core.txt", c.Name)
		}
	}
}

// EXP-006, EXP-007, EXP-009: exactly these are exported.
func TestExports(t *testing.T) {
	want := map[string]bool{}
	for _, file := range []string{"core.txt", "exports.txt"} {
		for _, f := range list(t, file) {
			want[f[0]] = true
		}
	}
	if len(want) != 269 {
		t.Errorf("testdata/core.txt and exports.txt have %d names; the number in this test is another", len(want))
	}
	for _, c := range vk.Commands {
		if c.Exported != want[c.Name] {
			t.Errorf("%s: exported %t", c.Name, c.Exported)
		}
		delete(want, c.Name)
	}
	for name := range want {
		t.Errorf("%s is not known", name)
	}
}

// GPA-018, GPA-019: the commands of device extensions, without a gate.
func TestDeviceExtensions(t *testing.T) {
	all := known()
	names := list(t, "device-extensions.txt")
	if len(names) != 495 {
		t.Errorf("testdata/device-extensions.txt has %d names; the number in this test is another", len(names))
	}
	for _, f := range names {
		want := vk.Device
		if len(f) > 2 && f[2] == "pd" {
			want = vk.PhysicalDevice
		}
		c, ok := all[f[0]]
		if !ok || c.Kind != want || c.Gate != "" || c.Minor != vk.ExtensionMinor || c.Exported {
			t.Errorf("%s: %+v, want a command of %s, kind %d", f[0], c, f[1], want)
		}
	}
}

// GPA-024 to GPA-034: the gated commands and their gates, and no others.
func TestGated(t *testing.T) {
	want := map[string]string{}
	for _, f := range list(t, "gated.txt") {
		want[f[0]] = f[1]
	}
	for _, c := range vk.Commands {
		if c.Gate != want[c.Name] {
			t.Errorf("%s: gate %q, want %q", c.Name, c.Gate, want[c.Name])
		}
		delete(want, c.Name)
	}
	for name := range want {
		t.Errorf("%s is not known", name)
	}
}

// Each known command is in a list of the statements, with any registry.
func TestNothingElse(t *testing.T) {
	in := map[string]bool{}
	for _, file := range []string{"core.txt", "exports.txt", "device-extensions.txt", "gated.txt"} {
		for _, f := range list(t, file) {
			in[f[0]] = true
		}
	}
	for _, c := range vk.Commands {
		if !in[c.Name] {
			to := "device-extensions.txt"
			if c.Exported {
				to = "exports.txt"
			} else if c.Gate != "" {
				to = "gated.txt"
			}
			t.Errorf("%s of %s is in no list: add it to tools/vkgen/loader/testdata/%s", c.Name, c.Extension, to)
		}
	}
}

// GPA-002: the global commands.
func TestGlobal(t *testing.T) {
	var got []string
	for _, c := range vk.Commands {
		if c.Kind == vk.Global {
			got = append(got, c.Name)
		}
	}
	want := "vkCreateInstance vkEnumerateInstanceExtensionProperties vkEnumerateInstanceLayerProperties vkEnumerateInstanceVersion"
	if strings.Join(got, " ") != want {
		t.Errorf("global commands: %v", got)
	}
}

// knownInstanceExtension reports whether a Linux loader knows an instance extension (INS-008).
func knownInstanceExtension(name string) bool {
	return slices.ContainsFunc(vk.InstanceExtensions[:], func(e vk.InstanceExtension) bool { return e.Name == name && e.Known })
}

// INS-008, GPA-036, GPA-037: the instance extensions that a Linux loader knows.
func TestInstanceExtensions(t *testing.T) {
	want := map[string]bool{}
	for _, f := range list(t, "instance-extensions.txt") {
		want[f[0]] = true
		if !knownInstanceExtension(f[0]) {
			t.Errorf("%s is not known", f[0])
		}
	}
	for _, e := range vk.InstanceExtensions {
		if e.Known && !want[e.Name] {
			t.Errorf("%s is known, and not in the list: add it to tools/vkgen/loader/testdata/instance-extensions.txt", e.Name)
		}
		if e.Known && e.SpecVersion == 0 {
			t.Errorf("%s has no version", e.Name)
		}
	}
	for _, name := range []string{"VK_EXT_directfb_surface", "VK_QNX_screen_surface", "VK_KHR_win32_surface", "VK_KHR_none"} {
		if knownInstanceExtension(name) {
			t.Errorf("%s is known", name)
		}
	}
	if len(want) > 64 {
		t.Error("more gates than bits")
	}
}

// Every hand-written command is known, stands once, and gives its reason; no instance-level command is without a terminator.
func TestHands(t *testing.T) {
	all := known()
	seen := map[string]bool{}
	lower := map[string]bool{}
	elsewhere := map[string]bool{ // those that only a loader for Windows or macOS knows
		"vkCreateMacOSSurfaceMVK": true, "vkCreateMetalSurfaceEXT": true,
		"vkCreateWin32SurfaceKHR": true, "vkGetPhysicalDeviceWin32PresentationSupportKHR": true,
		"vkGetPhysicalDeviceSurfacePresentModes2EXT": true, "vkGetDeviceGroupSurfacePresentModes2EXT": true,
	}
	for _, h := range loader.Hands {
		c, ok := all[h.Command]
		if !ok {
			ok = elsewhere[h.Command]
		}
		if !ok || seen[h.Command] || h.Why == "" || !slices.Contains([]string{"both", "trampoline", "terminator"}, h.Written) {
			t.Errorf("%+v", h)
		}
		if c.Alias != "" && c.Gate != "" && all[c.Alias].Minor != vk.ExtensionMinor {
			t.Errorf("%s shares the ends of %s", h.Command, c.Alias)
		}
		seen[h.Command] = true
		lower[h.Command] = h.Written != "trampoline"
	}
	for _, c := range vk.Commands {
		if c.Kind == vk.Instance && !lower[c.Name] && !lower[c.Alias] {
			t.Errorf("%s has no terminator", c.Name)
		}
	}
}
