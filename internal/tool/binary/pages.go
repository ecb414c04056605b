package binary

import (
	"errors"
	"io"
)

// pageSize is how much is read of a file at once.
const pageSize = 16 << 10

// pages reads a file by pages, each once: what is wanted of a library is in a few places of a large file.
type pages struct {
	from io.ReaderAt
	read map[int64][]byte
}

func newPages(from io.ReaderAt) *pages { return &pages{from, map[int64][]byte{}} }

// page is what the file has of a page.
func (p *pages) page(n int64) ([]byte, error) {
	if data, ok := p.read[n]; ok {
		return data, nil
	}
	data := make([]byte, pageSize)
	size, err := p.from.ReadAt(data, n*pageSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	data = data[:size]
	p.read[n] = data
	return data, nil
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
