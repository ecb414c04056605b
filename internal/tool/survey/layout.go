package survey

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"vkloader/discover"
	"vkloader/internal/decide/explain"
	"vkloader/internal/tool/term"
)

// Measures of the picture, in pixels.
const (
	margin   = 20.0
	padding  = 12.0
	gap      = 30.0  // between boxes with an arrow
	nearby   = 12.0  // between boxes without one
	wide     = 860.0 // of the chain's boxes
	driverX  = margin + 34
	driverW  = 440.0
	deviceX  = driverX + driverW + 46
	deviceW  = margin + wide - deviceX
	pictureW = wide + 2*margin
)

// text is one line of text. y is its baseline.
type text struct {
	x, y float64
	face *face
	text string
}

// box is a box with text. id is unique in a picture.
type box struct {
	id, class  string
	x, y, w, h float64
	texts      []text
	title      string // the full text, shown as a tooltip
}

// edge is a line of horizontal and vertical pieces between boxes, with or without an arrowhead.
type edge struct {
	points [][2]float64
	arrow  bool
}

// picture is the layout of a chain.
type picture struct {
	w, h  float64
	boxes []box
	edges []edge
}

// anyProgram replaces the program's name if there is none.
const anyProgram = "any program that enables no layer or extension"

// write adds a text below the box's content and extends the box. An empty text changes nothing.
func (b *box) write(f *face, at, room float64, most int, s string) {
	for _, line := range f.wrap(clean(s), room, most) {
		b.h += f.line()
		b.texts = append(b.texts, text{at, b.y + b.h - f.size*0.35, f, line})
	}
}

// clean replaces characters that would break a line or a picture.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		return term.Either(unicode.IsControl(r) || r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != ' ', '\uFFFD', r)
	}, s)
}

// lines joins non-empty lines for a title.
func lines(list ...string) string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, clean(s))
		}
	}
	return strings.Join(out, "\n")
}

// label returns a text with a label; "" for an empty text.
func label(label, s string) string {
	return term.Enclosed(label, s, "")
}

func (p *picture) add(b box) {
	b.h += padding
	p.boxes = append(p.boxes, b)
	p.h = max(p.h, b.y+b.h)
}

func column(id, class string, x, y, w float64) box {
	return box{id: id, class: class, x: x, y: y, w: w, h: padding - 4}
}

func lay(c *Chain) *picture {
	p := &picture{w: pictureW}
	y := margin
	next := func(b box) {
		if len(p.boxes) > 0 {
			last := p.boxes[len(p.boxes)-1]
			x := margin + wide/2
			p.edges = append(p.edges, edge{[][2]float64{{x, last.y + last.h}, {x, b.y}}, true})
		}
		p.add(b)
		y = p.h + gap
	}
	program := column("program", "program", margin, y, wide)
	name := "Program"
	if c.Program != "" {
		name = base(c.Program)
	}
	program.write(title, margin+padding, wide-2*padding, 2, name)
	about := cmp.Or(c.Program, anyProgram)
	program.write(faint, margin+padding, wide-2*padding, 2, about)
	program.title = lines(name, about)
	next(program)

	loader := column("loader", "loader", margin, y, wide)
	loader.write(title, margin+padding, wide-2*padding, 1, "Loader")
	loader.write(faint, margin+padding, wide-2*padding, 2, c.Library+label(", Vulkan ", c.Version))
	loader.title = lines("Loader", c.Library, label("Vulkan ", c.Version))
	next(loader)

	for i := range c.Layers {
		next(layerBox(&c.Layers[i], i, y))
	}
	p.drivers(c)
	p.h += margin
	return p
}

// layerBox returns a box with the layer on the left and its intercepted commands on the right.
func layerBox(l *ChainLayer, i int, y float64) box {
	const left, gutter = 430.0, 18.0
	class := term.Either(l.NameOnly || l.Meta, "layer aside", "layer")
	b := column(fmt.Sprint("layer", i+1), class, margin, y, wide)
	x, room := margin+padding, left-padding
	b.write(title, x, room, 2, l.Name)
	if l.Description != "" && l.Description != l.Name {
		b.write(plain, x, room, 2, l.Description)
	}
	b.write(faint, x, room, 2, l.Why+" ("+l.Statement+")")
	switch {
	case l.NameOnly:
		b.write(faint, x, room, 1, "listed by name only: not in the chain")
	case l.Meta:
		b.write(faint, x, room, 1, "a meta-layer: its components are in the chain")
	default:
		b.write(code, x, room, 2, l.Library)
	}
	b.write(faint, x, room, 2, label("off with ", string(l.Change)))
	right := column("", "", 0, y, 0)
	x, room = margin+left+gutter, wide-left-gutter-padding
	right.write(plain, x, room, 2, l.intercepts())
	right.write(code, x, room, 6, strings.Join(l.Commands, ", "))
	right.write(faint, x, room, 2, label("before instance creation: ", strings.Join(l.Before, ", ")))
	b.texts = append(b.texts, right.texts...)
	b.h = max(b.h, right.h)
	b.title = lines(l.Name, l.Description, l.Why+" ("+l.Statement+")", label("manifest ", l.Manifest),
		label("library ", l.Library), label("off with ", string(l.Change)), l.intercepts(), strings.Join(l.Commands, ", "))
	return b
}

func (l *ChainLayer) intercepts() string {
	switch {
	case l.Meta || l.NameOnly:
		return "intercepts nothing"
	case !l.Known:
		return "intercepted commands: unknown" + label(", ", l.Unknown)
	case len(l.Commands) == 0:
		return "intercepts no command"
	case len(l.Commands) == 1:
		return "intercepts 1 command:"
	}
	return fmt.Sprintf("intercepts %d commands:", len(l.Commands))
}

// drivers adds the drivers along a vertical line, with their devices to the right.
func (p *picture) drivers(c *Chain) {
	last := p.boxes[len(p.boxes)-1]
	top, x := last.y+last.h, margin+14
	y := top + gap
	if len(c.Drivers) == 0 {
		b := column("nodriver", "bad", margin, y, wide)
		b.write(title, margin+padding, wide-2*padding, 1, "No driver")
		b.write(plain, margin+padding, wide-2*padding, 2, "a program gets VK_ERROR_INCOMPATIBLE_DRIVER")
		b.title = "No driver"
		p.edges = append(p.edges, edge{[][2]float64{{margin + wide/2, top}, {margin + wide/2, y}}, true})
		p.add(b)
	}
	for i := range c.Drivers {
		d := &c.Drivers[i]
		b := driverBox(d, i, y)
		at := b.y + 26
		p.edges = append(p.edges, edge{[][2]float64{{x, top}, {x, at}, {b.x, at}}, true})
		top = at // the line continues to the next driver
		p.add(b)
		bottom := b.y + b.h + padding
		from := [][2]float64{{b.x + b.w, at}, {deviceX - 20, at}}
		deviceY := y
		for k := range d.Devices {
			device := deviceBox(&d.Devices[k], deviceY)
			at := device.y + 26
			bend := [2]float64{deviceX - 20, at}
			p.edges = append(p.edges, edge{append(from, bend, [2]float64{device.x, at}), true})
			from = [][2]float64{bend}
			p.add(device)
			deviceY += device.h + padding + nearby
		}
		y = max(bottom, deviceY-nearby) + nearby
	}
	if c.Problem != "" {
		b := column("problem", "bad", margin, p.h+nearby, wide)
		b.write(plain, margin+padding, wide-2*padding, 4, c.Problem)
		b.title = clean(c.Problem)
		p.add(b)
	}
}

func driverBox(d *ChainDriver, i int, y float64) box {
	class := term.Either(d.Problem != "", "bad", "driver")
	b := column(fmt.Sprint("driver", i+1), class, driverX, y, driverW)
	x, room := driverX+padding, driverW-2*padding
	b.write(title, x, room, 2, d.Name)
	b.write(code, x, room, 2, d.Library)
	state := label("Vulkan ", d.API)
	switch {
	case d.Problem != "":
		state = d.Problem
	case d.Known && len(d.Devices) == 0:
		state += ", no device"
	case !d.Known:
		state += ", devices unknown"
	}
	b.write(faint, x, room, 2, strings.TrimPrefix(state, ", "))
	b.write(faint, x, room, 2, label("off with ", string(d.Change)))
	b.title = lines(d.Name, d.Why+" ("+d.Statement+")", label("manifest ", d.Manifest), label("library ", d.Library),
		d.Problem, label("off with ", string(d.Change)))
	return b
}

func deviceBox(d *discover.Device, y float64) box {
	about := strings.TrimSpace(d.DriverName + " " + d.DriverInfo)
	b := column(fmt.Sprint("device", d.Index), "device", deviceX, y, deviceW)
	x, room := deviceX+padding, deviceW-2*padding
	b.write(title, x, room, 3, fmt.Sprintf("%d  %s", d.Index, d.Name))
	b.write(plain, x, room, 1, d.TypeText+label(", Vulkan ", d.APIText))
	b.write(faint, x, room, 2, about)
	b.title = lines(d.Name, d.TypeText, label("Vulkan ", d.APIText), about)
	return b
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Chain is the drawn data: a program, its loader, layers, drivers and devices.
type Chain struct {
	Schema  int           `json:"schema"`            // of the JSON form
	Program string        `json:"program"`           // its path; "": any program
	Library string        `json:"library"`           // the loader's file
	Version string        `json:"version"`           // the loader's API version
	Layers  []ChainLayer  `json:"layers"`            // from the program down
	Drivers []ChainDriver `json:"drivers"`           // in search order
	Problem string        `json:"problem,omitempty"` // the reason for missing devices or commands
}

// ChainLayer is an active layer.
type ChainLayer struct {
	explain.Item
	Description string   `json:"description,omitempty"`
	Known       bool     `json:"known"`                  // commands is complete
	Unknown     string   `json:"unknown,omitempty"`      // the reason for unknown commands
	Commands    []string `json:"commands"`               // the intercepted commands, the most important first
	Before      []string `json:"pre_instance,omitempty"` // the intercepted pre-instance commands
}

// ChainDriver is an opened driver.
type ChainDriver struct {
	explain.Item
	API     string            `json:"api_version,omitempty"`
	Problem string            `json:"problem,omitempty"`
	Known   bool              `json:"known"` // the driver's devices are known
	Devices []discover.Device `json:"devices"`
}
