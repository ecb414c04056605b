package plan

import (
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
)

// Memory is what one call of the program's keeps from one question to the next: the parse of files, whose contents do
// not change within a call; and what earlier calls have left it.
type Memory struct {
	files      map[memoryKey]*parsed
	scratch    document.Document // of the file that is being read
	turn       uint32            // counts the answers
	before     *before
	Remembered File // the settings file that the global functions fall back on (SET-15)
}

// before is what the first question of a call has found, for the one that is asked when drivers have been opened.
type before struct {
	kind            Kind // of the second question
	layers          []*manifest.Layer
	active          []Active
	activation, old []Step // see instance
	skipped         int    // portability drivers
	enabled         []bool // layers whose extensions count; see extensions
	exclusive       bool   // the settings file leaves nothing to the search
}

// File is a file's path and text.
type File struct {
	Path, Content string
	Set           bool // false: no file
}

type memoryKey struct {
	path string
	kind search.Kind
}

// parsed is what a file's text said.
type parsed struct {
	fault  *document.Fault
	driver *manifest.Driver
	layers *manifest.LayerFile
	given  uint32 // the last turn that its layers were given out in
}

func (d *decider) detail() manifest.Detail {
	switch {
	case d.q.Explain:
		return manifest.Placed
	case d.quiet:
		return manifest.Silent
	}
	return manifest.Spoken
}

// parse gives the parse of a file, made once in a call.
func (d *decider) parse(path string, file facts.File, kind search.Kind) *parsed {
	m := d.m
	key := memoryKey{path, kind}
	p := m.files[key]
	if p != nil {
		return p
	}
	if m.files == nil {
		m.files = make(map[memoryKey]*parsed)
	}
	p = &parsed{fault: m.scratch.Read(file.Content)}
	switch {
	case p.fault != nil:
	case kind == search.Drivers:
		p.driver = manifest.ReadDriver(&m.scratch, path, &d.q.Platform.System)
	default:
		p.layers = manifest.ReadLayers(&m.scratch, path, kind == search.ImplicitLayers, d.detail(), &d.q.Platform.System)
	}
	m.files[key] = p
	return p
}

// readDriver reads a driver manifest; nil after saying why not.
func (d *decider) readDriver(path string, listed bool) *manifest.Driver {
	file, ok := d.read(path, listed)
	if !ok {
		return nil
	}
	return d.driverOf(path, file)
}

// driverOf parses the text of a driver manifest; nil after saying why not.
func (d *decider) driverOf(path string, file facts.File) *manifest.Driver {
	p := d.parse(path, file, search.Drivers)
	if p.fault != nil {
		d.fault(path, p.fault)
		return nil
	}
	return p.driver
}

// readLayerFile reads a layer manifest, says what there is to say, and adds its layers to a list. A layer is given out
// as it was parsed, a meta-layer as a copy, because it gets the extensions of its components; what has been given out
// for this answer is copied, too: it is another layer.
func (d *decider) readLayerFile(list []*manifest.Layer, path string, listed bool, kind search.Kind) []*manifest.Layer {
	file, ok := d.read(path, listed)
	if !ok {
		return list
	}
	p := d.parse(path, file, kind)
	if p.fault != nil {
		d.fault(path, p.fault)
		return list
	}
	for i := range p.layers.Lines {
		d.line(path, &p.layers.Lines[i])
	}
	again := p.given == d.m.turn
	p.given = d.m.turn
	for _, l := range p.layers.Layers {
		if again || l.Meta {
			other := *l
			l = &other
		}
		list = append(list, l)
	}
	return list
}
