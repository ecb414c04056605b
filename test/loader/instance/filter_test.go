package instance

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: INS-010 INS-053 LAY-272
func TestSwitchOfTheExtensionFilter(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "ext VK_XX_unknown 1")
	h := w.Start()
	for _, c := range []struct {
		value string
		off   bool
	}{
		{"", false}, {"0", false}, {"00", false}, {"-0", false}, {"x1", false}, {"true", false}, {" ", false}, {"0x1", false},
		{"1", true}, {"9", true}, {"10", true}, {" 7", true}, {"\t2", true}, {"-1", true}, {"+3", true}, {"01", true}, {"8z", true}, {"09", true},
	} {
		h.Do("setenv", "name", "VK_LOADER_DISABLE_INST_EXT_FILTER", "value", c.value)
		list := h.OK("instance_extensions").Strings("extensions")
		if got := slices.Contains(list, "VK_XX_unknown"); got != c.off {
			t.Errorf("%q: the unknown extension is listed: %v", c.value, got)
		}
		want := -7
		if c.off {
			want = 0
		}
		a := h.Do("create_instance", "ext", "VK_XX_unknown")
		if a.Result() != want {
			t.Errorf("%q: creation gives %d, want %d", c.value, a.Result(), want)
		}
		if a.Result() == 0 {
			h.Do("destroy_instance")
		}
	}
	h.Quit()
}

// A driver's list has names that fill their field, without a NUL.
//
// holds: FUZ-040 FUZ-044
func TestNamesWithoutAnEnd(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	long := "VK_XX_" + strings.Repeat("y", 250)
	w.Driver("one", "device name=a", "ext "+long+" 1", "ext "+long+" 1", "ext VK_KHR_surface 25", "ext "+long[:255]+"z 1")
	w.Env["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
	h := w.Start()
	if n := h.OK("instance_extensions").Int("count"); n != 6 && n != 7 { // the last byte may count or not
		t.Errorf("%d extensions, want one or two of the three long ones, VK_KHR_surface and the loader's four", n)
	}
	if r := h.Do("create_instance", "ext", long).Result(); r != -7 {
		t.Errorf("a name of 256 bytes gives %d", r)
	}
	h.OK("create_instance", "ext", "VK_KHR_surface")
	h.Quit()
}
