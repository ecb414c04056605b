package wording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Malformed returns a JSON decoder's error about a text, in words that name JSON's terms and not Go's. It returns nil
// for nil.
func Malformed(text []byte, err error) error {
	syntax, kind := (*json.SyntaxError)(nil), (*json.UnmarshalTypeError)(nil)
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("the member %q has a value of the wrong kind (%s)", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("a value of another kind (%s) is in place of an object", kind.Value)
	case len(bytes.TrimSpace(text)) == 0 && err != nil:
		return errors.New("it is empty")
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d is not JSON", 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte{'\n'}))
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is cut off")
	}
	return err
}
