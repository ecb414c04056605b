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
		d.lines = append(make([]uint32, 0, 64), 0)
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
	return equalFold(v.Name(), name)
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
	i := 0
	out := make([]byte, 0, len(s))
	put := func(c byte) {
		if value && spelled(c) {
			const digits = "0123456789abcdef"
			out = append(out, 'u', '0', '0', digits[c>>4], digits[c&15])
			return
		}
		out = append(out, c)
	}
	for i < len(s) {
		c := s[i]
		if c == 0 {
			break
		}
		if c != '\\' {
			put(c)
			i++
			continue
		}
		switch e := s[i+1]; e {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			code, size := unicodeEscape(s[i:])
			if code == 0 { // FUZ-012
				return string(out)
			}
			if code < 0x80 {
				put(byte(code))
			} else {
				out = append(out, string(code)...)
			}
			i += size
			continue
		default:
			out = append(out, e)
		}
		i += 2
	}
	return string(out)
}

// spelled tells whether a value has a control character as five characters: it has no short escape (LAY-19).
func spelled(c byte) bool { return c < 8 || c == 11 || c > 13 && c < 0x20 }
