package reasons

import "testing"

// The log's lines become sentences about their file, without the name of a loader's function and without the file's state.
func TestPlain(t *testing.T) {
	t.Parallel()
	const file = "/d/x.json"
	for line, want := range map[string]string{
		"loader_get_json: Failed to open JSON file " + file:                                         "failed to open it",
		"loader_get_json: Failed to read entire JSON file " + file:                                  "failed to read all of it",
		"loader_get_json: Failed to read file size of JSON file " + file:                            "failed to read its size",
		"loader_get_json: JSON file " + file + " is not a regular file":                             "it is not a regular file",
		"loader_get_json: JSON file " + file + " is not read: it was read too often by other names": "it is not read: it was read too often by other names",
		"loader_get_json: Invalid JSON file " + file + ".":                                          "it has invalid JSON",
		"Layer \"A\" has both.  Both are not compatible, so skipping this layer":                    "Layer \"A\" has both.  Both are not compatible",
		"Device layers are deprecated. Skipping layer VK_LAYER_x":                                   "Device layers are deprecated. Skipping layer VK_LAYER_x",
		"Layer at C: b.json uses an old version":                                                    "Layer at C: b.json uses an old version",
	} {
		if got := Plain(line, file); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}
