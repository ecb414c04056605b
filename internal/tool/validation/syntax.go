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

// encoding returns the reason why a file is not JSON, by its first bytes; "": there is none. JSON begins with ASCII, so zero bytes
// there show an encoding with wider characters.
func encoding(text string) string {
	begins := func(with string) bool { return strings.HasPrefix(text, with) }
	switch {
	case strings.TrimSpace(text) == "":
		return emptyFile
	case begins("\xff\xfe"), begins("\xfe\xff"), begins("\x00\x00\xfe\xff"), len(text) >= 4 && strings.ContainsRune(text[:4], 0):
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

// slipAt returns the common error at which the parser stopped, and its place; "" for another error.
func slipAt(text string, fault *document.SyntaxError) (found string, line, column int) {
	at := offsetOf(text, fault.Line, fault.Column)
	rest := text[at:]
	before := strings.TrimRight(text[:at], " \t\r\n")
	line, column = fault.Line, fault.Column
	after := func(what string) bool { return strings.HasSuffix(before, what) }
	begins := func(with string) bool { return strings.HasPrefix(rest, with) }
	switch {
	case rest == "":
		if open := openAt(text); open >= 0 {
			line, column = place(text, open)
			return "the file ends before the object or array that begins here: it is cut off, or a closing brace is missing", line, column
		}
	case begins("//"), begins("/*"):
		return "a comment: JSON has none", line, column
	case begins("#"):
		return "a comment (#): JSON has none", line, column
	case after(",") && (begins("}") || begins("]")):
		line, column = place(text, len(before)-1)
		return "a comma after the last entry: JSON does not allow it", line, column
	case begins(",") && (after(",") || after("[") || after("{")):
		return "two commas with nothing between them", line, column
	case begins("'"):
		return "single quotes: JSON has double quotes only", line, column
	case begins("\u201c"), begins("\u201d"), begins("\u2018"), begins("\u2019"):
		return "typographic quotes: JSON has plain double quotes only", line, column
	case (after("{") || after(",")) && letter(rest[0]) && strings.Contains(firstLine(rest), ":"):
		return "a name without quotes: JSON requires double quotes", line, column
	case begins("\"") && !after(",") && !after("{") && !after("[") && !after(":"):
		return "a comma is missing before this", line, column
	}
	return "", line, column
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// offsetOf returns the offset of a line and column, counted as in place.
func offsetOf(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		at += end + 1
	}
	return min(at+column-1, len(text))
}

// openAt returns the offset of the innermost unclosed object or array; -1 if there is none.
func openAt(text string) int {
	var open []int
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			open = append(open, i)
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 || quoted {
		return -1
	}
	return open[len(open)-1]
}

// strict reports syntax that the loader accepts and JSON does not (LAY-11 to LAY-19), and syntax that JSON parsers treat
// differently.
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
				c.at(diag.FileDuplicate, m, "the member %q is already in line %d: the loader takes the first, most readers take the last",
					m.Name(), line)
			} else {
				seen[key] = m
			}
		}
		c.members(m)
	}
}
