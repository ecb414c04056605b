package wording

import (
	"encoding/json"
	"testing"
)

// The errors do not contain Go's terms.
func TestMalformed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"b":"c"}}`: "", `{"a":{"b":1}}`: `the member "a.b" has a value of the wrong kind (number)`, `[]`: "a value of another kind (array) is in place of an object",
		"{\n\"a\" 1}": "line 2 is not JSON", " \n": "it is empty", "": "it is empty", "{": "line 1 is not JSON",
	} {
		var into struct {
			A struct {
				B string `json:"b"`
			} `json:"a"`
		}
		got := ""
		if err := Malformed([]byte(text), json.Unmarshal([]byte(text), &into)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
