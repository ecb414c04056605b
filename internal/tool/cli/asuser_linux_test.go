package cli

import (
	"strings"
	"testing"
)

// Root's terminal gets the tool's own sequences of a process of another user, however they are divided, and no other.
func TestScreen(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{"\x1b[1mgr\u00fcn\x1b[0m\n": "\x1b[1mgr\u00fcn\x1b[0m\n",
		clearScreen + "a\tb\n" + clearScreen: clearScreen + "a\tb\n" + clearScreen,
		"a\x1b[6nb\n":                        "a\ufffd[6nb\n", "a\x1b[2Jb\n": "a\ufffd[2Jb\n",
		"\x1b]52;c;eA==\a\n": "\ufffd]52;c;eA==\ufffd\n", "\u20ac\n": "\u20ac\n"} {
		for size := 1; size <= len(from); size++ {
			var out strings.Builder
			c := &screen{to: &out}
			for at := 0; at < len(from); at += size {
				if _, err := c.Write([]byte(from[at:min(at+size, len(from))])); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d bytes: %q, want %q", from, size, out.String(), want)
			}
		}
	}
}
