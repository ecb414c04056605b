package term

import (
	"fmt"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"short\n", "short\n"},
		{"one two three four five six\n", "one two three four\n    five six\n"},
		{"  one two three four five six\n", "  one two three four\n      five six\n"},
		{"/a/long/path/without/any/space more\n", "/a/long/path/without/any/space\n    more\n"},
		{"label /a/long/path/without/any/space\n", "label\n    /a/long/path/without/any/space\n"},
		{"\x1b[1mone two three four\x1b[0m\n", "\x1b[1mone two three four\x1b[0m\n"},
		{"a\n\nb\n", "a\n\nb\n"},
		{"no end", "no end"},
	} {
		var b strings.Builder
		f := &Wrapper{To: &b, Width: 20}
		for i := range len(c.text) { // in pieces of any size
			fmt.Fprint(f, c.text[i:i+1])
		}
		f.Flush()
		if b.String() != c.want {
			t.Errorf("%q: got %q, want %q", c.text, b.String(), c.want)
		}
	}
	var b strings.Builder
	f := &Wrapper{To: &b}
	fmt.Fprint(f, "a line without width stays as it is")
	if b.String() != "a line without width stays as it is" {
		t.Errorf("%q", b.String())
	}
}
