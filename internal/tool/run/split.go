package run

import (
	"bytes"
	"io"
	"time"

	"vkloader/internal/decide/loaders"
)

// maxLine is the maximum collected length of a line. The loader's lines are shorter than 600 bytes (LOG-10).
const maxLine = 1 << 16

// Splitter separates the loader's lines in a program's standard error from the rest. A mark begins a loader line even
// in the middle of a line. The unfinished line before it goes to Rest unchanged.
type Splitter struct {
	Rest io.Writer                       // receives all other text at once
	Line func(line string, at time.Time) // receives each loader line, without its newline, and its start time
	At   time.Time                       // the time of the next write, if known

	Before func() // called before each piece of text; nil: not called

	held   []byte // a possible beginning of a mark
	text   []byte // the current line
	began  time.Time
	inLine bool
}

// Write implements io.Writer. It returns the errors of Rest.
func (s *Splitter) Write(p []byte) (int, error) {
	taken := len(p)
	if s.Before != nil {
		s.Before()
	}
	if len(s.held) > 0 {
		p = append(s.held, p...)
		s.held = nil
	}
	for len(p) > 0 {
		if s.inLine {
			end := bytes.IndexByte(p, '\n')
			if end < 0 {
				s.text = append(s.text, p...)
				if len(s.text) > maxLine {
					s.end()
				}
				return taken, nil
			}
			s.text = append(s.text, p[:end]...)
			p = p[end+1:]
			s.end()
			continue
		}
		at := bytes.Index(p, []byte(loaders.LogMark))
		if at < 0 {
			kept := partOfMark(p)
			s.held = append(s.held, p[len(p)-kept:]...)
			return taken, s.pass(p[:len(p)-kept])
		}
		if err := s.pass(p[:at]); err != nil {
			return taken, err
		}
		s.inLine, s.began = true, s.At
		s.text, p = append(s.text[:0], loaders.LogMark...), p[at+len(loaders.LogMark):]
	}
	return taken, nil
}

// Close ends an unfinished line, and passes on text that was held back as a possible beginning of a mark.
func (s *Splitter) Close() error {
	if s.inLine {
		s.end()
	}
	held := s.held
	s.held = nil
	return s.pass(held)
}

func (s *Splitter) end() {
	s.inLine = false
	s.Line(string(s.text), s.began)
}

func (s *Splitter) pass(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := s.Rest.Write(p)
	return err
}

// partOfMark returns the number of bytes at the end of p that may begin a mark.
func partOfMark(p []byte) int {
	for n := min(len(p), len(loaders.LogMark)-1); n > 0; n-- {
		if string(p[len(p)-n:]) == loaders.LogMark[:n] {
			return n
		}
	}
	return 0
}
