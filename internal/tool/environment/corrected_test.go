package environment

import "testing"

// Only the first and last characters of an entry can be wildcards.
func TestCorrected(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"amd_icd*.json": "amd_icd*", "amd*": "amd*", "*amd*": "*amd*", "*.json": "*.json",
		"a, b": "a,b", "ALL": "~all~", "a*b*,c": "a*,c"} {
		if got := Corrected("VK_LOADER_DRIVERS_DISABLE", value); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}
