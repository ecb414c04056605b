package cli

import (
	"bytes"
	"testing"
	"time"

	"vkloader/internal/decide/loaders"
)

// The time of an opening lasts from the line before it to the loader's next line.
func TestStartTimes(t *testing.T) {
	start := time.Unix(1000, 0)
	times := loaders.NewLogTimes(start)
	for _, l := range []struct {
		ms   int
		line string
	}{
		{2, "[Vulkan Loader] INFO:           Vulkan Loader Version 1.4.363"},
		{10, "[Vulkan Loader] DEBUG | DRIVER: Searching for ICD drivers named /d/a.so"},
		{13, "[Vulkan Loader] DEBUG | DRIVER: Searching for ICD drivers named /d/b.so"},
		{18, "[Vulkan Loader] DEBUG | DRIVER: Unloading driver library /d/a.so"},
		{500, "[Vulkan Loader] INFO:           vkCreateInstance: Requested 0 instance layer(s):"},
		{510, "[Vulkan Loader] DEBUG | DRIVER: Searching for ICD drivers named /d/a.so"},
		{511, "[Vulkan Loader] DEBUG | LAYER:  Loading layer library libl.so"},
		{515, `[Vulkan Loader] INFO | LAYER:   Insert instance layer "VK_LAYER_l" (/l/libl.so)`},
		{900, "[Vulkan Loader] LAYER:          vkCreateInstance layer callstack setup to:"},
		{901, "a line of something else"},
	} {
		times.Line(l.line, start.Add(time.Duration(l.ms)*time.Millisecond))
	}
	var out bytes.Buffer
	printTimes(&invocation{errOut: &out}, times)
	want := `vkloader: the loader wrote its first line 2.00 ms after the start of the program; opening drivers and layers took 13.0 ms
  opened  name                  times    first      all
  driver  /d/a.so                   2  3.00 ms  4.00 ms
  driver  /d/b.so                   1  5.00 ms  5.00 ms
  layer   VK_LAYER_l (libl.so)      1  4.00 ms  4.00 ms
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}
