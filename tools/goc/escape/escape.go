// Package escape finds the variables, closures and small slices that do not outlive the call of the function that makes
// them. These can be on the C stack instead of in the arena.
//
// The analysis is conservative: a variable escapes unless the package can prove that it does not.
package escape

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Analysis caches the results of one program.
type Analysis struct {
	values map[ssa.Value]state
}

// state is the state of a value's analysis.
type state uint8

const (
	unknown state = iota
	asking        // being computed: the value is in a cycle
	stays
	leaves
)

// New returns an empty analysis.
func New() *Analysis { return &Analysis{values: map[ssa.Value]state{}} }

// Escapes reports whether the memory that v points to (an *ssa.Alloc or *ssa.MakeClosure) may be reached after the
// function that made it has returned, or after v has been made again in a loop.
func (a *Analysis) Escapes(v ssa.Value) bool {
	switch a.values[v] {
	case stays:
		return false
	case asking, leaves:
		return true
	}
	a.values[v] = asking
	out := a.flows(v)
	if out {
		a.values[v] = leaves
	} else {
		a.values[v] = stays
	}
	return out
}

// flows reports whether one of the uses of a pointer, slice or closure lets it leave the function.
func (a *Analysis) flows(v ssa.Value) bool {
	refs := v.Referrers()
	if refs == nil {
		return true
	}
	for _, r := range *refs {
		if a.use(v, r) {
			return true
		}
	}
	return false
}

// use reports whether one instruction lets v leave the function.
func (a *Analysis) use(v ssa.Value, r ssa.Instruction) bool {
	switch r := r.(type) {
	case *ssa.DebugRef, *ssa.If:
		return false
	case *ssa.BinOp: // a comparison
		return false
	case *ssa.FieldAddr:
		return a.Escapes(r)
	case *ssa.IndexAddr:
		return r.X == v && a.Escapes(r)
	case *ssa.Slice:
		return r.X == v && a.Escapes(r)
	case *ssa.ChangeType:
		return a.Escapes(r)
	case *ssa.Convert: // between bytes and strings the contents are copied
		_, slice := v.Type().Underlying().(*types.Slice)
		return !slice
	case *ssa.UnOp: // the loaded value is not the pointer
		return false
	case *ssa.Store:
		return r.Val == v && !a.storedLocally(v, r)
	case *ssa.MakeClosure:
		return a.escapesInClosure(v, r)
	case *ssa.Call:
		return a.call(v, r)
	}
	return true
}

// storedLocally reports whether a pointer is stored into a variable that is itself only loaded from and stored to, and
// whether the loaded values stay in the function.
func (a *Analysis) storedLocally(v ssa.Value, s *ssa.Store) bool {
	made, ok := v.(ssa.Instruction)
	if !ok { // a parameter or a captured variable
		return false
	}
	at := s.Addr
	for {
		switch x := at.(type) {
		case *ssa.FieldAddr:
			at = x.X
			continue
		case *ssa.Alloc:
			return x.Block() == made.Block() && a.contents(x, v.Type())
		}
		return false
	}
}

// contents reports whether every value of type t that is loaded through an address stays in the function.
func (a *Analysis) contents(at ssa.Value, t types.Type) bool {
	for _, r := range *at.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if r.Val == at {
				return false
			}
		case *ssa.FieldAddr:
			if !a.contents(r, t) {
				return false
			}
		case *ssa.UnOp:
			if types.Identical(r.Type(), t) {
				if a.Escapes(r) {
					return false
				}
			} else if hasPointers(r.Type()) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func hasPointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return hasPointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// escapesInClosure follows a variable into the closures that capture it.
func (a *Analysis) escapesInClosure(v ssa.Value, m *ssa.MakeClosure) bool {
	if a.Escapes(m) {
		return true
	}
	fn := m.Fn.(*ssa.Function)
	for i, b := range m.Bindings {
		if b == v && a.Escapes(fn.FreeVars[i]) {
			return true
		}
	}
	return false
}

// call follows an argument into the function that is called.
func (a *Analysis) call(v ssa.Value, r *ssa.Call) bool {
	c := r.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap", "copy", "print", "println":
			return false
		case "append":
			// append copies the elements of v; these are followed where they are stored
			if len(c.Args) > 1 && c.Args[1] == v {
				return c.Args[0] == v && a.Escapes(r)
			}
			return a.Escapes(r)
		}
		return true
	}
	callee := c.StaticCallee()
	if callee == nil || callee.Blocks == nil {
		for _, arg := range c.Args {
			if arg == v {
				return true
			}
		}
		return c.IsInvoke() // calling a closure lets nothing of the closure out
	}
	for i, arg := range c.Args {
		if arg == v && a.Escapes(callee.Params[i]) {
			return true
		}
	}
	return false
}
