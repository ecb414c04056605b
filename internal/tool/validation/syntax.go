package validation

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
)

// Kinds of files that are not JSON.
const (
	readable    plain = ""
	empty       plain = "the file is empty"
	utf16Little plain = "the file is UTF-16 (little endian): loaders read UTF-8"
	utf16Big    plain = "the file is UTF-16 (big endian): loaders read UTF-8"
	utf32       plain = "the file is UTF-32: loaders read UTF-8"
	elfFile     plain = "the file is an ELF file, such as a library: a manifest is JSON text"
	packed      plain = "the file is compressed: loaders read plain text"
	binaryFile  plain = "the file is not text"
)

// encoding identifies a file by its first bytes. JSON begins with ASCII, so zero bytes there show an encoding with wider
// characters.
func encoding(text string) plain {
	zero := func(at int) bool { return at < len(text) && text[at] == 0 }
	begins := func(with string) bool { return strings.HasPrefix(text, with) }
	switch {
	case strings.TrimSpace(text) == "":
		return empty
	case begins("\xff\xfe\x00\x00"), begins("\x00\x00\xfe\xff"):
		return utf32
	case begins("\xff\xfe"):
		return utf16Little
	case begins("\xfe\xff"):
		return utf16Big
	case begins("\x7fELF"):
		return elfFile
	case begins("\x1f\x8b"), begins("\xfd7zXZ"), begins("\x28\xb5\x2f\xfd"), begins("PK\x03\x04"):
		return packed
	case len(text) >= 4 && (zero(0) && zero(1) && zero(2) || zero(1) && zero(2) && zero(3)):
		return utf32
	case len(text) >= 4 && zero(0) && zero(2):
		return utf16Big
	case len(text) >= 4 && zero(1) && zero(3):
		return utf16Little
	}
	return readable
}

// isText reports whether a file that is not JSON is text.
func isText(text string) bool {
	return !strings.ContainsFunc(text[:min(len(text), 512)], func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f'
	})
}

// Common syntax errors.
const (
	noSlip        plain = ""
	trailingComma plain = "a comma after the last entry: JSON does not allow it"
	lineComment   plain = "a comment: JSON has none"
	hashComment   plain = "a comment (#): JSON has none"
	singleQuotes  plain = "single quotes: JSON has double quotes only"
	curlyQuotes   plain = "typographic quotes: JSON has plain double quotes only"
	bareName      plain = "a name without quotes: JSON requires double quotes"
	missingComma  plain = "a comma is missing before this"
	cutOff        plain = "the file ends before the object or array that begins here: it is cut off, or a closing brace is missing"
	doubleComma   plain = "two commas with nothing between them"
)

// slipAt returns the common error at which the parser stopped, and its place; noSlip for another error.
func slipAt(text string, fault *document.SyntaxError) (found plain, line, column int) {
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
			return cutOff, line, column
		}
	case begins("//"), begins("/*"):
		return lineComment, line, column
	case begins("#"):
		return hashComment, line, column
	case after(",") && (begins("}") || begins("]")):
		line, column = place(text, len(before)-1)
		return trailingComma, line, column
	case begins(",") && (after(",") || after("[") || after("{")):
		return doubleComma, line, column
	case begins("'"):
		return singleQuotes, line, column
	case begins("\u201c"), begins("\u201d"), begins("\u2018"), begins("\u2019"):
		return curlyQuotes, line, column
	case (after("{") || after(",")) && letter(rest[0]) && strings.Contains(firstLine(rest), ":"):
		return bareName, line, column
	case begins("\"") && !after(",") && !after("{") && !after("[") && !after(":"):
		return missingComma, line, column
	}
	return noSlip, line, column
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
