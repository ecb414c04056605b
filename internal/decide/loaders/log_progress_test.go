package loaders

import (
	"slices"
	"testing"
)

// The last lines of the loader show its phase.
func TestProgress(t *testing.T) {
	t.Parallel()
	p := &Progress{}
	for _, c := range []struct{ line, words string }{
		{"a program that talks", "before the program used the loader"},
		{LogMark + "INFO:           Vulkan Loader Version 1.4.363", "while the loader searched for drivers and layers"},
		{LogMark + "DRIVER:         Searching for ICD drivers named /lib/liba.so", "while the loader opened the driver /lib/liba.so"},
		{LogMark + "INFO:           something else", "while the loader searched for drivers and layers"},
		{LogMark + "LAYER:          Loading layer library /lib/libb.so", "while the loader opened the layer /lib/libb.so"},
		{LogMark + `LAYER:          Insert instance layer "VK_LAYER_b" (/lib/libb.so)`, "while an instance was created"},
		{LogMark + `LAYER:          Insert instance layer "VK_LAYER_b" (/lib/libb.so)`, "while an instance was created"},
		{LogMark + "LAYER:          vkCreateInstance layer callstack setup to:", "after the layers of an instance were loaded"},
		{LogMark + "INFO | DRIVER:  linux_read_sorted_physical_devices:", "after the devices were listed"},
		{LogMark + "DRIVER:         vkCreateDevice layer callstack setup to:", "after a device was created, while the program used it"},
		{LogMark + "DRIVER:           ||", "after a device was created, while the program used it"},
		{LogMark + "DEBUG | DRIVER: Unloading driver library /lib/liba.so", "while drivers and layers were unloaded"},
	} {
		p.Line(c.line)
		if got := p.Words(); got != c.words {
			t.Errorf("after %q: %q, want %q", c.line, got, c.words)
		}
	}
	if p.Last != "Unloading driver library /lib/liba.so" || !slices.Equal(p.Layers, []string{"VK_LAYER_b"}) {
		t.Errorf("got %+v", p)
	}
}
