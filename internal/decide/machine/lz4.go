package machine

import (
	"encoding/binary"
	"errors"
	"io"
)

// lz4 decodes an LZ4 frame (github.com/lz4/lz4, doc/lz4_Frame_format.md), the format of apt's compressed lists. It does not
// verify checksums.
type lz4 struct {
	from   io.Reader
	sums   bool   // each block has a checksum
	out    []byte // decoded text; the part before read is the window of the next block
	read   int
	packed []byte
}

var errLZ4 = errors.New("damaged LZ4 frame")

const (
	lz4Window = 64 << 10
	lz4Block  = 4 << 20 // the largest block of a frame
)

// newLZ4 reads a frame's header.
func newLZ4(from io.Reader) (io.Reader, error) {
	head := make([]byte, 7) // magic, flags, block size, checksum of the header
	if _, err := io.ReadFull(from, head[:6]); err != nil {
		return nil, err
	}
	more := 1
	if head[4]&0x08 != 0 {
		more += 8 // the content's size
	}
	if head[4]&0x01 != 0 {
		more += 4 // a dictionary's number
	}
	if _, err := io.ReadFull(from, make([]byte, more)); err != nil {
		return nil, err
	}
	return &lz4{from: from, sums: head[4]&0x10 != 0}, nil
}

func (l *lz4) Read(to []byte) (int, error) {
	for l.read == len(l.out) {
		if err := l.block(); err != nil {
			return 0, err
		}
	}
	n := copy(to, l.out[l.read:])
	l.read += n
	return n, nil
}

// block decodes the next block.
func (l *lz4) block() error {
	var size uint32
	if err := binary.Read(l.from, binary.LittleEndian, &size); err != nil {
		return err
	}
	if size == 0 {
		return io.EOF
	}
	plain := size>>31 != 0
	if size &^= 1 << 31; size > lz4Block+lz4Window {
		return errLZ4
	}
	if cap(l.packed) < int(size) {
		l.packed = make([]byte, size)
	}
	packed := l.packed[:size]
	if _, err := io.ReadFull(l.from, packed); err != nil {
		return err
	}
	if l.sums {
		if _, err := io.ReadFull(l.from, make([]byte, 4)); err != nil {
			return err
		}
	}
	if drop := len(l.out) - lz4Window; drop > 0 {
		l.out = append(l.out[:0], l.out[drop:]...)
	}
	l.read = len(l.out)
	if plain {
		l.out = append(l.out, packed...)
		return nil
	}
	return l.sequences(packed)
}

// sequences decodes a block's sequences: literals, then a copy of earlier text.
func (l *lz4) sequences(in []byte) error {
	limit := len(l.out) + lz4Block
	length := func(n int) (int, bool) {
		for n >= 15 {
			if len(in) == 0 {
				return 0, false
			}
			b := in[0]
			in = in[1:]
			n += int(b)
			if b != 255 {
				break
			}
		}
		return n, true
	}
	for len(in) > 0 {
		token := int(in[0])
		in = in[1:]
		literals, ok := length(token >> 4)
		if !ok || literals > len(in) || len(l.out)+literals > limit {
			return errLZ4
		}
		l.out = append(l.out, in[:literals]...)
		if in = in[literals:]; len(in) == 0 {
			return nil
		}
		if len(in) < 2 {
			return errLZ4
		}
		offset := int(in[0]) | int(in[1])<<8
		in = in[2:]
		match, ok := length(token & 15)
		match += 4
		if !ok || offset == 0 || offset > len(l.out) || len(l.out)+match > limit {
			return errLZ4
		}
		for at := len(l.out) - offset; match > 0; match-- {
			l.out = append(l.out, l.out[at])
			at++
		}
	}
	return nil
}
