package settings

import (
	"slices"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/settings"
)

// others is the empty name that stands for all layers that a list does not name.
const others = ""

// entry is an element of a list of layers.
type entry = map[string]any

func asEntry(element any) entry { e, _ := element.(entry); return e } // nil if the element is no object

func nameOf(e entry) string    { text, _ := e["name"].(string); return text }
func controlOf(e entry) string { text, _ := e["control"].(string); return text }
func byRule(e entry) bool      { yes, _ := e[OrderMember].(bool); return yes }

func isOthers(e entry) bool { return controlOf(e) == settings.Unordered.String() }

// entries returns an object's list of layers; false if it has none.
func entries(object map[string]any) (list []entry, has bool) {
	_, has = object["layers"].([]any)
	return those[entry](object["layers"]), has
}

// those returns the elements of an array that have type T.
func those[T any](array any) (list []T) {
	elements, _ := array.([]any)
	for _, element := range elements {
		if one, is := element.(T); is {
			list = append(list, one)
		}
	}
	return list
}

// strip removes the entries that rules have put into an object. Entries that a quarantine has disabled since then stay.
func strip(object map[string]any) {
	list, has := entries(object)
	if !has {
		return
	}
	own := false // the rules added the entry for all other layers
	kept := slices.DeleteFunc(list, func(e entry) bool {
		own = own || byRule(e) && isOthers(e)
		return byRule(e) && (isOthers(e) || controlOf(e) == settings.Auto.String())
	})
	if before, ok := object[OrderMember].([]any); ok {
		slices.SortStableFunc(kept, func(a, b entry) int {
			return slices.Index(before, any(nameOf(a))) - slices.Index(before, any(nameOf(b)))
		})
		delete(object, OrderMember)
	}
	if own && len(kept) == 0 {
		delete(object, "layers")
		return
	}
	if own {
		kept = append(kept, entry{"control": settings.Unordered.String()})
	}
	object["layers"] = anyOf(kept)
}

// anyOf returns a list as a JSON array.
func anyOf[T any](list []T) []any {
	out := []any{}
	for _, e := range list {
		out = append(out, e)
	}
	return out
}

// sorted orders names so that the rules hold. A name that has to be above another moves right before it; all other names
// keep their order. false: the rules contradict each other.
func sorted(names []string, rules []OrderRule) (out []string, possible bool) {
	done := map[string]int{} // 1: being placed, 2: placed
	possible = true
	var place func(name string)
	place = func(name string) {
		if done[name] != 0 {
			possible = possible && done[name] == 2
			return
		}
		done[name] = 1
		for _, above := range names {
			if slices.ContainsFunc(rules, func(r OrderRule) bool { return r.Upper == above && r.Lower == name }) {
				place(above)
			}
		}
		done[name] = 2
		out = append(out, name)
	}
	for _, name := range names {
		place(name)
	}
	return out, possible
}

// arrange writes an order into an object without marks. layers are the existing layers in the order without the rules; rules
// are the rules about existing layers.
func arrange(object map[string]any, layers []*manifest.Layer, rules []OrderRule) (possible bool) {
	if len(rules) == 0 {
		return true
	}
	list, has := entries(object)
	merged := !has || slices.ContainsFunc(list, isOthers)
	first := map[string]*manifest.Layer{}
	var names []string
	for _, l := range layers {
		if first[l.Name] == nil {
			first[l.Name], names = l, append(names, l.Name)
		}
	}
	own := map[string][]entry{}
	var fresh, silent []entry // silent layers have no place in the order: they are off, or have no manifest
	var before []any
	for _, e := range list {
		switch name := nameOf(e); {
		case isOthers(e):
			own[others] = []entry{e}
			before = append(before, any(others))
		case controlOf(e) == settings.Off.String() || first[name] == nil:
			silent = append(silent, e)
		default:
			own[name] = append(own[name], e)
			before = append(before, any(name))
		}
	}
	if merged {
		names = withOthers(names, before, own)
		if own[others] == nil {
			own[others] = []entry{{"control": settings.Unordered.String(), OrderMember: true}}
		}
	}
	order, possible := sorted(names, rules)
	if !possible {
		return false
	}
	from, to := block(order, names, own, rules)
	var after []any
	for i, name := range order {
		switch {
		case i > from && i < to: // this name is part of others
			continue
		case i == from && i < to || name == others:
			fresh, after = append(fresh, own[others]...), append(after, any(others))
			continue
		case own[name] == nil:
			fresh = append(fresh, entryOf(first[name]))
			continue
		}
		fresh = append(fresh, own[name]...)
		for range own[name] {
			after = append(after, any(name))
		}
	}
	if has && !slices.Equal(before, after) {
		object[OrderMember] = before
	}
	object["layers"] = anyOf(append(silent, fresh...))
	return true
}

// withOthers inserts the place of all other layers into the names if no layer marks it.
func withOthers(names []string, before []any, own map[string][]entry) []string {
	if slices.ContainsFunc(names, func(name string) bool { return own[name] == nil }) {
		return names
	}
	at := len(names)
	if place := slices.Index(before, any(others)); place >= 0 && place+1 < len(before) {
		at = slices.Index(names, before[place+1].(string))
	}
	return slices.Insert(slices.Clone(names), at, others)
}

// block returns the longest part of an order that the list can omit: layers in the order of names, without an entry in the
// earlier list, and without both layers of a rule.
func block(order, names []string, own map[string][]entry, rules []OrderRule) (from, to int) {
	if own[others] == nil {
		return 0, 0
	}
	for start := range order {
		end := start
		for end < len(order) {
			name := order[end]
			part := order[start:end]
			if name == others || own[name] != nil || end > start && slices.Index(names, name) < slices.Index(names, part[len(part)-1]) ||
				slices.ContainsFunc(rules, func(r OrderRule) bool { return r.Lower == name && slices.Contains(part, r.Upper) }) {
				break
			}
			end++
		}
		if end-start > 0 && end-start >= to-from {
			from, to = start, end
		}
	}
	return from, to
}

// entryOf returns a list entry that only gives a layer its place.
func entryOf(l *manifest.Layer) entry {
	e := entry{"name": l.Name, "path": l.Manifest, "control": settings.Auto.String(), OrderMember: true}
	if l.Implicit {
		e["treat_as_implicit_manifest"] = true
	}
	return e
}
