package term

import (
	"io"
	"os"
)

// Style marks text for a terminal, or leaves it unchanged.
type Style struct {
	colour bool
	width  int // columns; 0: unlimited
}

// StyleFor returns the style for a writer: with colour on a terminal unless NO_COLOR is set, and with the terminal's width.
func StyleFor(w io.Writer, getenv func(string) string) Style {
	f, ok := File(w)
	width := widthOf(f, getenv)
	if !ok || getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return Style{width: width}
	}
	info, err := f.Stat()
	return Style{colour: err == nil && info.Mode()&os.ModeCharDevice != 0, width: width}
}

// Coloured reports whether texts for the writer get colours.
func (s Style) Coloured() bool { return s.colour }

func (s Style) wrap(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Heading marks a section's title.
func (s Style) Heading(text string) string { return s.wrap("1", text) }

// Faint marks secondary text.
func (s Style) Faint(text string) string { return s.wrap("2", text) }

// Bad marks a problem.
func (s Style) Bad(text string) string { return s.wrap("31", text) }

// Width returns the number of columns; 0: unlimited.
func (s Style) Width() int { return s.width }
