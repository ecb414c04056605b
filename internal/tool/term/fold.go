package term

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Wrapper breaks lines at spaces to the terminal's width. It indents continuation lines, so that they differ from new
// lines. Every output passes through it, in case a command does not break its lines. It buffers an unfinished line
// until Flush.
type Wrapper struct {
	To      io.Writer
	Width   int   // 0: lines stay unchanged
	Err     error // the first write error
	pending string
}

// NewWrapper returns a Wrapper for w with the width of its terminal.
func NewWrapper(w io.Writer, getenv func(string) string) *Wrapper {
	f, _ := File(w)
	return &Wrapper{To: w, Width: widthOf(f, getenv)}
}

// Write implements io.Writer.
func (f *Wrapper) Write(data []byte) (int, error) {
	if f.Width == 0 {
		return f.write(string(data))
	}
	text := f.pending + string(data)
	end := strings.LastIndexByte(text, '\n') + 1
	f.pending = text[end:]
	if end == 0 {
		return len(data), nil
	}
	var b strings.Builder
	for line := range strings.Lines(text[:end]) {
		fold(&b, strings.TrimSuffix(line, "\n"), f.Width)
	}
	if _, err := f.write(b.String()); err != nil {
		return 0, err
	}
	return len(data), nil
}

func (f *Wrapper) write(text string) (int, error) {
	n, err := io.WriteString(f.To, text)
	if f.Err == nil {
		f.Err = err
	}
	return n, err
}

// Flush writes an unfinished line, such as a question.
func (f *Wrapper) Flush() {
	if f.pending != "" {
		f.write(f.pending)
		f.pending = ""
	}
}

// foldIndent is the additional indentation of continuation lines.
const foldIndent = 4

// fold writes a line in lines of at most width columns. A longer word has its own line.
func fold(b *strings.Builder, line string, width int) {
	if visible(line) <= width {
		b.WriteString(line + "\n")
		return
	}
	indent := min(len(line)-len(strings.TrimLeft(line, " ")), width/2)
	lead := line[:indent]
	for i, part := range wrapLines(line[indent:], width-indent, width-indent-foldIndent) {
		if i == 1 {
			lead += strings.Repeat(" ", foldIndent)
		}
		b.WriteString(lead + part + "\n")
	}
}

// visible returns the number of columns of a text without colour codes.
func visible(text string) (count int) {
	for text != "" {
		if code := ownColour(text); code != "" {
			text = text[len(code):]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		count++
	}
	return count
}

// raw writes to the writer behind a Wrapper.
type raw struct{ past *Wrapper }

func (r raw) Write(data []byte) (int, error) {
	r.past.Flush()
	return r.past.write(string(data))
}

// Raw returns a writer without line breaking, for output to other programs and for lines to copy.
func Raw(w io.Writer) io.Writer {
	if cleaner, ok := w.(Cleaner); ok {
		return Cleaner{To: Raw(cleaner.To)}
	}
	if wrapper, ok := w.(*Wrapper); ok {
		return raw{wrapper}
	}
	return w
}

// Data returns a writer for the content of a file: its bytes stay as they are, except on a terminal.
func Data(w io.Writer) io.Writer {
	if cleaner, ok := w.(Cleaner); ok && !IsTerminal(w) {
		return Raw(cleaner.To)
	}
	return Raw(w)
}

// File returns the file behind a writer.
func File(w io.Writer) (*os.File, bool) {
	switch w := w.(type) {
	case Cleaner:
		return File(w.To)
	case *Wrapper:
		return File(w.To)
	case *os.File:
		return w, true
	}
	return nil, false
}

// Reflow fills the paragraphs of a text to a width, with an empty line between them. Lines that begin with a space, as
// in tables and commands, are paragraphs that keep their breaks; a longer one continues with its own indentation.
func Reflow(text string, width int) string {
	var b strings.Builder
	var lines []string // of the paragraph
	end := func() {
		if len(lines) > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		if len(lines) > 0 && lines[0][0] != ' ' {
			lines = []string{strings.Join(lines, " ")}
		}
		for _, line := range lines {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			for _, part := range wrap(line[len(indent):], max(width-len(indent), textLeast)) {
				b.WriteString(strings.TrimRight(indent+part, " ") + "\n")
			}
		}
		lines = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		blank := strings.TrimSpace(line) == ""
		if blank || len(lines) > 0 && (line[0] == ' ') != (lines[0][0] == ' ') {
			end()
		}
		if !blank {
			lines = append(lines, line)
		}
	}
	end()
	return b.String()
}
