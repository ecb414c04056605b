package document

import "strconv"

// Value is a value of a document. The zero Value is absent; all methods accept it.
type Value struct {
	doc   *Document
	index uint32
}

// Top returns the top-level value.
func (d *Document) Top() Value { return Value{d, 0} }

// absent is the node of an absent value; it is never written.
var absent node

func (v Value) node() *node {
	if v.doc == nil {
		return &absent
	}
	return &v.doc.nodes[v.index]
}

// Kind returns the kind of the value; None if it is absent.
func (v Value) Kind() Kind { return v.node().kind }

// Exists reports whether the value is present.
func (v Value) Exists() bool { return v.doc != nil }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.Kind() == Object }

// IsTrue reports whether the value is the literal true.
func (v Value) IsTrue() bool { return v.Kind() == True }

// Position returns the line and column of the value's start, counted from 1; 0, 0 if it is absent.
func (v Value) Position() (line, column int) {
	if v.doc == nil {
		return 0, 0
	}
	d, at := v.doc, v.node().start
	if v.Kind() == String {
		at-- // the quote
	}
	if d.lines == nil {
		count := 1
		for i := 0; i < len(d.text); i++ {
			if d.text[i] == '\n' {
				count++
			}
		}
		d.lines = append(make([]uint32, 0, count), 0)
		for i := 0; i < len(d.text); i++ {
			if d.text[i] == '\n' {
				d.lines = append(d.lines, uint32(i)+1)
			}
		}
	}
	low, high := 0, len(d.lines) // the last line that starts at or before the place
	for high-low > 1 {
		if middle := (low + high) / 2; d.lines[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low + 1, int(at-d.lines[low]) + 1
}

// First returns the first element or member value of a container.
func (v Value) First() Value {
	n := v.node()
	if n.kind != Array && n.kind != Object || n.empty {
		return Value{}
	}
	return Value{v.doc, v.index + 1}
}

// Next returns the next value of the container.
func (v Value) Next() Value {
	next := v.node().next
	if next == 0 {
		return Value{}
	}
	return Value{v.doc, next}
}

// Member returns the first member with a name, ignoring ASCII case (LAY-11, LAY-12).
func (v Value) Member(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	for m := v.First(); m.Exists(); m = m.Next() {
		if m.hasName(name) {
			return m
		}
	}
	return Value{}
}

func (v Value) hasName(name string) bool {
	n := v.node()
	if n.length < uint32(len(name)) || !n.oddName && n.length > uint32(len(name)) {
		return false
	}
	if n.oddName {
		return means(v.doc.text[n.name:n.name+n.length], name)
	}
	return EqualFold(v.Name(), name)
}

// means compares a name that needs decoding, and stops at the first difference.
func means(written, name string) bool {
	at := 0
	for i := 0; i < len(written) && written[i] != 0; {
		text, size := character(written[i:])
		if size == 0 { // FUZ-012
			break
		}
		if len(name)-at < len(text) || !EqualFold(name[at:at+len(text)], text) {
			return false
		}
		at += len(text)
		i += size
	}
	return at == len(name)
}

// character decodes the byte or escape at the start of a text and returns its size; 0 for a NUL's escape, which ends
// the text.
func character(s string) (text string, size int) {
	if s[0] != '\\' {
		return s[:1], 1
	}
	switch s[1] {
	case 'b':
		return "\b", 2
	case 'f':
		return "\f", 2
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case 'u':
		code, size := unicodeEscape(s)
		if code == 0 { // FUZ-012
			return "", 0
		}
		return string(code), size
	}
	return s[1:2], 2
}

// Count returns the number of elements or members of a container.
func (v Value) Count() int {
	count := 0
	for c := v.First(); c.Exists(); c = c.Next() {
		count++
	}
	return count
}

// EqualFold reports whether two texts are equal, ignoring ASCII case.
func EqualFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// Name returns the member's name.
func (v Value) Name() string {
	if v.doc == nil {
		return ""
	}
	n := v.node()
	name := v.doc.text[n.name : n.name+n.length]
	if !n.oddName {
		return name
	}
	return decode(name, false)
}

// Text returns the value of a string, or false. The text ends at a NUL. Control characters without a short escape
// become the five characters uXXXX (LAY-19).
func (v Value) Text() (string, bool) {
	n := v.node()
	if n.kind != String {
		return "", false
	}
	text := v.doc.text[n.start:n.end]
	if n.odd {
		text = decode(text, true)
	}
	return text, true
}

// Raw returns the source text of the value; for strings, without quotes.
func (v Value) Raw() string {
	if v.doc == nil {
		return ""
	}
	n := v.node()
	return v.doc.text[n.start:n.end]
}

// Number returns the value of a number, or false. Values out of range become infinite or zero (FUZ-014).
func (v Value) Number() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, _ := strconv.ParseFloat(v.Raw(), 64)
	return f, true
}

// decode replaces the escapes of a text. In a value, control characters become five characters (LAY-19).
func decode(s string, value bool) string {
	out := make([]byte, 0, decodeTo(nil, s,
		value)) // the exact size: in the library, an outgrown buffer is not freed before the call ends
	decodeTo(&out, s, value)
	return string(out)
}

// decodeTo appends the decoded text to out, unless that is nil, and returns its length.
func decodeTo(out *[]byte, s string, value bool) int {
	length := 0
	for i := 0; i < len(s) && s[i] != 0; {
		text, size := character(s[i:])
		if size == 0 {
			break
		}
		if value && isLongControl(text[0]) {
			const digits = "0123456789abcdef"
			length += 5
			if out != nil {
				*out = append(*out, 'u', '0', '0', digits[text[0]>>4], digits[text[0]&15])
			}
		} else {
			length += len(text)
			if out != nil {
				*out = append(*out, text...)
			}
		}
		i += size
	}
	return length
}

// isLongControl reports whether a control character becomes five characters in a value: it has no short escape
// (LAY-19).
func isLongControl(c byte) bool { return c < 8 || c == 11 || c > 13 && c < 0x20 }
