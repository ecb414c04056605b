package survey

import (
	"strings"
	"unicode/utf8"
)

// face is a way of writing: its size in pixels, and how wide its letters are.
type face struct {
	class string
	size  float64
	mono  bool
	wide  *[95]uint16 // by letter, from space to tilde, in thousandths of the size
}

// widths are those of DejaVu Sans and Liberation Sans, whichever is wider: the fonts that the pictures ask for are no
// wider than these (Verdana is as wide as the one, Arial and Helvetica as the other).
var widths = struct{ regular, bold [95]uint16 }{
	regular: [95]uint16{
		318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
		636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556,
		1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787,
		667, 787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556,
		500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
		635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
	},
	bold: [95]uint16{
		348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
		696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611,
		1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 556, 775, 637, 995, 837, 850,
		733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 556,
		500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
		716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
	},
}

// monoWidth is that of every letter of a font with fixed widths.
const monoWidth = 610

// elsewhere is the width of a letter that the tables do not have: a square, as wide as those of China, Japan and Korea.
const elsewhere = 1010

var (
	title = &face{"t", 15, false, &widths.bold}
	plain = &face{"p", 12, false, &widths.regular}
	faint = &face{"f", 11, false, &widths.regular}
	code  = &face{"c", 11, true, nil}
)

// line is the distance from one line of text to the next.
func (f *face) line() float64 { return f.size * 1.4 }

// width is how much room a text takes.
func (f *face) width(text string) float64 {
	sum := 0
	for _, r := range text {
		switch {
		case r < ' ' || r > '~':
			sum += elsewhere
		case f.mono:
			sum += monoWidth
		default:
			sum += int(f.wide[r-' '])
		}
	}
	return float64(sum) * f.size / 1000
}

// wrap breaks a text into lines no wider than room, after a space or one of the signs that paths and names are made of,
// elsewhere when there is none. Of more than most lines the last one ends in an ellipsis.
func (f *face) wrap(text string, room float64, most int) (lines []string, whole bool) {
	rest := []rune(text)
	for len(rest) > 0 {
		end, good, sum := 0, 0, 0.0
		for end < len(rest) {
			if sum += f.width(string(rest[end])); sum > room {
				break
			}
			end++
			if end < len(rest) && strings.ContainsRune(" /_,:=.;", rest[end-1]) {
				good = end
			}
		}
		if end == len(rest) {
			return append(lines, string(rest)), true
		}
		if len(lines) == most-1 {
			return append(lines, f.shorten(string(rest), room)), false
		}
		if good > 0 {
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

// shorten ends a text in an ellipsis where it has no room.
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
