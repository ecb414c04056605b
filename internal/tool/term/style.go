package term

import (
	"io"
	"os"
)

// Style marks text for a terminal, or leaves it as it is.
type Style struct {
	colour bool
	width  int // columns; 0: as many as it takes
}

// StyleFor gives colour only to a terminal, and only when NO_COLOR is not set; and lines only the width that it has.
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

// Faint marks what is only there for orientation.
func (s Style) Faint(text string) string { return s.wrap("2", text) }

// Bad marks what is wrong.
func (s Style) Bad(text string) string { return s.wrap("31", text) }

// Width is how many columns there are; 0: as many as it takes.
func (s Style) Width() int { return s.width }
