package drivers

import (
	"slices"
	"strings"
	"testing"
)

// Every row of the table is valid, has a source and a requirement, and is found by its names.
func TestTableOfWants(t *testing.T) {
	t.Parallel()
	list := Wants()
	if len(list) < 15 || len(list) > 30 || wantsOnce.wrong != nil {
		t.Errorf("%d rows, not understood: %q", len(list), wantsOnce.wrong)
	}
	for _, w := range list {
		if w.API == "" && len(w.Extensions) == 0 {
			t.Errorf("%+v", w)
		}
		for _, name := range append(slices.Clone(w.match), w.key) {
			if got := WantOf("/opt/" + strings.ReplaceAll(name, "*", "1")); got != w {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// Lines without information are rejected.
func TestWrongWants(t *testing.T) {
	t.Parallel()
	const right = "want a | A | 1.1 | - | - | a | s\n"
	for _, line := range []string{"want b | B", "want a | A | 1.1 | - | - | a | s", "want b | B | 1.1 | - | c | b | s", "want b | | 1.1 | - | - | b | s",
		"want b | B | 1.1 | - | - | b |", "other"} {
		if _, wrong := readWants(right + line); len(wrong) != 1 {
			t.Errorf("%q: %q", line, wrong)
		}
	}
}

// Limit compares a chip's last drivers with the requirements of a program and of its older releases.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vendor, device uint32
		program        string
		text           string // "": no limit
		never          bool
		instead        string
	}{
		{0x10de, 0x128b, "dxvk", "NVIDIA's last driver for it, 470, offers Vulkan 1.2, and not 1.3; NVK (Mesa) offers Vulkan 1.2, and not 1.3: no driver for it will ever meet this", true, "DXVK 1.10"},
		{0x10de, 0x128b, "zed", "NVIDIA's last driver for it, 470, never offers VK_KHR_dynamic_rendering; NVK (Mesa) may", false, ""},
		{0x8086, 0x0166, "dxvk-2", "HASVK (Mesa) offers Vulkan 1.2, and not 1.3: no driver for it will ever meet this", true, "DXVK 1.10"},
		{0x8086, 0x0412, "llama-server", "HASVK (Mesa) never offers VK_KHR_16bit_storage: no driver for it will ever meet this", true, ""},
		{0x8086, 0x1616, "dxvk", "HASVK (Mesa) never offers VK_EXT_descriptor_indexing: no driver for it will ever meet this", true, "DXVK 2"},
		{0x8086, 0x1616, "blender", "", false, ""},
		{0x1002, 0x6798, "dxvk-2", "", false, ""},
		{0x10de, 0x1c03, "dxvk", "", false, ""},
		{0x10de, 0x2684, "dxvk", "", false, ""},
		{0x10de, 0x0de1, "ncnn", "no Vulkan driver exists for it", true, ""},
	} {
		chip, want := ChipByPCI(c.vendor, c.device), WantOf(c.program)
		if chip == nil || want == nil {
			t.Errorf("%s on %04x:%04x: unknown", c.program, c.vendor, c.device)
			continue
		}
		text, never := chip.Limit(want)
		instead := ""
		if older := chip.Instead(want); older != nil && never {
			instead = older.Name
		}
		if text != c.text || never != c.never || instead != c.instead {
			t.Errorf("%s on %s: %q, %v, %q", c.program, chip.Name, text, never, instead)
		}
	}
}
