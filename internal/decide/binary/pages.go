package binary

import (
	"errors"
	"io"
	"sync"
)

// pageSize is the number of bytes in one read.
const pageSize = 16 << 10

// pages reads a file in pages, each once. Few parts of a library are needed, and the file may be large.
type pages struct {
	from    io.ReaderAt
	read    map[int64][]byte
	buffers []*[pageSize]byte // buffers to return to the pool
}

func newPages(from io.ReaderAt) *pages { return &pages{from: from, read: map[int64][]byte{}} }

// page returns the content of a page.
func (p *pages) page(n int64) ([]byte, error) {
	if data, ok := p.read[n]; ok {
		return data, nil
	}
	buffer := buffers.Get().(*[pageSize]byte)
	p.buffers = append(p.buffers, buffer)
	size, err := p.from.ReadAt(buffer[:], n*pageSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	p.read[n] = buffer[:size]
	return buffer[:size], nil
}

// buffers are for pages. A later file uses them again, because fresh memory costs more.
var buffers = sync.Pool{New: func() any { return new([pageSize]byte) }}

// close returns the pages' buffers to the pool. The caller reads nothing afterwards.
func (p *pages) close() {
	for _, buffer := range p.buffers {
		buffers.Put(buffer)
	}
	*p = pages{from: p.from}
}

// ReadAt implements io.ReaderAt.
func (p *pages) ReadAt(out []byte, at int64) (int, error) {
	done := 0
	for done < len(out) {
		data, err := p.page((at + int64(done)) / pageSize)
		if err != nil {
			return done, err
		}
		offset := (at + int64(done)) % pageSize
		if offset >= int64(len(data)) {
			return done, io.EOF
		}
		done += copy(out[done:], data[offset:])
	}
	return done, nil
}
