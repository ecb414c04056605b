package validation

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
)

// strict reports syntax that the loader accepts and JSON does not (LAY-11 to LAY-19), and syntax that JSON parsers treat
// differently.
func (c *checker) strict(text string, doc *document.Document) {
	offset := 0
	if strings.HasPrefix(text, "\xef\xbb\xbf") {
		c.find(diag.FileDialect, 1, 1, byteOrderMark)
		offset = 3
	}
	var any json.RawMessage
	err := json.Unmarshal([]byte(text[offset:]), &any)
	if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
		line, column := place(text, offset+int(max(wrong.Offset, 1))-1)
		c.find(diag.FileDialect, line, column, notStrict(wrong.Error()))
	}
	if !utf8.ValidString(text) {
		at := 0
		for at < len(text) {
			r, size := utf8.DecodeRuneInString(text[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		line, column := place(text, at)
		c.find(diag.FileDialect, line, column, noUTF8)
	}
	c.members(doc.Top())
}

// place returns the line and column of a byte, counted from 1 as in package document.
func place(text string, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}

// members reports members of one object with equal names, ignoring case. The loader uses the first (LAY-12).
func (c *checker) members(v document.Value) {
	object := v.IsObject()
	seen := map[string]document.Value{}
	for m := v.First(); m.Exists(); m = m.Next() {
		if object {
			key := strings.ToLower(m.Name())
			if first, twice := seen[key]; twice {
				line, _ := first.Position()
				c.at(diag.FileDuplicate, m, duplicate{m.Name(), line})
			} else {
				seen[key] = m
			}
		}
		c.members(m)
	}
}
