package plan

import (
	"math/rand"
	"strings"
	"testing"
)

// Names that occur in a text are found wherever they begin and end, also within one another.
//
// holds: LAY-146
func TestPartsOf(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	word := func(most int) string {
		b := make([]byte, random.Intn(most+1))
		for i := range b {
			b[i] = "ab\xff"[random.Intn(3)]
		}
		return string(b)
	}
	hits := 0
	for range 20000 {
		text, names := word(24), make([]string, random.Intn(7))
		for i := range names {
			names[i] = word(6)
		}
		for i, found := range partsOf(text, names) {
			if found != strings.Contains(text, names[i]) {
				t.Fatalf("%q in %q: %v (names %q)", names[i], text, found, names)
			}
			if found {
				hits++
			}
		}
	}
	if hits < 10000 {
		t.Errorf("only %d were found", hits)
	}
}
