package cli

import (
	"encoding/json"
	"io"
	"strings"
)

// writeJSON prints an answer as JSON.
func writeJSON(s *surroundings, value any) error {
	if s.answered != nil {
		s.answered(value)
	}
	text, err := encodeJSON(value)
	if err == nil {
		_, err = io.WriteString(s.out, text)
	}
	return err
}

// encodeJSON is JSON for people to read as well: indented, and without escapes for HTML's sake.
func encodeJSON(value any) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return text.String(), err
}
