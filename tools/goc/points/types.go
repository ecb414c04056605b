package points

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// kinds numbers types by their structure, ignoring names.
type kinds struct {
	numbers typeutil.Map
	parts   map[int]map[int]bool
}

func (k *kinds) number(t types.Type) int {
	t = t.Underlying()
	if n, ok := k.numbers.At(t).(int); ok {
		return n
	}
	n := k.numbers.Len()
	k.numbers.Set(t, n)
	return n
}

// within returns the numbers of a type and of all types that its values contain.
func (k *kinds) within(t types.Type) map[int]bool {
	n := k.number(t)
	if k.parts[n] != nil {
		return k.parts[n]
	}
	out := map[int]bool{n: true}
	add := func(part types.Type) {
		for p := range k.within(part) {
			out[p] = true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			add(f.Type())
		}
	case *types.Array:
		add(u.Elem())
	}
	k.parts[n] = out
	return out
}

// overlap reports whether a value of one type may contain a value of the other.
func (k *kinds) overlap(a, b types.Type) bool {
	return k.within(a)[k.number(b)] || k.within(b)[k.number(a)]
}

// leads adds the types of the objects that a value of a type may refer to; any is true if they are unknown.
func (k *kinds) leads(t types.Type, to map[int]bool) (any bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	case *types.Pointer:
		to[k.number(u.Elem())] = true
	case *types.Slice:
		to[k.number(u.Elem())] = true
	case *types.Map, *types.Signature:
		to[k.number(u)] = true
	case *types.Interface:
		return true
	case *types.Array:
		return k.leads(u.Elem(), to)
	case *types.Struct:
		for f := range u.Fields() {
			any = k.leads(f.Type(), to) || any
		}
	case *types.Tuple:
		for v := range u.Variables() {
			any = k.leads(v.Type(), to) || any
		}
	}
	return any
}

// pointing reports whether a value of a type may contain a pointer.
func pointing(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	case *types.Array:
		return pointing(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if pointing(f.Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if pointing(v.Type()) {
				return true
			}
		}
		return false
	}
	return true // pointers, slices, maps, functions, interfaces
}
