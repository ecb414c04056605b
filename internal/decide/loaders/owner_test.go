package loaders

import "testing"

// rpm names each package that has a file: one for each machine that shares the file.
func TestAnswerOfRPM(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]owner{
		"vulkan-loader 1.4.309.0-1.fc42\n":                                 {"vulkan-loader", "1.4.309.0-1.fc42"},
		"vulkan-loader 1.4.309.0-1.fc42\nvulkan-loader 1.4.309.0-1.fc42\n": {"vulkan-loader", "1.4.309.0-1.fc42"},
		"vulkan-loader 1.4.309.0-1.fc42\nother 1-1\n":                      {},
		"file /usr/lib64/libvulkan.so.1 is not owned by any package\n":     {},
		"": {},
	} {
		got := owner{}
		if found := rpmAnswer(answer); found != nil {
			got = *found
		}
		if got != want {
			t.Errorf("%q: %v, not %v", answer, got, want)
		}
	}
}
