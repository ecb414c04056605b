package loaders

import "testing"

// Lines of loaders without the mark give the same result as lines with it: of 1.3.239, with another column, and of 1.2.162,
// without a column. A driver's line without a column is not of a loader that has one (microsoft/wslg issue 1492).
func TestOlder(t *testing.T) {
	t.Parallel()
	log := ReadLog(OlderLog("ERROR:            setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config\n" +
		"WARNING: dzn is not a conformant Vulkan implementation, testing use only.\n" +
		"DEBUG | DRIVER:   Searching for ICD drivers named /lib/a.so\nWARNING:          odd\nNOTE: the program's\nERROR without an end\n"))
	want := []LogMessage{{LogError, "setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config", NoDevice, ""},
		{LogWarning, "odd", 0, "/lib/a.so"}}
	if used := ReadLog(OlderLog("DRIVER | LAYER:          Using \"Card\" with driver: \"/lib/a.so\"\n")).Used; len(used) != 1 || used[0].Library != "/lib/a.so" {
		t.Errorf("%+v", used)
	}
	if m := ReadLog(OlderLog("ERROR: setupLoaderTermPhysDevs:  Failed to detect any valid GPUs in the current config\n")).Messages; len(m) != 1 ||
		m[0].Kind != NoDevice {
		t.Errorf("%+v", m)
	}
	if len(log.Messages) != len(want) {
		t.Fatalf("%+v", log.Messages)
	}
	for i, m := range log.Messages {
		if m != want[i] {
			t.Errorf("%+v, want %+v", m, want[i])
		}
	}
}
