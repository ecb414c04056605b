package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
)

// manifests reads the files of drivers and layers, each once in a call.
type manifests struct {
	call
	costs *costs
}

// read returns a file. It returns false, after a message, if the file cannot be read (LOG-19, LAY-7, LAY-8).
func (r *manifests) read(path string, listed bool) (facts.File, bool) {
	file, known := r.f.File(path)
	if !known {
		return file, known
	}
	text := ""
	code, severity := diag.FileRead, diag.Error
	switch file.Status {
	case facts.FileRead:
		return file, true
	case facts.FileNotOpened:
		name := path
		if listed && !r.f.Exists(path) { // PATH-19: the name may be a dangling link
			name = r.q.base(path)
		}
		code, text = diag.FileOpen, "loader_get_json: Failed to open JSON file "+name
	case facts.FileNoSize:
		text = "loader_get_json: Failed to read file size of JSON file " + path
	case facts.FileNotRegular:
		text = "loader_get_json: JSON file " + path + " is not a regular file"
	case facts.FileTooLarge:
		severity = diag.Warn
		text = "loader_get_json: JSON file " + path + " is larger than 16777216 bytes"
	case facts.FileTooOften:
		code, severity = diag.FileCost, diag.Warn
		text = "loader_get_json: JSON file " + path + " is not read: it was read too often by other names"
	default:
		text = "loader_get_json: Failed to read entire JSON file " + path
	}
	r.say(severity, code, path, path, text)
	return file, false
}

func (r *manifests) detail() manifest.Detail {
	switch {
	case r.q.Explain:
		return manifest.Placed
	case r.quiet:
		return manifest.Silent
	}
	return manifest.Spoken
}

// parse returns the parsed file; a file is parsed once in a call.
func (r *manifests) parse(path string, file facts.File, kind search.Kind) *parsedFile {
	m := r.m
	key := memoryKey{path, kind}
	p := m.files[key]
	if p != nil {
		return p
	}
	if m.files == nil {
		m.files = make(map[memoryKey]*parsedFile)
	}
	p = &parsedFile{fault: m.scratch.Read(file.Content)}
	switch {
	case p.fault != nil:
	case kind == search.Drivers:
		p.driver = manifest.ReadDriver(&m.scratch, path, &r.q.Platform.System)
	default:
		p.layers = manifest.ReadLayers(&m.scratch, path, kind == search.ImplicitLayers, r.detail(),
			&r.q.Platform.System)
		p.given = make([]uint32, len(p.layers.Layers))
		text := 0
		for i := range p.layers.Lines {
			text += len(p.layers.Lines[i].Text)
		}
		r.spendText(text)
	}
	m.files[key] = p
	return p
}

// driver reads a driver manifest. It returns nil after a message.
func (r *manifests) driver(path string, listed bool) *manifest.Driver {
	file, ok := r.read(path, listed)
	if !ok {
		return nil
	}
	return r.driverOf(path, file)
}

// driverOf parses the text of a driver manifest. It returns nil after a message.
func (r *manifests) driverOf(path string, file facts.File) *manifest.Driver {
	p := r.parse(path, file, search.Drivers)
	if p.fault != nil {
		r.fault(path, p.fault)
	}
	return p.driver
}

// layers reads a layer manifest. It returns nil after a message.
func (r *manifests) layers(path string, listed bool, kind search.Kind) *parsedFile {
	file, ok := r.read(path, listed)
	if !ok {
		return nil
	}
	p := r.parse(path, file, kind)
	if p.fault != nil {
		r.fault(path, p.fault)
		return nil
	}
	return p
}

// add reads a layer manifest, logs its messages, and adds its layers to a list. A meta-layer is copied, because it gets
// the extensions of its components. So is a layer that this list already has, because the copy is another layer.
func (r *manifests) add(list []*manifest.Layer, path string, listed bool, kind search.Kind) []*manifest.Layer {
	p := r.layers(path, listed, kind)
	if p == nil {
		return list
	}
	r.sayLines(p, path)
	for i, l := range p.layers.Layers {
		if p.given[i] == r.m.turn || l.Meta {
			other := *l
			l = &other
		}
		p.given[i] = r.m.turn
		list = append(list, l)
	}
	return list
}

// sayLines logs the messages of a layer manifest.
func (r *manifests) sayLines(p *parsedFile, path string) {
	for i := range p.layers.Lines {
		r.line(path, &p.layers.Lines[i])
	}
	p.said = r.m.turn
}

// layerOf returns the layer of a settings file's entry: the first of that name in the entry's manifest, or nil. Many
// entries may name one manifest, so its names are indexed once.
func (r *manifests) layerOf(e *settings.LayerEntry, kind search.Kind) (p *parsedFile, at int) {
	if p = r.layers(e.Path, false, kind); p == nil {
		return nil, 0
	}
	if p.said != r.m.turn || r.costs.spend(&r.costs.repeats, 100*len(p.layers.Lines)) {
		r.sayLines(p, e.Path)
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

// give returns a layer for the list, or nil if it was given before and the budget does not allow another copy.
func (r *manifests) give(p *parsedFile, at int) *manifest.Layer {
	l := p.layers.Layers[at]
	again := p.given[at] == r.m.turn
	p.given[at] = r.m.turn
	if again && !r.costs.spend(&r.costs.repeats, size(l)) {
		return nil
	}
	if again || l.Meta {
		other := *l
		return &other
	}
	return l
}
