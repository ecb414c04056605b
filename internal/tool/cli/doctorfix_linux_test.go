package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// Every step asks a question until "all"; the end of the input ends the questions.
func TestFixAsks(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	f := &fixer{invocation: &invocation{out: &out}, answers: bufio.NewScanner(strings.NewReader("what\nY\nno\nq\nall\n"))}
	for i, want := range [][2]bool{{true, false}, {false, false}, {false, true}, {true, false}, {true, false}} {
		if wanted, enough := f.ask(); wanted != want[0] || enough != want[1] {
			t.Errorf("answer %d: %t %t, want %t", i, wanted, enough, want)
		}
	}
	f.Yes = false
	if _, enough := f.ask(); !enough || strings.Count(out.String(), "Make this change?") != 6 {
		t.Errorf("%q", &out)
	}
}
