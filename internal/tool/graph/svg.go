package graph

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// style is for both pictures; colours follow the reader's choice of light or dark.
const style = `
.chain { --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #6e7781;
  --program: #eef2f6; --loader: #dbe9ff; --layer: #fff4d6; --driver: #dff5e3; --device: #efe6fb; --bad: #ffe3e0; --aside: #f4f4f4 }
@media (prefers-color-scheme: dark) {
.chain { --paper: #14171c; --ink: #e8ebef; --soft: #a9b2bd; --line: #8b949e;
  --program: #262c34; --loader: #16305a; --layer: #463a12; --driver: #17401f; --device: #3a2a55; --bad: #5a1f1c; --aside: #23262b }
}
.chain .paper { fill: var(--paper) }
.chain rect { stroke: var(--line); stroke-width: 1 }
.chain .program rect { fill: var(--program) }
.chain .loader rect { fill: var(--loader) }
.chain .layer rect { fill: var(--layer) }
.chain .driver rect { fill: var(--driver) }
.chain .device rect { fill: var(--device) }
.chain .bad rect { fill: var(--bad) }
.chain .aside rect { fill: var(--aside); stroke-dasharray: 5 4 }
.chain .paper, .chain .paper rect { stroke: none }
.chain path { fill: none; stroke: var(--line); stroke-width: 1.5 }
.chain .head { fill: var(--line); stroke: none }
.chain text { fill: var(--ink); font-family: "DejaVu Sans", Verdana, Arial, sans-serif; white-space: pre }
.chain .t { font-size: 15px; font-weight: bold }
.chain .p { font-size: 12px }
.chain .f { font-size: 11px; fill: var(--soft) }
.chain .c { font-size: 11px; font-family: "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace }
`

// SVG draws the chain.
func SVG(w io.Writer, c *Chain) error {
	_, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+drawing(lay(c), "")+"\n")
	return err
}

// drawing is the svg element; link, when not "", makes each box a link to it and the box's id.
func drawing(p *picture, link string) string {
	var out strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&out, format, args...) }
	put(`<svg xmlns="http://www.w3.org/2000/svg" class="chain" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img">`+"\n",
		number(p.w), number(p.h))
	put("<title>From a program to its devices</title>\n<style>%s</style>\n", style)
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
		if link != "" {
			put(`<a href="#%s%s">`, link, b.id)
		}
		put(`<g class="%s" id="%s"><title>%s</title>`+"\n", b.class, b.id, html.EscapeString(b.title))
		put(`<rect x="%s" y="%s" width="%s" height="%s" rx="7"/>`+"\n", number(b.x), number(b.y), number(b.w), number(b.h))
		for _, t := range b.texts {
			put(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", t.face.class, number(t.x), number(t.y), html.EscapeString(t.text))
		}
		put("</g>")
		if link != "" {
			put("</a>")
		}
		put("\n")
	}
	put("</svg>")
	return out.String()
}

// head is an arrow's head at the end of a line.
func head(from, to [2]float64) string {
	x, y := to[0], to[1]
	if from[1] == to[1] { // to the right
		return fmt.Sprintf("M%s %sL%s %sL%[3]s %[5]sZ", number(x), number(y), number(x-8), number(y-5), number(y+5))
	}
	return fmt.Sprintf("M%s %sL%s %sL%[5]s %[4]sZ", number(x), number(y), number(x-5), number(y-8), number(x+5))
}

// number writes tenths of pixels, and no more.
func number(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}
