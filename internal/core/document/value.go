package document

import "strconv"

// Value is a value of a document. The zero Value is one that is not there; everything may be asked of it.
type Value struct {
	doc   *Document
	index uint32
}

// Top is the top-level value.
func (d *Document) Top() Value { return Value{d, 0} }

// absent stands for every value that is not there; it is never written to.
var absent node

func (v Value) node() *node {
	if v.doc == nil {
		return &absent
	}
	return &v.doc.nodes[v.index]
}

// Kind is None when the value is not there.
func (v Value) Kind() Kind { return v.node().kind }

// Exists tells whether the value is there.
func (v Value) Exists() bool { return v.doc != nil }

// IsObject tells whether it is an object.
func (v Value) IsObject() bool { return v.Kind() == Object }

// IsTrue tells whether it is the literal true.
func (v Value) IsTrue() bool { return v.Kind() == True }

// Position is where the value starts, line and column from 1; 0, 0 when it is not there.
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

// First is the first element or member value of a container.
func (v Value) First() Value {
	n := v.node()
	if n.kind != Array && n.kind != Object || n.empty {
		return Value{}
	}
	return Value{v.doc, v.index + 1}
}

// Next is the value after this one in its container.
func (v Value) Next() Value {
	next := v.node().next
	if next == 0 {
		return Value{}
	}
	return Value{v.doc, next}
}

// Member finds a member by name without regard to ASCII case; the first of a name counts (LAY-11, LAY-12).
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
	return equalFold(v.Name(), name)
}

// means compares a name with escapes or control characters in it, without decoding more of it than agrees.
func means(written, name string) bool {
	at := 0
	for i := 0; i < len(written) && written[i] != 0; {
		text, size := written[i:i+1], 1
		if written[i] == '\\' {
			text, size = escape(written[i:])
			if size == 0 { // FUZ-012
				break
			}
		}
		if len(name)-at < len(text) || !equalFold(name[at:at+len(text)], text) {
			return false
		}
		at += len(text)
		i += size
	}
	return at == len(name)
}

// escape gives what the escape at the start of a text means, and its size; size 0 for the end of the text.
func escape(s string) (text string, size int) {
	switch e := s[1]; e {
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

// Count is how many elements or members a container has.
func (v Value) Count() int {
	count := 0
	for c := v.First(); c.Exists(); c = c.Next() {
		count++
	}
	return count
}

func equalFold(a, b string) bool {
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

// Name is the member's name.
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

// Text is a string's value; false when the value is no string. It ends at a NUL, and control characters that have no
// short escape come out as the five characters uXXXX (LAY-19).
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

// Raw is the value as it is written; for strings without the quotes.
func (v Value) Raw() string {
	if v.doc == nil {
		return ""
	}
	n := v.node()
	return v.doc.text[n.start:n.end]
}

// Number is a number's value; values out of range become infinite or zero (FUZ-014).
func (v Value) Number() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, _ := strconv.ParseFloat(v.Raw(), 64)
	return f, true
}

// decode takes the escapes out of a text that has something odd. In a value, control characters are spelled (LAY-19).
func decode(s string, value bool) string {
	out := make([]byte, 0, decodeTo(nil, s, value)) // exactly: what is outgrown stays
	decodeTo(&out, s, value)
	return string(out)
}

// decodeTo adds what a text means to out, unless that is nil, and gives its length.
func decodeTo(out *[]byte, s string, value bool) int {
	length := 0
	for i := 0; i < len(s) && s[i] != 0; {
		text, size := s[i:i+1], 1
		if s[i] == '\\' {
			text, size = escape(s[i:])
			if size == 0 {
				break
			}
		}
		if value && spelled(text[0]) {
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

// spelled tells whether a value has a control character as five characters: it has no short escape (LAY-19).
func spelled(c byte) bool { return c < 8 || c == 11 || c > 13 && c < 0x20 }
