// Package lint finds code with another result in C: changes of package variables, which are constant data there, and an
// unspecified order. In x + f(), if f changes x, Go's compiler reads x after the call, and go/ssa before it.
//
// It does not follow pointers. A change of a package variable through a pointer faults at run time. For the order, a
// pointer may lead to every value of its type.
package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/program"
)

// linter checks a program.
type linter struct {
	program *program.Program
	calls   map[*ssa.Function][]*ssa.Function // the callees of each function
	valued  []*ssa.Function                   // the possible callees of a function value
}

// Check returns the errors of a program. calls has the callees of each function, and valued the possible callees of
// function values.
func Check(p *program.Program, calls map[*ssa.Function][]*ssa.Function, valued []*ssa.Function) (faults []error) {
	l := &linter{p, calls, valued}
	for _, f := range p.Functions {
		said := map[ast.Stmt]bool{}
		for i := range instructions(f) {
			if to := changedPlace(i); to != nil && builtin(i) != "append" { // append also takes slices without room
				if g, ok := root(to.address, true).(*ssa.Global); ok {
					faults = append(faults,
						p.Fault(i.Pos(), f, fmt.Sprintf("%s is assigned to: package variables are constant", g)))
				}
			}
			from, in := readPlace(i), statement(f, i)
			if from == nil || in == nil || said[in] {
				continue
			}
			if change := l.laterChange(f, i, in, from); change != nil {
				said[in] = true
				file, line := p.Position(change.Pos())
				faults = append(faults,
					p.Fault(position(i), f, fmt.Sprintf("%s is read in one statement with a later call "+
						"that may change it (%s:%d): Go's compiler reads it after the call; give one of them a variable",
						types.TypeString(from.of, (*types.Package).Name), file, line)))
			}
		}
	}
	return faults
}

// laterChange returns a change of the read memory in a later call of the same statement, if the statement uses the
// read value after that call.
func (l *linter) laterChange(f *ssa.Function, i ssa.Instruction, in ast.Stmt, from *place) ssa.Instruction {
	used := uses(f, i.(ssa.Value), in, nil)
	for j := range instructions(f) {
		call, ok := j.(*ssa.Call)
		isLater := func(u ssa.Instruction) bool { return isBefore(j, u) }
		if ok && statement(f, j) == in && isBefore(i, j) && slices.ContainsFunc(used, isLater) {
			if change := l.findChange(call, from); change != nil {
				return change
			}
		}
	}
	return nil
}

func instructions(f *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// isBefore reports whether one instruction may run before another without a repetition of a loop.
func isBefore(first, second ssa.Instruction) bool {
	if first.Block() == second.Block() {
		return slices.Index(first.Block().Instrs, first) < slices.Index(first.Block().Instrs, second)
	}
	return reaches(first.Block(), second.Block(), map[*ssa.BasicBlock]bool{})
}

func reaches(from, to *ssa.BasicBlock, seen map[*ssa.BasicBlock]bool) bool {
	seen[from] = true
	return slices.ContainsFunc(from.Succs, func(b *ssa.BasicBlock) bool {
		return !b.Dominates(from) && !seen[b] && (b == to || reaches(b, to, seen))
	})
}

// uses appends the users of a value, and of the values computed from it in the same statement without a call.
func uses(f *ssa.Function, v ssa.Value, in ast.Stmt, out []ssa.Instruction) []ssa.Instruction {
	for _, u := range *v.Referrers() {
		if slices.Contains(out, u) {
			continue
		}
		out = append(out, u)
		if store, ok := u.(*ssa.Store); ok && store.Val == v && isNew(store.Addr) && statement(f, u) == in {
			out = uses(f, root(store.Addr, false), in, out) // a literal
		}
		if _, ok := u.(*ssa.Call); !ok || builtin(u) == "len" {
			if next, ok := u.(ssa.Value); ok {
				out = uses(f, next, in, out)
			}
		}
	}
	return out
}

// findChange returns an instruction in a call that may change a place.
func (l *linter) findChange(call *ssa.Call, at *place) ssa.Instruction {
	var queue []*ssa.Function
	if builtin(call) != "" {
		if to := changedPlace(call); to != nil && to.meets(at) {
			return call
		}
	} else if f := call.Call.StaticCallee(); f != nil {
		queue = []*ssa.Function{f}
	} else {
		for _, f := range l.valued {
			if types.Identical(f.Signature, call.Call.Signature()) {
				queue = append(queue, f)
			}
		}
	}
	seen := map[*ssa.Function]bool{}
	for len(queue) > 0 {
		f := queue[0]
		if queue = queue[1:]; seen[f] {
			continue
		}
		seen[f] = true
		queue = append(queue, l.calls[f]...)
		for i := range instructions(f) {
			if to := changedPlace(i); to != nil && !isNew(to.address) && to.meets(at) {
				return i
			}
		}
	}
	return nil
}

// statement returns the innermost statement with an instruction; nil if it is unknown.
func statement(f *ssa.Function, i ssa.Instruction) (in ast.Stmt) {
	at := position(i)
	if f.Syntax() == nil || !at.IsValid() {
		return nil
	}
	ast.Inspect(f.Syntax(), func(n ast.Node) bool {
		if n == nil || at < n.Pos() || at >= n.End() {
			return false
		}
		if s, ok := n.(ast.Stmt); ok {
			in = s
		}
		return true
	})
	return in
}

// position returns the position of an instruction; if the source does not show it, that of its address or of its first
// use.
func position(i ssa.Instruction) token.Pos {
	v, ok := i.(ssa.Value)
	if i.Pos().IsValid() || !ok {
		return i.Pos()
	}
	if load, ok := i.(*ssa.UnOp); ok && root(load.X, false) != load.X {
		return position(load.X.(ssa.Instruction))
	}
	for _, u := range *v.Referrers() {
		if u.Pos().IsValid() {
			return u.Pos()
		}
	}
	return token.NoPos
}

// builtin returns the name of the built-in function that an instruction calls, or "".
func builtin(i ssa.Instruction) string {
	if c, ok := i.(*ssa.Call); ok {
		if b, ok := c.Call.Value.(*ssa.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// place is the memory that an instruction reads or changes.
type place struct {
	address ssa.Value
	field   *types.Var // nil for memory that is not named as a field
	of      types.Type
}

// newPlace returns the memory at a pointer, the elements of a slice, or a map.
func newPlace(address ssa.Value) *place {
	p := &place{address: address, of: address.Type()}
	switch t := p.of.Underlying().(type) {
	case *types.Pointer:
		p.of = t.Elem()
	case *types.Slice:
		p.of = t.Elem()
	}
	if v, ok := address.(*ssa.FieldAddr); ok {
		p.field = program.Deref(v.X.Type()).Underlying().(*types.Struct).Field(v.Field)
	}
	return p
}

// meets reports whether two places may have memory in common.
func (p *place) meets(q *place) bool {
	return p.field != nil && p.field == q.field || contains(p.of, q) || contains(q.of, p)
}

// contains reports whether a value of a type may contain a place.
func contains(t types.Type, p *place) bool {
	if p.field == nil && types.Identical(t, p.of) {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if f == p.field || contains(f.Type(), p) {
				return true
			}
		}
	case *types.Array:
		return contains(t.Elem(), p)
	}
	return false
}

// readPlace returns the place that an instruction reads, or nil.
func readPlace(i ssa.Instruction) *place {
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return newPlace(i.X)
		}
	case *ssa.Lookup:
		return newPlace(i.X)
	case *ssa.Convert: // bytes to a string
		if _, ok := i.X.Type().Underlying().(*types.Slice); ok {
			return newPlace(i.X)
		}
	case *ssa.Call:
		if builtin(i) == "len" {
			if _, ok := i.Call.Args[0].Type().Underlying().(*types.Map); ok {
				return newPlace(i.Call.Args[0])
			}
		}
	}
	return nil
}

// changedPlace returns the place that an instruction changes, or nil.
func changedPlace(i ssa.Instruction) *place {
	switch i := i.(type) {
	case *ssa.Store:
		return newPlace(i.Addr)
	case *ssa.MapUpdate:
		return newPlace(i.Map)
	case *ssa.Call:
		switch builtin(i) {
		case "append":
			if _, cut := i.Call.Args[0].(*ssa.Slice); cut {
				return newPlace(i.Call.Args[0])
			}
		case "clear", "copy", "delete":
			return newPlace(i.Call.Args[0])
		}
	}
	return nil
}

// root returns the value from which an address or a slice is computed, with or without loads of other addresses.
func root(address ssa.Value, loads bool) ssa.Value {
	switch v := address.(type) {
	case *ssa.FieldAddr:
		return root(v.X, loads)
	case *ssa.IndexAddr:
		return root(v.X, loads)
	case *ssa.Slice:
		return root(v.X, loads)
	case *ssa.UnOp:
		if loads {
			return root(v.X, loads)
		}
	}
	return address
}

// isNew reports whether the function with an address makes the memory there.
func isNew(address ssa.Value) bool {
	switch root(address, false).(type) {
	case *ssa.Alloc, *ssa.MakeSlice:
		return true
	}
	return false
}
