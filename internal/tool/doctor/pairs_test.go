package doctor

import "testing"

func TestSizeless(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"VK_LAYER_VALVE_steam_overlay_32", "VK_LAYER_VALVE_steam_overlay_64", true}, {"VK_LAYER_MANGOHUD_overlay_x86", "VK_LAYER_MANGOHUD_overlay_x86_64", true},
		{"VK_LAYER_a_i686", "VK_LAYER_a_x86_64", true}, {"VK_LAYER_a32", "VK_LAYER_a64", true}, {"VK_LAYER_a_32", "VK_LAYER_b_64", false},
	} {
		if got := sizeless(c.a) == sizeless(c.b); got != c.want {
			t.Errorf("%s, %s: %v", c.a, c.b, got)
		}
	}
}
