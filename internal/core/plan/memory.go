package plan

import (
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
)

// Memory is what one call of the program's keeps from one question to the next: the parse of files, whose contents do
// not change within a call; and what earlier calls have left it.
type Memory struct {
	files      map[memoryKey]*parsed
	scratch    document.Document // of the file that is being read
	turn       uint32            // counts the layer lists
	settings   [2]readSettings   // what settings files said: the one that is there, and the one that is remembered
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
	given  []uint32       // for each layer, the last turn that it was given out in
	names  map[string]int // the first layer of each name, once one is looked for
	said   uint32         // the last turn that its lines were said in
}

// readSettings is what a settings file said.
type readSettings struct {
	path, content string
	known         bool
	fault         *document.Fault
	set           *settings.Settings
	outcome       settings.Outcome
	lines         []manifest.Line
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
		p.given = make([]uint32, len(p.layers.Layers))
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

// layersOf gives what a layer manifest says; nil after saying why not.
func (d *decider) layersOf(path string, listed bool, kind search.Kind) *parsed {
	file, ok := d.read(path, listed)
	if !ok {
		return nil
	}
	p := d.parse(path, file, kind)
	if p.fault != nil {
		d.fault(path, p.fault)
		return nil
	}
	return p
}

// readLayerFile reads a layer manifest, says what there is to say, and adds its layers to a list. A layer is given out
// as it was parsed, a meta-layer as a copy, because it gets the extensions of its components; what has been given out
// for this list is copied, too: it is another layer.
func (d *decider) readLayerFile(list []*manifest.Layer, path string, listed bool, kind search.Kind) []*manifest.Layer {
	p := d.layersOf(path, listed, kind)
	if p == nil {
		return list
	}
	d.layerLines(p, path)
	for i, l := range p.layers.Layers {
		if p.given[i] == d.m.turn || l.Meta {
			other := *l
			l = &other
		}
		p.given[i] = d.m.turn
		list = append(list, l)
	}
	return list
}

// layerLines says what there is to say about a layer manifest.
func (d *decider) layerLines(p *parsed, path string) {
	for i := range p.layers.Lines {
		d.line(path, &p.layers.Lines[i])
	}
	p.said = d.m.turn
}

// layerOf gives the first layer of a name in a manifest that an entry of the settings file names; nil without one. Any
// number of entries may name one manifest: the whole of it is gone through once.
func (d *decider) layerOf(e *settings.LayerEntry, kind search.Kind) (p *parsed, at int) {
	if p = d.layersOf(e.Path, false, kind); p == nil {
		return nil, 0
	}
	if p.said != d.m.turn || d.spend(&d.repeats, 100*len(p.layers.Lines)) {
		d.layerLines(p, e.Path)
	}
	if p.names == nil && len(p.layers.Layers) > 1 {
		p.names = make(map[string]int, len(p.layers.Layers))
		for i, l := range p.layers.Layers {
			if _, known := p.names[l.Name]; !known {
				p.names[l.Name] = i
			}
		}
	}
	if p.names == nil {
		if len(p.layers.Layers) == 1 && p.layers.Layers[0].Name == e.Name {
			return p, 0
		}
		return nil, 0
	}
	at, found := p.names[e.Name]
	if !found {
		return nil, 0
	}
	return p, at
}

// give gives a layer for the list; nil when it was given before and there is no budget for another copy.
func (d *decider) give(p *parsed, at int) *manifest.Layer {
	l := p.layers.Layers[at]
	again := p.given[at] == d.m.turn
	p.given[at] = d.m.turn
	if again && !d.spend(&d.repeats, size(l)) {
		return nil
	}
	if again || l.Meta {
		other := *l
		return &other
	}
	return l
}
