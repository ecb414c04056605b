package term

import "testing"

func TestNameDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ac", 1}, {"ac", "abc", 1},
		{"ICD_FILENAME", "ICD_FILENAMES", 1}, {"drivers", "driver_s", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"lsit", "list", 1}, {"abcd", "badc", 2},
	} {
		if got := NameDistance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
