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
	Remembered File // the settings file that the global functions fall back on (SET-15)
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
}

func parse(path, content string, kind search.Kind) *parsed {
	p := &parsed{}
	doc, fault := document.Parse(content)
	switch {
	case fault != nil:
		p.fault = fault
	case kind == search.Drivers:
		p.driver = manifest.ReadDriver(doc, path)
	default:
		p.layers = manifest.ReadLayers(doc, path, kind == search.ImplicitLayers)
	}
	return p
}

// parse gives the parse of a file, made once in a call.
func (m *Memory) parse(path string, file facts.File, kind search.Kind) *parsed {
	if m == nil {
		return parse(path, file.Content, kind)
	}
	key := memoryKey{path, kind}
	p := m.files[key]
	if p == nil {
		if m.files == nil {
			m.files = make(map[memoryKey]*parsed)
		}
		p = parse(path, file.Content, kind)
		m.files[key] = p
	}
	return p
}

// readDriver reads a driver manifest; nil after saying why not.
func (d *decider) readDriver(path string, listed bool) *manifest.Driver {
	file, ok := d.read(path, listed)
	if !ok {
		return nil
	}
	p := d.q.Memory.parse(path, file, search.Drivers)
	if p.fault != nil {
		d.fault(path, p.fault)
		return nil
	}
	return p.driver
}

// readLayerFile reads a layer manifest, says what there is to say, and gives copies of its layers.
func (d *decider) readLayerFile(path string, listed bool, kind search.Kind) []*manifest.Layer {
	file, ok := d.read(path, listed)
	if !ok {
		return nil
	}
	p := d.q.Memory.parse(path, file, kind)
	if p.fault != nil {
		d.fault(path, p.fault)
		return nil
	}
	for i := range p.layers.Lines {
		d.line(path, &p.layers.Lines[i])
	}
	copies := make([]manifest.Layer, len(p.layers.Layers))
	list := make([]*manifest.Layer, len(copies))
	for i, l := range p.layers.Layers {
		copies[i] = *l
		list[i] = &copies[i]
	}
	return list
}
