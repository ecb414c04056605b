package cli

import (
	"encoding/json"
	"io"
	"strings"

	"vkloader/internal/tool/term"
)

// writeJSON prints an answer as JSON.
func writeJSON(s *invocation, value any) error {
	if s.answered != nil {
		s.answered(value)
	}
	text, err := encodeJSON(value)
	if err == nil {
		_, err = io.WriteString(term.Raw(s.out), text)
	}
	return err
}

// encodeJSON is JSON for people to read as well: indented, without escapes for HTML's sake, and with what could command a
// terminal escaped.
func encodeJSON(value any) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return term.Escaped(text.String()), err
}
