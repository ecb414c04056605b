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
	for i, want := range []answer{wanted, notWanted, enough, wanted, wanted} {
		if got := f.ask(); got != want {
			t.Errorf("answer %d: %d, want %d", i, got, want)
		}
	}
	f.all = false
	if f.ask() != enough || strings.Count(out.String(), "Make this change?") != 6 {
		t.Errorf("%q", &out)
	}
}
