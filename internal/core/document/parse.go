package document

// Kind is the type of a value.
type Kind uint8

// Kinds of values. None is the kind of an absent value.
const (
	None Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

// depthLimit is the deepest accepted nesting (FUZ-015).
const depthLimit = 1000

// numberLimit is the number of characters of a number that are parsed (FUZ-014).
const numberLimit = 63

// node is a value; the children of a container follow it directly and are linked by next.
type node struct {
	start, end   uint32 // of the value's text; for strings without the quotes
	name, length uint32 // of the member's name, without the quotes
	next         uint32 // the next sibling, 0: none
	kind         Kind
	empty        bool // a container without children
	odd, oddName bool // the string, or the name, has a backslash or control character and needs decoding
}

// Document is a parsed text.
type Document struct {
	text  string
	nodes []node
	stack []openContainer // of the parser

	lines []uint32 // starts of lines; built on demand
}

// openContainer is a container whose end has not been reached.
type openContainer struct{ container, last uint32 }

// SyntaxError is the place and kind of a syntax error.
type SyntaxError struct {
	Line, Column int
	Slip         Slip
}

// Slip is the kind of a syntax error.
type Slip uint8

// Kinds of syntax errors.
const (
	TooLarge      Slip = iota // the file
	NoValue                   // the text ends where a value is expected
	TooDeep                   // more than 1000 containers in each other
	MinusAlone                // a minus sign without a number
	NotAValue                 // a character that starts no value
	OpenContainer             // the text ends inside an object or array
	NoBrace                   // neither a comma nor a closing brace follows
	NoBracket                 // neither a comma nor a closing bracket follows
	NoName                    // no member name in double quotes
	NoColon                   // no colon after the member name
	OpenString                // the text ends inside a string
	BrokenEscape              // of \u
	UnknownEscape
)

// parser is the state of Parse.
type parser struct {
	text  string
	at    int
	nodes []node
	stack []openContainer
	slip  Slip
}

// Parse parses a text. Text after the first complete value is ignored (FUZ-003).
func Parse(text string) (*Document, *SyntaxError) {
	d := &Document{}
	if fault := d.Read(text); fault != nil {
		return nil, fault
	}
	return d, nil
}

// Size returns the length of the text, in bytes.
func (d *Document) Size() int { return len(d.text) }

// Read parses a text into d and reuses its memory. Values of the previous text become invalid. After a fault the
// document is empty.
func (d *Document) Read(text string) *SyntaxError {
	d.text, d.nodes, d.lines = "", d.nodes[:0], nil
	if uint64(len(text)) >= 1<<32-8 {
		return &SyntaxError{1, 1, TooLarge}
	}
	if cap(d.nodes) == 0 {
		d.nodes = make([]node, 0, 16+len(text)/32)
	}
	p := parser{text: text, nodes: d.nodes, stack: d.stack[:0]}
	if len(text) >= 3 && text[:3] == "\xef\xbb\xbf" { // FUZ-001
		p.at = 3
	}
	good := p.value()
	d.nodes, d.stack = p.nodes, p.stack[:0]
	if !good {
		d.nodes = d.nodes[:0]
		line, column := position(text, p.at)
		return &SyntaxError{line, column, p.slip}
	}
	d.text = text
	return nil
}

// add appends a node. If the list is full, its new capacity is computed from the rest of the text, so that it grows
// only once: in the library, the memory of the old list is not freed before the call ends.
func (p *parser) add(n node) {
	if len(p.nodes) == cap(p.nodes) {
		nodes := make([]node, len(p.nodes), len(p.nodes)+2+valuesIn(p.text[p.at:]))
		copy(nodes, p.nodes)
		p.nodes = nodes
	}
	p.nodes = append(p.nodes, n)
}

// valuesIn returns an upper bound of the number of values that begin in a text. Each value is the first of a container
// or follows a comma, and so takes at least two bytes. The text must not begin inside a string.
func valuesIn(text string) int {
	count, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++
			}
		case c == ',' || c == '[' || c == '{':
			count++
		}
	}
	return min(count, len(text)/2)
}

func (p *parser) fail(slip Slip) bool {
	p.slip = slip
	return false
}

// space skips white space: every byte up to 0x20 (FUZ-002).
func (p *parser) space() {
	for p.at < len(p.text) && p.text[p.at] <= ' ' {
		p.at++
	}
}

// value parses the top-level value without recursion, with a stack of the open containers.
func (p *parser) value() bool {
	var member node // name of the member whose value comes next
	for {
		// A value is expected here.
		p.space()
		if p.at >= len(p.text) {
			return p.fail(NoValue)
		}
		index := uint32(len(p.nodes))
		n := member
		member = node{}
		n.start = uint32(p.at)
		if len(p.stack) > 0 {
			top := &p.stack[len(p.stack)-1]
			if top.last != 0 {
				p.nodes[top.last].next = index
			}
			top.last = index
		}
		switch c := p.text[p.at]; {
		case c == '{' || c == '[':
			if len(p.stack) == depthLimit {
				return p.fail(TooDeep)
			}
			n.kind = Array
			closing := byte(']')
			if c == '{' {
				n.kind = Object
				closing = '}'
			}
			p.at++
			p.space()
			if p.at < len(p.text) && p.text[p.at] == closing {
				p.at++
				n.empty = true
				n.end = uint32(p.at)
				p.add(n)
				break
			}
			p.add(n)
			p.stack = append(p.stack, openContainer{container: index})
			if n.kind == Object && !p.name(&member) {
				return false
			}
			continue
		case c == '"':
			p.at++
			start := p.at
			odd, ok := p.scanString()
			if !ok {
				return false
			}
			n.kind, n.start, n.end, n.odd = String, uint32(start), uint32(p.at-1), odd
			p.add(n)
		case c == '-' || c >= '0' && c <= '9':
			length := numberLength(p.text[p.at:])
			if length == 0 {
				return p.fail(MinusAlone)
			}
			p.at += length
			n.kind, n.end = Number, uint32(p.at)
			p.add(n)
		default:
			switch {
			case p.word("null"):
				n.kind = Null
			case p.word("true"):
				n.kind = True
			case p.word("false"):
				n.kind = False
			default:
				return p.fail(NotAValue)
			}
			n.end = uint32(p.at)
			p.add(n)
		}
		if !p.endValue(&member) {
			return false
		}
		if len(p.stack) == 0 {
			return true
		}
	}
}

// endValue closes containers after a value up to one with another value, and parses that value's member name.
func (p *parser) endValue(member *node) bool {
	for len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		object := p.nodes[top.container].kind == Object
		p.space()
		if p.at >= len(p.text) {
			return p.fail(OpenContainer)
		}
		c := p.text[p.at]
		if c == ',' {
			p.at++
			return !object || p.name(member)
		}
		if object && c == '}' || !object && c == ']' {
			p.at++
			p.nodes[top.container].end = uint32(p.at)
			p.stack = p.stack[:len(p.stack)-1]
			continue
		}
		if object {
			return p.fail(NoBrace)
		}
		return p.fail(NoBracket)
	}
	return true
}

// name parses a member name and its colon.
func (p *parser) name(n *node) bool {
	p.space()
	if p.at >= len(p.text) || p.text[p.at] != '"' {
		return p.fail(NoName)
	}
	p.at++
	start := p.at
	odd, ok := p.scanString()
	if !ok {
		return false
	}
	*n = node{name: uint32(start), length: uint32(p.at - 1 - start), oddName: odd}
	p.space()
	if p.at >= len(p.text) || p.text[p.at] != ':' {
		return p.fail(NoColon)
	}
	p.at++
	return true
}

func (p *parser) word(w string) bool {
	if len(p.text)-p.at < len(w) || p.text[p.at:p.at+len(w)] != w {
		return false
	}
	p.at += len(w)
	return true
}

// scanString scans to the closing quote and checks the escapes (FUZ-009 to FUZ-012, LAY-18). odd reports whether the
// string needs decoding.
func (p *parser) scanString() (odd, ok bool) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return odd, true
		case c == '\\':
			odd = true
			if p.at+1 >= len(p.text) {
				return odd, p.fail(OpenString)
			}
			switch p.text[p.at+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				p.at += 2
			case 'u':
				_, size := unicodeEscape(p.text[p.at:])
				if size == 0 {
					return odd, p.fail(BrokenEscape)
				}
				p.at += size
			default:
				return odd, p.fail(UnknownEscape)
			}
		default:
			odd = odd || c < ' '
			p.at++
		}
	}
	return odd, p.fail(OpenString)
}

// unicodeEscape decodes \uXXXX or a surrogate pair. It returns size 0 if it is malformed (FUZ-011).
func unicodeEscape(s string) (code rune, size int) {
	code = hex4(s)
	switch {
	case code < 0 || code >= 0xdc00 && code <= 0xdfff:
		return 0, 0
	case code >= 0xd800 && code <= 0xdbff:
		low := hex4(s[6:])
		if low < 0xdc00 || low > 0xdfff {
			return 0, 0
		}
		return 0x10000 + (code-0xd800)<<10 + (low - 0xdc00), 12
	}
	return code, 6
}

func hex4(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var v rune
	for i := 2; i < 6; i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			v = v<<4 | rune(c-'A'+10)
		default:
			return -1
		}
	}
	return v
}

// numberLength returns the length that strtod parses within the first 63 characters of a number (FUZ-014).
func numberLength(s string) int {
	s = s[:min(len(s), numberLimit)]
	i := 0
	if s[0] == '-' {
		i = 1
	}
	digits := func() int {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i - start
	}
	mantissa := digits()
	if i < len(s) && s[i] == '.' {
		i++
		mantissa += digits()
	}
	if mantissa == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		end := i
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if digits() == 0 {
			i = end
		}
	}
	return i
}

// position returns the line and column of an offset, counted from 1.
func position(text string, at int) (line, column int) {
	line, column = 1, 1
	for i := range at {
		if text[i] == '\n' {
			line++
			column = 1
		} else {
			column++
		}
	}
	return line, column
}
