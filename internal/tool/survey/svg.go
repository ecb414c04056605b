package survey

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// shapes is the style sheet without colours. Light colours are plain rules, for every renderer; a media query has the dark
// ones. The sheet has no CSS variables, because librsvg does not support them.
const shapes = `
.chain rect { stroke-width: 1 }
.chain .aside rect { stroke-dasharray: 5 4 }
.chain path { fill: none; stroke-width: 1.5 }
.chain text { font-family: "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; white-space: pre }
.chain .t { font-size: 14px; font-weight: bold }
.chain .p { font-size: 12px }
.chain .f { font-size: 11px }
.chain .c { font-size: 11px }
`

// palette holds the colours of the picture.
type palette struct {
	paper, ink, soft, line                             string // background, text, secondary text, frames and arrows
	program, loader, layer, driver, device, bad, aside string // boxes by kind
}

var (
	light = palette{"#ffffff", "#1b1f24", "#57606a", "#6e7781",
		"#eef2f6", "#dbe9ff", "#fff4d6", "#dff5e3", "#efe6fb", "#ffe3e0", "#f4f4f4"}
	dark = palette{"#14171c", "#e8ebef", "#a9b2bd", "#8b949e",
		"#262c34", "#16305a", "#463a12", "#17401f", "#3a2a55", "#5a1f1c", "#23262b"}
)

// sheet returns the palette as CSS rules.
func (p palette) sheet() string {
	var out strings.Builder
	rule := func(selector, property, colour string) {
		fmt.Fprintf(&out, ".chain %s { %s: %s }\n", selector, property, colour)
	}
	rule("rect", "stroke", p.line)
	for _, box := range [][2]string{{"program", p.program}, {"loader", p.loader}, {"layer", p.layer}, {"driver", p.driver},
		{"device", p.device}, {"bad", p.bad}, {"aside", p.aside}} {
		rule("."+box[0]+" rect", "fill", box[1])
	}
	fmt.Fprintf(&out, ".chain .paper { fill: %s; stroke: none }\n", p.paper)
	rule("path", "stroke", p.line)
	fmt.Fprintf(&out, ".chain .head { fill: %s; stroke: none }\n", p.line)
	rule("text", "fill", p.ink)
	rule(".f", "fill", p.soft)
	return out.String()
}

// PictureStyle returns the style sheet of a picture.
func PictureStyle() string {
	return shapes + light.sheet() + "@media (prefers-color-scheme: dark) {\n" + dark.sheet() + "}\n"
}

// SVG draws the chain.
func SVG(w io.Writer, c *Chain) error {
	_, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+draw(lay(c), PictureStyle())+"\n")
	return err
}

// PictureFragment draws the chain as an element for a page with PictureStyle in its style sheet. It contains no inline
// style.
func PictureFragment(c *Chain) string { return draw(lay(c), "") }

const svgTitle = "<title>From a program to its devices</title>\n"

// draw returns a picture as an svg element that contains a style sheet; "" for none.
func draw(p *picture, sheet string) string {
	var out strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&out, format, args...) }
	put(`<svg xmlns="http://www.w3.org/2000/svg" class="chain" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img">`+"\n",
		number(p.w), number(p.h))
	put(svgTitle)
	if sheet != "" {
		put("<style>%s</style>\n", sheet)
	}
	put(`<rect class="paper" width="%s" height="%s"/>`+"\n", number(p.w), number(p.h))
	for _, e := range p.edges {
		var path strings.Builder
		for i, at := range e.points {
			fmt.Fprintf(&path, "%c%s %s", "ML"[min(i, 1)], number(at[0]), number(at[1]))
		}
		put(`<path d="%s"/>`+"\n", path.String())
		if e.arrow {
			put(`<path class="head" d="%s"/>`+"\n", head(e.points[len(e.points)-2], e.points[len(e.points)-1]))
		}
	}
	for _, b := range p.boxes {
		put(`<g class="%s" id="%s"><title>%s</title>`+"\n", b.class, b.id, html.EscapeString(b.title))
		put(`<rect x="%s" y="%s" width="%s" height="%s" rx="7"/>`+"\n", number(b.x), number(b.y), number(b.w), number(b.h))
		for _, t := range b.texts {
			put(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", t.face.class, number(t.x), number(t.y), html.EscapeString(t.text))
		}
		put("</g>\n")
	}
	put("</svg>")
	return out.String()
}

func head(from, to [2]float64) string {
	x, y := to[0], to[1]
	if from[1] == to[1] { // to the right
		return fmt.Sprintf("M%s %sL%s %sL%[3]s %[5]sZ", number(x), number(y), number(x-8), number(y-5), number(y+5))
	}
	return fmt.Sprintf("M%s %sL%s %sL%[5]s %[4]sZ", number(x), number(y), number(x-5), number(y-8), number(x+5))
}

// number formats a number of pixels with at most one decimal.
func number(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}

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

func (f *face) line() float64 { return f.size * 1.4 }

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
// after a separator of paths and names, otherwise anywhere. If the text is longer, the last line ends with an ellipsis.
func (f *face) wrap(text string, room float64, most int) (lines []string) {
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
			return append(lines, string(rest))
		}
		if len(lines) == most-1 {
			return append(lines, f.shorten(string(rest), room))
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
	return lines
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
