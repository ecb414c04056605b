package validation

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
)

const emptyFile = "the file is empty"

// encoding returns the reason why a file is not JSON, by its first bytes; "": there is none. JSON begins with ASCII, so
// zero bytes there show an encoding with wider characters.
func encoding(text string) string {
	begins := func(with string) bool { return strings.HasPrefix(text, with) }
	switch {
	case strings.TrimSpace(text) == "":
		return emptyFile
	case begins("\xff\xfe"), begins("\xfe\xff"), begins("\x00\x00\xfe\xff"), len(text) >= 4 &&
		strings.ContainsRune(text[:4], 0):
		return "the file is UTF-16 or UTF-32: loaders read UTF-8"
	case begins("\x7fELF"):
		return "the file is an ELF file, such as a library: a manifest is JSON text"
	case begins("\x1f\x8b"), begins("\xfd7zXZ"), begins("\x28\xb5\x2f\xfd"), begins("PK\x03\x04"):
		return "the file is compressed: loaders read plain text"
	}
	return ""
}

// isText reports whether a file that is not JSON is text.
func isText(text string) bool {
	return !strings.ContainsFunc(text[:min(len(text), 512)], func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f'
	})
}

// strict reports syntax that the loader accepts and JSON does not (LAY-11 to LAY-19), and syntax that JSON parsers
// treat differently.
func (c *checker) strict(text string, doc *document.Document) {
	offset := 0
	if strings.HasPrefix(text, "\xef\xbb\xbf") {
		c.find(diag.FileDialect, 1, 1, "a byte-order mark"+laxer)
		offset = 3
	}
	var any json.RawMessage
	err := json.Unmarshal([]byte(text[offset:]), &any)
	if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
		line, column := place(text, offset+int(max(wrong.Offset, 1))-1)
		c.find(diag.FileDialect, line, column, laxFault(wrong.Error())+laxer)
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
		c.find(diag.FileDialect, line, column, "a byte that is not UTF-8"+laxer)
	}
	c.members(doc.Top())
}

// laxFault describes a syntax error that only the loader accepts, from a parser's message.
func laxFault(message string) string {
	if rest, is := strings.CutPrefix(message, "invalid character '"); is {
		character, _, _ := strings.Cut(rest, "' ")
		return "JSON does not allow the character '" + character + "' here"
	}
	return "JSON does not allow this text"
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
				c.at(diag.FileDuplicate, m,
					"the member %q is already in line %d: the loader takes the first, most readers take the last",
					m.Name(), line)
			} else {
				seen[key] = m
			}
		}
		c.members(m)
	}
}
