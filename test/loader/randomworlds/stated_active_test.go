package randomworlds

import (
	"slices"
	"strings"
)

// activation collects the active list, top first.
type activation struct {
	*stated
	list   []*layer
	active []*layer
}

func (a *activation) has(name string) bool { return named(a.active, name) != nil }

// add activates a layer by itself; a meta-layer also activates its components (LAY-142, LAY-173).
func (a *activation) add(l *layer) {
	if l == nil || a.has(l.name) {
		return
	}
	a.put(l, nil)
}

// brought reports whether a layer is a component of an enabled override layer that the search found (LAY-134).
func (s *stated) brought(list []*layer, l *layer) bool {
	over := named(list, override)
	return s.overridden && over != nil && slices.Contains(over.components, l.name)
}

// put adds a layer and its components; within lists the meta-layers that contain it.
func (a *activation) put(l *layer, within []*layer) {
	if !l.meta {
		if !a.has(l.name) { // LAY-175
			a.active = append(a.active, l)
		}
		return
	}
	whole := true
	for _, name := range l.components {
		c := named(a.list, name)
		switch {
		case c == nil: // LAY-179
			a.say(`WARNING|LAYER: Failed to find layer name "` + name + `" component layer "` + name + `" to activate (Policy #LLP_LAYER_7)`)
			whole = false
		case slices.Contains(within, c) || c == l:
		case c.implicit && !a.enabled(c) && !a.brought(a.list, c): // LAY-177, LAY-202
		default:
			a.put(c, append(slices.Clone(within), l))
		}
	}
	if whole {
		a.active = append(a.active, l) // LAY-176
	}
}

// activate returns the active list of an instance (3.4, 6.6).
func (s *stated) activate(list []*layer, set *settings, app []string) []*layer {
	a := &activation{stated: s, list: list}
	variable, given := s.plain("VK_INSTANCE_LAYERS")
	if set != nil && set.layers {
		if given { // SET-63
			s.say("WARNING|LAYER: env var 'VK_INSTANCE_LAYERS' defined and adding layers: " + variable)
		}
		return s.activateSettled(list, elements(variable), app)
	}
	first := func(l *layer) bool { return named(list, l.name) == l } // LAY-108, LAY-109
	for _, l := range list {                                         // (1)
		if first(l) && (s.enabled(l) || l.implicit && s.brought(list, l)) && !(given && strings.Contains(variable, l.name)) { // LAY-145, LAY-146
			a.add(l)
		}
	}
	if given { // (2)
		s.say(`WARNING|LAYER: env var 'VK_INSTANCE_LAYERS' defined and adding layers "` + variable + `"`)
	}
	for _, name := range elements(variable) {
		if named(list, name) == nil {
			s.say(`ERROR|LAYER: Layer "` + name + `" was not found but was requested by env var VK_INSTANCE_LAYERS!`)
		}
		a.add(named(list, name))
	}
	for _, l := range list { // (3)
		if first(l) && !l.implicit && s.matches("VK_LOADER_LAYERS_ENABLE", l.name) {
			a.add(l)
		}
	}
	for _, name := range app { // (4)
		a.add(named(list, name))
	}
	return a.active
}

// own reports whether a layer is active by itself under a settings file (SET-54 to SET-60).
func (s *stated) own(l *layer, variable, app []string) bool {
	if l.control == "on" {
		return true
	}
	if s.excluded(l) {
		s.say(`WARNING|LAYER: Layer "` + l.name + `" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`) // SET-58
		return false
	}
	return s.matches("VK_LOADER_LAYERS_ENABLE", l.name) || slices.Contains(variable, l.name) || slices.Contains(app, l.name) || s.enabledThere(l)
}

// excluded evaluates the disable check under a settings file: a layer that it removes stays removed (SET-58, SET-60).
func (s *stated) excluded(l *layer) bool {
	return l.control != "on" && !s.matches("VK_LOADER_LAYERS_ALLOW", l.name) &&
		(s.matches("VK_LOADER_LAYERS_DISABLE", l.name) || s.says("~all~", "*", "**", "~implicit~"))
}

// enabledThere evaluates only the rules of 4.7, after the filter variables.
func (s *stated) enabledThere(l *layer) bool {
	if _, set := s.plain(l.disable); !l.implicit || set {
		return false
	}
	value, set := s.plain(l.enable)
	return !l.enables || set && value == l.value
}

// activateSettled activates layers in list order (SET-53). Components that are not active by themselves precede their meta-layer
// (SET-67).
func (s *stated) activateSettled(list []*layer, variable, app []string) []*layer {
	var active []*layer
	own := map[*layer]bool{}
	ownName := map[string]bool{}
	for _, l := range list {
		own[l] = (s.own(l, variable, app) || l.implicit && !s.excluded(l) && s.brought(list, l)) && (l.settled || named(list, l.name) == l) // LAY-108: of regular ones the first counts
		ownName[l.name] = ownName[l.name] || own[l]
	}
	var put func(l *layer, within []*layer)
	put = func(l *layer, within []*layer) {
		whole := true
		for _, name := range l.components {
			c := named(list, name)
			switch {
			case c == nil: // SET-68
				s.say(`WARNING|LAYER: Failed to find layer name "` + name + `" component layer "` + name + `" to activate (Policy #LLP_LAYER_7)`)
				whole = false
			case ownName[name] || slices.Contains(within, c) || c == l: // SET-67, SET-69
			case c.implicit && !s.enabled(c) && !s.brought(list, c): // OVR-19, LAY-177
			case s.excluded(c): // SET-58, SET-60
			case named(active, name) == nil || c.meta:
				put(c, append(slices.Clone(within), l))
			}
		}
		if whole {
			active = append(active, l)
		}
	}
	for _, l := range list {
		if own[l] {
			put(l, nil)
		}
	}
	return active
}

// chain returns the layers whose libraries are loaded, top first: no meta-layers (LAY-151), and the last layer of
// each name (SET-44).
func chain(active []*layer) (list []*layer) {
	for i, l := range active {
		if !l.meta && named(active[i+1:], l.name) == nil {
			list = append(list, l)
		}
	}
	return list
}

// globals returns the layers that take part in global functions (6, LAY-240 to LAY-246, SET-72), in list order, and those whose
// extensions are listed.
func (s *stated) globals() (hooked, extended []*layer) {
	set := s.settings()
	s.global = true
	list := s.layers(set)
	s.global = false
	exclusive := set != nil && set.layers && !slices.ContainsFunc(set.entries, func(e entry) bool { return e.control == "unordered_layer_location" })
	quirk := !exclusive && slices.ContainsFunc(list, func(l *layer) bool { return l.meta && l.implicit })
	components := map[string]bool{}
	for _, l := range list {
		for _, name := range l.components {
			components[name] = true
		}
	}
	first := map[string]bool{}
	for _, l := range list {
		switch {
		case l.implicit && !first[l.name] && s.enabled(l): // LAY-109
			hooked = append(hooked, l)
			extended = append(extended, l)
		case !l.implicit && quirk && components[l.name]: // LAY-246
			extended = append(extended, l)
		}
		first[l.name] = first[l.name] || l.implicit
	}
	return hooked, extended
}
