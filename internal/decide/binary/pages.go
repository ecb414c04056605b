package binary

import (
	"errors"
	"io"
	"sync"
)

// pageSize is how much is read of a file at once.
const pageSize = 16 << 10

// pages reads a file by pages, each once: the needed parts of a library are a few places of a large file.
type pages struct {
	from  io.ReaderAt
	read  map[int64][]byte
	rooms []*[pageSize]byte // to give back
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

// rooms are for the pages of the next files: memory that was used costs less than new one.
var rooms = sync.Pool{New: func() any { return new([pageSize]byte) }}

// close gives the pages' memory back. Nothing is read afterwards.
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
