package explain

import (
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
	"vkloader/test/lib/inmemory"
)

func askedTree() *inmemory.Tree {
	return &inmemory.Tree{
		Vars: map[string]string{"HOME": "/h", "VK_LOADER_DRIVERS_DISABLE": "a*"},
		Files: map[string]string{
			"/usr/share/vulkan/icd.d/a.json":                               `{"file_format_version":"1.0.0","ICD":{"library_path":"a.so","api_version":"1.3.0"}}`,
			"/h/.config/vulkan//loader_settings.d/vk_loader_settings.json": `{"file_format_version":"1.0.0","settings":{"stderr_log":["all"]}}`,
		},
	}
}

// Without and Lacking change the facts of the same decision.
func TestWithout(t *testing.T) {
	for _, c := range []struct {
		from     facts.Provider
		drivers  int
		settings bool
	}{
		{askedTree(), 0, true},
		{Without(askedTree(), variables.DriversDisable), 1, true},
		{Lacking(askedTree(), []string{"/h/.config/vulkan/loader_settings.d/vk_loader_settings.json"}), 0, false},
	} {
		answer, err := Decide(c.from)
		if err != nil || len(answer.Drivers) != c.drivers || (answer.Settings != nil) != c.settings {
			t.Errorf("%+v: %+v, %v", c, answer, err)
		}
	}
}
