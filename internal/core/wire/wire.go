package wire

// Magic is the first word of every message.
const Magic uint32 = 0x31574b56

const null = 0xffffffff

// Str is a string that distinguishes NULL from the empty string.
type Str struct {
	Text string
	Set  bool // false: NULL
}

// S returns a string that is not NULL.
func S(text string) Str { return Str{text, true} }

// Writer builds a message; the message is complete after every Put.
type Writer struct{ buf []byte }

// Bytes returns the message so far.
func (w *Writer) Bytes() []byte {
	w.head()
	return w.buf
}

// Reset empties the message but keeps its buffer.
func (w *Writer) Reset() { w.buf = w.buf[:0] }

func (w *Writer) head() {
	if len(w.buf) == 0 {
		w.u32(Magic)
		w.u32(8)
	}
}

func (w *Writer) begin(id uint32) int {
	w.head()
	start := len(w.buf)
	w.u32(id)
	w.u32(0)
	return start
}

func (w *Writer) end(start int) {
	for (len(w.buf)-start)%8 != 0 {
		w.buf = append(w.buf, 0)
	}
	set32(w.buf[start+4:], uint32(len(w.buf)-start))
	set32(w.buf[4:], uint32(len(w.buf)))
}

func set32(b []byte, v uint32) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func (w *Writer) u32(v uint32) {
	w.buf = append(w.buf, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

func (w *Writer) i32(v int32) { w.u32(uint32(v)) }

func (w *Writer) str(v Str) {
	if !v.Set {
		w.u32(null)
		return
	}
	w.u32(uint32(len(v.Text)))
	w.buf = append(w.buf, v.Text...)
	w.buf = append(w.buf, 0)
}

func (w *Writer) strs(v []Str) {
	w.u32(uint32(len(v)))
	for _, s := range v {
		w.str(s)
	}
}

// Reader reads a message. The message is a string, so its parts are substrings and are not copied.
type Reader struct {
	rest string
	bad  bool
}

// Record is one record of a message.
type Record struct {
	ID   uint32
	body string
}

// Open starts reading a message. It returns false if the bytes are not a message.
func Open(message string) (Reader, bool) {
	if len(message) < 8 || get32(message) != Magic {
		return Reader{bad: true}, false
	}
	total := get32(message[4:])
	if total < 8 || uint64(total) > uint64(len(message)) {
		return Reader{bad: true}, false
	}
	return Reader{rest: message[8:total]}, true
}

// Next returns the next record. It returns false at the end, or if the message is malformed: see Bad.
func (r *Reader) Next() (Record, bool) {
	if len(r.rest) == 0 || r.bad {
		return Record{}, false
	}
	if len(r.rest) < 8 {
		r.bad = true
		return Record{}, false
	}
	size := get32(r.rest[4:])
	if size < 8 || size%8 != 0 || uint64(size) > uint64(len(r.rest)) {
		r.bad = true
		return Record{}, false
	}
	rec := Record{ID: get32(r.rest), body: r.rest[8:size]}
	r.rest = r.rest[size:]
	return rec, true
}

// Bad reports whether the message is malformed.
func (r *Reader) Bad() bool { return r.bad }

func get32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// body reads the fields of a record. After a malformed field, all later fields are empty.
type body struct {
	rest string
	bad  bool
}

func (b *body) done() bool { return !b.bad && len(b.rest) < 8 }

func (b *body) u32() uint32 {
	if b.bad || len(b.rest) < 4 {
		b.bad = true
		return 0
	}
	v := get32(b.rest)
	b.rest = b.rest[4:]
	return v
}

func (b *body) i32() int32 { return int32(b.u32()) }

func (b *body) str() Str {
	size := b.u32()
	if b.bad || size == null {
		return Str{}
	}
	if uint64(len(b.rest)) <= uint64(size) || b.rest[size] != 0 {
		b.bad = true
		return Str{}
	}
	s := b.rest[:size]
	b.rest = b.rest[size+1:]
	return Str{s, true}
}

func (b *body) strs() []Str {
	count := b.u32()
	if b.bad || uint64(count)*4 > uint64(len(b.rest)) {
		b.bad = true
		return nil
	}
	if count == 0 {
		return nil
	}
	list := make([]Str, 0, count)
	for i := uint32(0); i < count; i++ {
		list = append(list, b.str())
		if b.bad {
			return nil
		}
	}
	return list
}
