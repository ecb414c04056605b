package doctor

import "testing"

// A line of the loader's log is a sentence about its file.
func TestLinesAsSentences(t *testing.T) {
	t.Parallel()
	const file = "/d/x.json"
	for line, want := range map[string]string{
		"loader_get_json: Failed to open JSON file " + file:                                                                 "failed to open it",
		"loader_get_json: Failed to read entire JSON file " + file:                                                          "failed to read all of it",
		"loader_get_json: Failed to read file size of JSON file " + file:                                                    "failed to read its size",
		"loader_get_json: JSON file " + file + " is not a regular file":                                                     "it is not a regular file",
		"loader_get_json: JSON file " + file + " is not read: it was read too often by other names":                         "it is not read: it was read too often by other names",
		"loader_get_json: Invalid JSON file " + file + ".":                                                                  "it has invalid JSON.",
		"loader_add_layer_properties: Can not find 'layer' object in manifest JSON file " + file + ".  Skipping this file.": "can not find 'layer' object in it.  Skipping this file.",
	} {
		if got := plain(line, file); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
