package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// The innermost code in a chain of errors counts. An error without a code is wrong usage.
func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{nil, Fine, ""},
		{errors.New("no such option"), Usage, "no such option"},
		{With(Problems), Problems, ""},
		{Problem("%s is missing", "a"), Problems, "a is missing"},
		{fmt.Errorf("b: %w", Unable("a: %w", fs.ErrNotExist)), NotLooked, "b: a: file does not exist"},
	} {
		if got := CodeOf(c.err); got != c.code {
			t.Errorf("%v: %d, want %d", c.err, got, c.code)
		}
		if c.err != nil && c.err.Error() != c.text {
			t.Errorf("got %q, want %q", c.err, c.text)
		}
	}
	if !errors.Is(Unable("a: %w", fs.ErrNotExist), fs.ErrNotExist) {
		t.Error("what it wraps is lost")
	}
}
