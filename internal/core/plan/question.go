package plan

import (
	"slices"
	"strings"

	"vkloader/internal/core/variables"
)

// scope tells which manifests a question searches for, in addition to those of implicit layers.
type scope struct{ explicit, drivers bool }

func (q *Question) scope() scope {
	return scope{
		explicit: q.Kind == Layers || q.isInstance() || q.isExtensions() && q.namesLayer(),
		drivers:  q.isInstance() && !q.exclusiveDirect() || q.isExtensions() && !q.namesLayer(),
	}
}

func (q *Question) isInstance() bool { return q.Kind == Instance || q.Kind == InstanceDrivers }

func (q *Question) isExtensions() bool { return q.Kind == Extensions || q.Kind == ExtensionsDrivers }

// namesLayer reports whether the question names a layer; NULL and "" name none (INS-005).
func (q *Question) namesLayer() bool { return q.LayerName.Set && q.LayerName.Text != "" }

// skipsExplicit reports whether an instance does not need the content of explicit layers' manifests: no such layer is
// requested, and there is no sink for messages. A meta-layer, or a settings file that controls layers, may still need
// them; its code checks that. The files are read in any case (LAY-4, LAY-100).
func (c *call) skipsExplicit() bool {
	return c.q.isInstance() && c.q.Quiet && !c.q.Explain && !c.q.Whole && c.q.App.LayerCount == 0 &&
		!c.f.Variable(variables.InstanceLayers).Set && !c.f.Variable(variables.LayersEnable).Set
}

// enables reports whether the program enabled an extension.
func (q *Question) enables(name string) bool {
	return slices.Contains(q.App.Extensions, Name{name, true})
}

func (q *Question) exclusiveDirect() bool {
	return q.App.DirectList && q.App.DirectMode == directExclusive && q.enables(directExtension)
}

// base returns the last component of a path.
func (q *Question) base(path string) string { return q.Platform.Style.Base(path) }

// split splits a list of paths; empty elements are skipped.
func (q *Question) split(list string) []string {
	var out []string
	separator := string(rune(q.Platform.Style.ListSeparator()))
	for list != "" {
		element, rest, _ := strings.Cut(list, separator)
		if element != "" {
			out = append(out, element)
		}
		list = rest
	}
	return out
}

// knows reports whether the loader knows an instance extension (INS-008).
func (q *Question) knows(name string) bool { return isKnownExtension(name) || q.Platform.Knows(name) }
