package launch

import (
	"bytes"
	"io"
	"time"

	"vkloader/internal/decide/loaders"
)

// maxLine is how much of a line is gathered; the loader's own are below 600 bytes (LOG-10).
const maxLine = 1 << 16

// Splitter takes what a program writes to standard error and parts the loader's lines from the rest. The mark counts
// wherever it stands: what a program wrote before it without ending its line is not lost and not joined.
type Splitter struct {
	Rest io.Writer                       // gets everything else, as soon as it comes
	Line func(line string, at time.Time) // gets each line of the loader, without its newline, and when it began
	At   time.Time                       // when what is written was written; for those who know

	held   []byte // the beginning of what may be a mark
	text   []byte // of the line that has begun
	began  time.Time
	inLine bool
}

// Write implements io.Writer. The error is that of Rest.
func (s *Splitter) Write(p []byte) (int, error) {
	taken := len(p)
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

// Flush passes on what was held back because it may have been the beginning of a mark. The loader writes its mark in
// one piece, so that nothing of it is lost when this is called after a pause.
func (s *Splitter) Flush() error {
	held := s.held
	s.held = nil
	return s.pass(held)
}

// Close ends a line that was never ended.
func (s *Splitter) Close() error {
	if s.inLine {
		s.end()
	}
	return s.Flush()
}

// Holds tells whether something is held back.
func (s *Splitter) Holds() bool { return len(s.held) > 0 }

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

// partOfMark is how many bytes at the end of p could begin a mark.
func partOfMark(p []byte) int {
	for n := min(len(p), len(loaders.LogMark)-1); n > 0; n-- {
		if string(p[len(p)-n:]) == loaders.LogMark[:n] {
			return n
		}
	}
	return 0
}
