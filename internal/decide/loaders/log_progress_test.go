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
		{LogMark + "LAYER:          vkCreateInstance layer callstack setup to:", "while an instance was created, or its devices were listed"},
		{LogMark + "LAYER:             <Drivers>", "while an instance was created, or its devices were listed"},
		{LogMark + "INFO | DRIVER:  linux_read_sorted_physical_devices:", "after the devices were listed"},
		{LogMark + "DRIVER:         vkCreateDevice layer callstack setup to:", "while a device was created or used"},
		{LogMark + "DRIVER:           ||", "while a device was created or used"},
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

// The loader's error about a layer that a program asks for counts until an instance was created without the layer.
func TestRefusedLayer(t *testing.T) {
	t.Parallel()
	p := &Progress{}
	p.Line(LogMark + `ERROR | LAYER:  Requested layer "VK_LAYER_a" failed to load!`)
	for range 4 {
		p.Line(LogMark + "DEBUG | DRIVER: Unloading driver library /lib/liba.so")
	}
	if BrokenLayer(p.Refused) != "VK_LAYER_a" || BrokenLayer("loader_validate_layers: Layer 0 "+lacksLayer) != "" {
		t.Errorf("%+v", p)
	}
	p.Line(LogMark + "LAYER:          vkCreateInstance layer callstack setup to:")
	p.Line(LogMark + "LAYER:             <Drivers>")
	if p.Refused != "" || p.Last != "vkCreateInstance layer callstack setup to:" {
		t.Errorf("%+v", p)
	}
}

// A failed instance is not an unloading, and its drivers that have no device are known.
func TestProgressOfFailedInstance(t *testing.T) {
	t.Parallel()
	p := &Progress{}
	for _, c := range []struct{ line, words, deviceless string }{
		{"DRIVER:         Searching for ICD drivers named /lib/liba.so", "while the loader opened the driver /lib/liba.so", ""},
		{"DEBUG | DRIVER: Unloading driver library /lib/liba.so", "while the loader searched for drivers and layers", ""},
		{"ERROR | DRIVER: vkCreateInstance: Found no drivers!", "while the loader searched for drivers and layers", "the program gets no driver"},
		{"LAYER:          vkCreateInstance layer callstack setup to:", "while an instance was created, or its devices were listed", ""},
		{"ERROR:          " + noDevice, "while an instance was created, or its devices were listed", "none of the program's drivers has a device"},
		{"DEBUG | DRIVER: Unloading driver library /lib/liba.so", "while an instance was created, or its devices were listed",
			"none of the program's drivers has a device"},
		{"LAYER:          vkCreateInstance layer callstack setup to:", "while an instance was created, or its devices were listed", ""},
		{"DEBUG | DRIVER: Unloading driver library /lib/liba.so", "while drivers and layers were unloaded", ""},
	} {
		if p.Line(LogMark + c.line); p.Words() != c.words || p.Deviceless != c.deviceless {
			t.Errorf("after %q: %q and %q", c.line, p.Words(), p.Deviceless)
		}
	}
}
