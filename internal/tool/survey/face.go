package survey

import (
	"strings"
	"unicode/utf8"
)

// face is a text style: its class in the style sheet and its size in pixels. All text is in a font of fixed width, so the
// number of letters gives the width of a line in any font.
type face struct {
	class string
	size  float64
}

// Widths of a letter in thousandths of the font size. The fonts of the style sheet have 600 to 603 for Latin letters and at
// most 1000 for others.
const (
	letterWidth = 610
	squareWidth = 1010
)

var (
	title = &face{"t", 14}
	plain = &face{"p", 12}
	faint = &face{"f", 11}
	code  = &face{"c", 11}
)

// line returns the height of a line in pixels.
func (f *face) line() float64 { return f.size * 1.4 }

// width returns the width of a text in pixels.
func (f *face) width(text string) float64 {
	sum := 0
	for _, r := range text {
		if r < ' ' || r > '~' {
			sum += squareWidth
		} else {
			sum += letterWidth
		}
	}
	return float64(sum) * f.size / 1000
}

// wrap breaks a text into at most most lines no wider than room: after a space in the second half of the line, otherwise
// after a separator of paths and names, otherwise anywhere. If the text is longer, the last line ends with an ellipsis, and
// whole is false.
func (f *face) wrap(text string, room float64, most int) (lines []string, whole bool) {
	rest := []rune(text)
	for len(rest) > 0 {
		end, good, space, sum := 0, 0, 0, 0.0
		for end < len(rest) {
			if sum += f.width(string(rest[end])); sum > room {
				break
			}
			end++
			if end < len(rest) && strings.ContainsRune(" /_,:=.;", rest[end-1]) {
				good = end
				if rest[end-1] == ' ' {
					space = end
				}
			}
		}
		if end == len(rest) {
			return append(lines, string(rest)), true
		}
		if len(lines) == most-1 {
			return append(lines, f.shorten(string(rest), room)), false
		}
		if space >= end/2 && space > 0 {
			end = space
		} else if good > 0 {
			end = good
		}
		end = max(end, 1)
		lines = append(lines, trimEnd(string(rest[:end])))
		rest = rest[end:]
		for len(rest) > 0 && rest[0] == ' ' {
			rest = rest[1:]
		}
	}
	return lines, true
}

func trimEnd(s string) string { return strings.TrimRight(s, " ") }

// shorten cuts a text that is wider than room and ends it with an ellipsis.
func (f *face) shorten(text string, room float64) string {
	fits, sum := 0, f.width("…")
	for i, r := range text {
		if sum += f.width(string(r)); sum > room {
			return trimEnd(text[:fits]) + "…"
		}
		fits = i + utf8.RuneLen(r)
	}
	return text
}
