package binary

import (
	"errors"
	"io"
	"sync"
)

// pageSize is the number of bytes in one read.
const pageSize = 16 << 10

// pages reads a file in pages, each once: the needed parts of a library are few, in a large file.
type pages struct {
	from  io.ReaderAt
	read  map[int64][]byte
	rooms []*[pageSize]byte // buffers to return to the pool
}

func newPages(from io.ReaderAt) *pages { return &pages{from: from, read: map[int64][]byte{}} }

// page returns the content of a page.
func (p *pages) page(n int64) ([]byte, error) {
	if data, ok := p.read[n]; ok {
		return data, nil
	}
	room := rooms.Get().(*[pageSize]byte)
	p.rooms = append(p.rooms, room)
	size, err := p.from.ReadAt(room[:], n*pageSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	p.read[n] = room[:size]
	return room[:size], nil
}

// rooms are buffers for pages, used again for later files: fresh memory costs more.
var rooms = sync.Pool{New: func() any { return new([pageSize]byte) }}

// close returns the pages' buffers to the pool. The caller reads nothing afterwards.
func (p *pages) close() {
	for _, room := range p.rooms {
		rooms.Put(room)
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
