package survey

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"path"
	"strings"
	"unicode"

	"vkloader/internal/tool/term"
)

// Measures of the picture, in pixels.
const (
	margin  = 20.0
	padding = 12.0
	gap     = 26.0 // between boxes
	indent  = 34.0 // of the drivers below the chain, and of devices below their driver
	wide    = 860.0
)

// Classes of texts, with their sizes in pixels. All text is in a font of fixed width, so the number of letters gives
// the width of a line in any font.
const (
	title = "t"
	plain = "p"
	faint = "f"
)

var sizes = map[string]float64{title: 14, plain: 12, faint: 11}

// text is one line of text. y is its baseline.
type text struct {
	x, y        float64
	class, text string
}

// box is a box with text. id is unique in a picture.
type box struct {
	id, class  string
	x, y, w, h float64
	texts      []text
	title      string // the full text, shown as a tooltip
}

// picture is the layout of a chain: boxes from the program down, and the corners of the arrows between them.
type picture struct {
	w, h  float64
	boxes []box
	edges [][][2]float64
}

// textWidth returns the width of a text: the fonts of the style sheet have at most 0.61 of the size for Latin letters,
// and 1.01 for others.
func textWidth(class, s string) (w float64) {
	for _, r := range s {
		w += sizes[class] * term.Either(r < ' ' || r > '~', 1.01, 0.61)
	}
	return w
}

// write adds a text of at most most lines below the box's content. A longer text ends with an ellipsis. A line ends
// after a separator of words, paths or names, if one is in its second half.
func (b *box) write(class string, most int, s string) {
	for room, rest := b.w-2*padding, []rune(visible(s)); len(rest) > 0 && most > 0; most-- {
		end := min(len(rest), int(2*room/sizes[class])) // no line has more letters
		for textWidth(class, string(rest[:end]))+term.Either(end < len(rest), textWidth(class, "…"), 0) > room {
			end--
		}
		line := string(rest[:end])
		if at := strings.LastIndexAny(line, " /_,:=.;"); end < len(rest) && most == 1 {
			line += "…"
		} else if end < len(rest) && at >= len(line)/2 {
			line = line[:at+1]
			end = len([]rune(line))
		}
		b.h += sizes[class] * 1.4
		b.texts = append(b.texts,
			text{b.x + padding, b.y + b.h - sizes[class]*0.35, class, strings.TrimRight(line, " ")})
		rest = []rune(strings.TrimLeft(string(rest[end:]), " "))
	}
	b.title += term.Enclosed(term.Either(b.title == "", "", "\n"), visible(s), "")
}

// visible replaces characters that would break a line or a picture.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		return term.Either(unicode.IsControl(r) || r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != ' ',
			'\uFFFD', r)
	}, s)
}

// add adds a box below all others, which write fills, with an arrow from another box; nil: none. The arrow to an
// indented box begins at the left.
func (p *picture) add(from *box, id, class string, x float64, write func(b *box)) *box {
	b := box{id: id, class: class, x: x, y: p.h + gap, w: wide + margin - x, h: padding - 4}
	write(&b)
	b.h += padding
	switch {
	case from == nil:
	case from.x < x:
		left := from.x + indent/2
		p.edges = append(p.edges, [][2]float64{{left, from.y + from.h}, {left, b.y + padding}, {x, b.y + padding}})
	default:
		p.edges = append(p.edges, [][2]float64{{margin + wide/2, from.y + from.h}, {margin + wide/2, b.y}})
	}
	p.boxes, p.h = append(p.boxes, b), b.y+b.h
	return &b
}

func lay(c *Chain) *picture {
	p := &picture{w: wide + 2*margin, h: margin - gap}
	last := p.add(nil, "program", "program", margin, func(b *box) {
		b.write(title, 2, term.Either(c.Program == "", "Program", path.Base(c.Program)))
		b.write(faint, 2, cmp.Or(c.Program, "any program that enables no layer or extension"))
	})
	last = p.add(last, "loader", "loader", margin, func(b *box) {
		b.write(title, 1, "Loader")
		b.write(faint, 2, c.Library+term.Enclosed(", Vulkan ", c.Version, ""))
	})
	for i := range c.Layers {
		class := term.Either(c.Layers[i].NameOnly || c.Layers[i].Meta, "aside", "layer")
		last = p.add(last, fmt.Sprint("layer", i+1), class, margin, c.Layers[i].write)
	}
	if len(c.Drivers) == 0 {
		p.add(last, "nodriver", "bad", margin, func(b *box) {
			b.write(title, 1, "No driver")
			b.write(plain, 2, "a program gets VK_ERROR_INCOMPATIBLE_DRIVER")
		})
	}
	for i := range c.Drivers {
		d := &c.Drivers[i]
		class := term.Either(d.Problem != "", "bad", "driver")
		driver := p.add(last, fmt.Sprint("driver", i+1), class, margin+indent, d.write)
		for _, one := range d.Devices {
			p.add(driver, fmt.Sprint("device", one.Index), "device", margin+2*indent, func(b *box) {
				b.write(title, 3, fmt.Sprintf("%d  %s", one.Index, one.Name))
				b.write(plain, 1, one.TypeText+term.Enclosed(", Vulkan ", one.APIText, ""))
				b.write(faint, 2, strings.TrimSpace(one.DriverName+" "+one.DriverInfo))
			})
		}
	}
	if c.Problem != "" {
		p.add(nil, "problem", "bad", margin, func(b *box) { b.write(plain, 4, c.Problem) })
	}
	p.h += margin
	return p
}

// write describes a layer with its intercepted commands.
func (l *ChainLayer) write(b *box) {
	b.write(title, 2, l.Name)
	b.write(plain, 2, term.Either(l.Description == l.Name, "", l.Description))
	b.write(faint, 2, l.Why+" ("+l.Statement+")")
	switch count := len(l.Commands); {
	case l.NameOnly:
		b.write(faint, 1, "listed by name only: not in the chain, and intercepts nothing")
	case l.Meta:
		b.write(faint, 1, "a meta-layer: its components are in the chain, and it intercepts nothing")
	case !l.Known:
		b.write(plain, 2, "intercepted commands: unknown"+term.Enclosed(", ", l.Unknown, ""))
	case count == 0:
		b.write(plain, 1, "intercepts no command")
	default:
		b.write(plain, 4, "intercepts "+term.Count(count, "command")+": "+strings.Join(l.Commands, ", "))
	}
	b.write(faint, 2, term.Enclosed("before instance creation: ", strings.Join(l.Before, ", "), ""))
	b.write(faint, 2, l.Library)
	b.write(faint, 2, term.Enclosed("off with ", string(l.Change), ""))
	b.title += "\nmanifest " + visible(l.Manifest)
}

// write describes a driver.
func (d *ChainDriver) write(b *box) {
	b.write(title, 2, d.Name)
	b.write(faint, 2, d.Library)
	state := term.Enclosed("Vulkan ", d.API, "")
	switch {
	case d.Problem != "":
		state = d.Problem
	case d.Known && len(d.Devices) == 0:
		state += ", no device"
	case !d.Known:
		state += ", devices unknown"
	}
	b.write(faint, 2, strings.TrimPrefix(state, ", "))
	b.write(faint, 2, term.Enclosed("off with ", string(d.Change), ""))
	b.title += "\nmanifest " + visible(d.Manifest)
}

// Colours of the picture: background, text, secondary text, frames and arrows, then boxes by kind.
var (
	light = strings.NewReplacer("$paper", "#ffffff", "$ink", "#1b1f24", "$soft", "#57606a", "$line", "#6e7781",
		"$program", "#eef2f6", "$loader", "#dbe9ff", "$layer", "#fff4d6", "$driver", "#dff5e3",
		"$device", "#efe6fb", "$bad", "#ffe3e0", "$aside", "#f4f4f4")
	dark = strings.NewReplacer("$paper", "#14171c", "$ink", "#e8ebef", "$soft", "#a9b2bd", "$line", "#8b949e",
		"$program", "#262c34", "$loader", "#16305a", "$layer", "#463a12", "$driver", "#17401f",
		"$device", "#3a2a55", "$bad", "#5a1f1c", "$aside", "#23262b")
)

// sheet is the style sheet of a picture without colours.
const sheet = `.chain rect { stroke: $line; stroke-width: 1 }
.chain .paper { fill: $paper; stroke: none }
.chain .program rect { fill: $program }
.chain .loader rect { fill: $loader }
.chain .layer rect { fill: $layer }
.chain .driver rect { fill: $driver }
.chain .device rect { fill: $device }
.chain .bad rect { fill: $bad }
.chain .aside rect { fill: $aside; stroke-dasharray: 5 4 }
.chain path { fill: none; stroke: $line; stroke-width: 1.5 }
.chain .head { fill: $line; stroke: none }
.chain text { fill: $ink }
.chain text { font-family: "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; white-space: pre }
.chain .t { font-size: 14px; font-weight: bold }
.chain .p { font-size: 12px }
.chain .f { font-size: 11px; fill: $soft }
`

// PictureStyle returns the style sheet of a picture. Light colours are plain rules, for every renderer; a media query
// has the dark ones. The sheet has no CSS variables, because librsvg does not support them.
func PictureStyle() string {
	return light.Replace(sheet) + "@media (prefers-color-scheme: dark) {\n" + dark.Replace(sheet) + "}\n"
}

// SVG draws the chain.
func SVG(w io.Writer, c *Chain) error {
	picture := draw(lay(c), "<style>"+PictureStyle()+"</style>\n")
	_, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+picture+"\n")
	return err
}

// PictureFragment draws the chain as an element for a page with PictureStyle in its style sheet. It contains no inline
// style.
func PictureFragment(c *Chain) string { return draw(lay(c), "") }

// draw returns a picture as an svg element that contains a style element; "" for none.
func draw(p *picture, style string) string {
	var out strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	put(`<svg xmlns="http://www.w3.org/2000/svg" class="chain" role="img" `+
		`width="%.1f" height="%.1f" viewBox="0 0 %[1]f %[2]f">`, p.w, p.h)
	put("<title>From a program to its devices</title>\n%s"+`<rect class="paper" width="%.1f" height="%.1f"/>`,
		style, p.w, p.h)
	for _, points := range p.edges {
		line := "M"
		for _, at := range points {
			line += fmt.Sprintf("%.1f %.1f ", at[0], at[1])
		}
		put(`<path d="%s"/>`, line)
		head := "l-5 -8h10" // down, or to the right
		if len(points) > 2 {
			head = "l-8 -5v10"
		}
		put(`<path class="head" d="M%.1f %.1f%sZ"/>`, points[len(points)-1][0], points[len(points)-1][1], head)
	}
	for _, b := range p.boxes {
		put(`<g class="%s" id="%s"><title>%s</title>`, b.class, b.id, html.EscapeString(b.title))
		put(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="7"/>`, b.x, b.y, b.w, b.h)
		for _, t := range b.texts {
			put(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, t.class, t.x, t.y, html.EscapeString(t.text))
		}
		put("</g>")
	}
	return out.String() + "</svg>"
}
