package plan

import (
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
)

// memoryLimit bounds what a Memory keeps, in bytes of manifests.
const memoryLimit = 1 << 20

// Memory remembers the parse of files by their path and contents, and the settings that the global functions fall back
// on. One belongs to one spine.
type Memory struct {
	files     map[memoryKey]*parsed
	size      int
	variables []string // named by the manifests; asked for early

	settings GlobalSettings
	number   uint32         // of the settings
	next     GlobalSettings // learned by the last answer, which may have to be made again
	hasNext  bool
}

type memoryKey struct {
	path string
	kind search.Kind
}

// parsed is what a file's text said.
type parsed struct {
	content string
	fault   *document.Fault
	driver  *manifest.Driver
	layers  *manifest.LayerFile
}

func parse(path, content string, kind search.Kind) *parsed {
	p := &parsed{content: content}
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

func clone(s string) string { return string([]byte(s)) }

// parse gives the parse of a file, remembered where the contents are what they were: comparing them costs next to
// nothing, and makes a stale answer impossible.
func (m *Memory) parse(path string, file facts.File, kind search.Kind) *parsed {
	if m == nil || len(file.Content) > memoryLimit/4 {
		return parse(path, file.Content, kind)
	}
	key := memoryKey{path, kind}
	if p := m.files[key]; p != nil && p.content == file.Content {
		return p
	}
	if m.files == nil || m.size+len(file.Content)+len(path) > memoryLimit {
		m.files, m.size, m.variables = make(map[memoryKey]*parsed), 0, nil
	}
	kept := memoryKey{clone(path), kind} // the question's own bytes are not kept alive
	p := parse(kept.path, clone(file.Content), kind)
	m.files[kept] = p
	m.size += len(file.Content) + len(path)
	if p.layers != nil && kind == search.ImplicitLayers {
		for _, l := range p.layers.Layers {
			m.learn(l.DisableName)
			if l.HasEnable {
				m.learn(l.EnableName)
			}
		}
	}
	return p
}

func (m *Memory) learn(variable string) {
	if len(m.variables) >= 64 {
		return
	}
	for _, v := range m.variables {
		if v == variable {
			return
		}
	}
	m.variables = append(m.variables, variable)
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

// Numbers tells which settings the last answer was made with, and which hold after it. Where both are the same, the same
// question has the same answer as long as they are (SET-15 is all that is remembered and can be seen).
func (m *Memory) Numbers() (before, after uint32) {
	if m == nil {
		return 0, 0
	}
	if m.hasNext && !m.next.same(m.settings) {
		return m.number, m.number + 1
	}
	return m.number, m.number
}

// Keep makes what the last answer learned last.
func (m *Memory) Keep() {
	if m.hasNext {
		_, m.number = m.Numbers()
		m.settings, m.next, m.hasNext = m.next, GlobalSettings{}, false
	}
}

// Forget drops what the last answer learned.
func (m *Memory) Forget() { m.next, m.hasNext = GlobalSettings{}, false }
