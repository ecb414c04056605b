package loaders

import (
	"slices"
	"testing"
)

// A line belongs to the loader if it has one of the loader's tags. Its text keeps leading spaces.
func TestParse(t *testing.T) {
	for text, want := range map[string]LogLine{
		"[Vulkan Loader] ERROR:          b":           {Severity: LogError, Text: "b"},
		"[Vulkan Loader] WARNING | LAYER: a":          {Severity: LogWarning, Text: "a"},
		"[Vulkan Loader] LAYER:             indented": {Text: "   indented"},
		"[Vulkan Loader] DEBUG | DRIVER: Searching for ICD drivers named /d/a.so": {Severity: LogDebug,
			Text: "Searching for ICD drivers named /d/a.so", Kind: DriverOpens, Library: "/d/a.so"},
		`[Vulkan Loader] INFO | LAYER:   Insert instance layer "VK_LAYER_l" (/l/libl.so)`: {Severity: LogInfo,
			Text: `Insert instance layer "VK_LAYER_l" (/l/libl.so)`, Kind: LayerInserted, Name: "VK_LAYER_l"},
		`[Vulkan Loader] DRIVER:                Using "Card "with driver: "x" with driver: "/m/libdriver.so"`: {
			Text: `       Using "Card "with driver: "x" with driver: "/m/libdriver.so"`, Kind: DeviceMade,
			Name: `Card "with driver: "x`, Library: "/m/libdriver.so"},
	} {
		if got, ok := ParseLog(text); !ok || got != want {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "other talk", "[Vulkan Loader]", "[Vulkan Loader] ERROR", "[Vulkan Loader] talk: x",
		"[Vulkan Loader] ERROR | ERROR: x", "x [Vulkan Loader] ERROR: x"} {
		if got, ok := ParseLog(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A repeated line becomes one message.
func TestMessagesOnce(t *testing.T) {
	log := ReadLog("[Vulkan Loader] WARNING | LAYER: a\n[Vulkan Loader] WARNING | LAYER: a\nother talk\n" +
		"[Vulkan Loader] ERROR:          b\n[Vulkan Loader] INFO: c\n")
	if !slices.Equal(log.Messages, []LogMessage{{LogWarning, "a", OtherLine, ""}, {LogError, "b", OtherLine, ""}}) {
		t.Errorf("%+v", log.Messages)
	}
}

// A message after the opening of a library is about this library, unless its line names another driver.
func TestMessagesOfALibrary(t *testing.T) {
	log := ReadLog(LogMark + "DEBUG | DRIVER: Searching for ICD drivers named /d/a.so\n" +
		LogMark + "ERROR:          a.so: cannot open\n" +
		LogMark + "ERROR | DRIVER: loader_icd_scan: Failed loading library\n" +
		LogMark + "DEBUG | DRIVER: Searching for ICD drivers named /d/b.so\n" +
		LogMark + "INFO:           something\n" +
		LogMark + "WARNING:        of something else\n" +
		LogMark + "WARNING:        terminator_CreateInstance: Received return code -3 from call to vkCreateInstance in ICD /d/b.so. Skipping this driver.\n" +
		LogMark + "ERROR:          Failed to open dynamic library \"C:\\d\\\"a\".dll\" with error 998\n")
	var got []string
	for _, m := range log.Messages {
		got = append(got, m.Library)
	}
	if !slices.Equal(got, []string{"/d/a.so", "/d/a.so", "", "/d/b.so", `C:\d\"a".dll`}) || log.Messages[3].Kind != DriverSkipped ||
		log.Messages[4].Kind != Refused {
		t.Errorf("%+v", log.Messages)
	}
}
