package windows

import "testing"

func TestErrorInWords(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"error 126": "error 126 (the library, or one that it needs, is not found)",
		`Failed to open dynamic library "C:\error 5\a.dll" with error 998`: `Failed to open dynamic library "C:\error 5\a.dll" with error 998 (its start code crashes)`,
		"error 4294967296000000000000":                                     "error 4294967296000000000000",
		"error 12345":                                                      "error 12345",
		"failed with error code 126":                                       "failed with error code 126",
		"terror 126":                                                       "terror 126",
		"":                                                                 "",
	} {
		if got := ErrorInWords(message); got != want {
			t.Errorf("%q: %q", message, got)
		}
	}
}
