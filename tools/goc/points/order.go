package points

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/program"
)

// Order returns an error for every read of memory whose value is used after a later call of the same statement that may write
// there. Go does not specify which comes first: its compiler reads after all calls, go/ssa from left to right.
func (a *Analysis) Order() (faults []error) {
	for _, f := range a.program.Functions {
		s := newStatements(f)
		if s == nil { // made by go/ssa: a wrapper
			continue
		}
		w := &order{Analysis: a, f: f, statements: s, said: map[ast.Stmt]bool{}}
		for _, b := range f.Blocks {
			for at, i := range b.Instrs {
				if address := reads(i); address != nil && a.value(address) >= 0 {
					w.read(i.(ssa.Value), address, at)
				}
			}
		}
		faults = append(faults, w.faults...)
	}
	return faults
}

// order examines one function.
type order struct {
	*Analysis
	f          *ssa.Function
	statements *statements
	faults     []error
	said       map[ast.Stmt]bool
}

// reads returns the pointer, slice or map through which an instruction reads; nil for other instructions.
func reads(i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return i.X
		}
	case *ssa.Lookup:
		return i.X
	case *ssa.Convert: // bytes to a string
		return i.X
	case *ssa.Call:
		if isLength(i) {
			if _, ok := i.Call.Args[0].Type().Underlying().(*types.Map); ok {
				return i.Call.Args[0]
			}
		}
	}
	return nil
}

// read examines one read.
func (w *order) read(v ssa.Value, address ssa.Value, at int) {
	i := v.(ssa.Instruction)
	statement := w.statements.of(i)
	if statement == nil || w.said[statement] {
		return
	}
	var calls []*ssa.Call
	var used []ssa.Instruction
	w.later(i, func(c *ssa.Call) {
		if w.statements.of(c) == statement {
			calls = append(calls, c)
		}
	})
	if len(calls) == 0 {
		return
	}
	w.uses(v, statement, map[ssa.Value]bool{}, &used)
	of := access{i, address, v.Type()}
	if m, ok := address.Type().Underlying().(*types.Map); ok {
		of.of = m
	}
	if s, ok := address.Type().Underlying().(*types.Slice); ok {
		of.of = s.Elem()
	}
	for _, c := range calls {
		behind := func(u ssa.Instruction) bool {
			if before(c, u) {
				return true
			}
			// A write before the call is a part of the statement's own change.
			return writes(u) && before(u, c) && w.statements.of(u) == statement
		}
		if !slices.ContainsFunc(used, behind) {
			continue
		}
		if change := w.changedBy(c, of); change != nil {
			w.said[statement] = true
			file, line := w.program.Position(change.Pos())
			w.faults = append(w.faults, w.program.Fault(w.statements.position(i), w.f, fmt.Sprintf("%s is read in one statement with a later call of %s, which may change it (%s:%d): Go's compiler reads it after the call; give one of them a variable",
				w.statements.text(i), w.statements.callee(c), file, line)))
			return
		}
	}
}

// writes reports whether an instruction stores a value where other functions may see it.
func writes(u ssa.Instruction) bool {
	switch u := u.(type) {
	case *ssa.Store:
		return variable(u.Addr) == nil
	case *ssa.MapUpdate:
		return true
	}
	return false
}

// variable returns the variable of this function, or the value made by the statement, that contains an address.
func variable(address ssa.Value) *ssa.Alloc {
	switch v := address.(type) {
	case *ssa.Alloc:
		return v
	case *ssa.FieldAddr:
		return variable(v.X)
	case *ssa.IndexAddr:
		return variable(v.X)
	}
	return nil
}

// later calls do for the calls that follow an instruction, without repeating a loop.
func (w *order) later(i ssa.Instruction, do func(*ssa.Call)) {
	from := slices.Index(i.Block().Instrs, i)
	for _, j := range i.Block().Instrs[from+1:] {
		if c, ok := j.(*ssa.Call); ok {
			do(c)
		}
	}
	for b := range ahead(i.Block()) {
		for _, j := range b.Instrs {
			if c, ok := j.(*ssa.Call); ok {
				do(c)
			}
		}
	}
}

// ahead returns the blocks that can be reached from one without repeating a loop.
func ahead(from *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	out := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock) {
		for _, next := range b.Succs {
			if !next.Dominates(b) && !out[next] {
				out[next] = true
				walk(next)
			}
		}
	}
	walk(from)
	return out
}

// before reports whether one instruction may run before the other without repeating a loop.
func before(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
	}
	return ahead(a.Block())[b.Block()]
}

// uses finds the users of a value, and of the values that are computed from it without a call.
func (w *order) uses(v ssa.Value, statement ast.Stmt, seen map[ssa.Value]bool, used *[]ssa.Instruction) {
	if seen[v] {
		return
	}
	seen[v] = true
	for _, u := range *v.Referrers() {
		if p, ok := u.(*ssa.Phi); ok && p.Comment != "&&" && p.Comment != "||" {
			// A variable is used where its value enters the phi.
			for k, e := range p.Edges {
				if e == v {
					pred := p.Block().Preds[k]
					*used = append(*used, pred.Instrs[len(pred.Instrs)-1])
				}
			}
			continue
		}
		*used = append(*used, u)
		if store, ok := u.(*ssa.Store); ok && store.Val == v {
			if in := variable(store.Addr); in != nil && w.statements.of(store) == statement {
				w.uses(in, statement, seen, used)
			}
		}
		if next, ok := u.(ssa.Value); ok {
			if c, call := u.(*ssa.Call); !call || isLength(c) {
				w.uses(next, statement, seen, used)
			}
		}
	}
}

// changedBy returns the instruction in a call that changes the variable of an access.
func (w *order) changedBy(c *ssa.Call, of access) ssa.Instruction {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" || b.Name() == "copy" {
			for _, change := range w.changes[w.f] {
				if change.at == ssa.Instruction(c) && w.conflict(change, of) {
					return c
				}
			}
		}
		return nil
	}
	for _, callee := range w.targets[c] {
		for _, change := range w.allChanges(callee) {
			if w.conflict(change, of) {
				return change.at
			}
		}
	}
	return nil
}

// allChanges returns the changes of a function and of everything that it may call.
func (a *Analysis) allChanges(f *ssa.Function) []access {
	if known, ok := a.reaches[f]; ok {
		return known
	}
	seen := map[*ssa.Function]bool{}
	var out []access
	var walk func(f *ssa.Function)
	walk = func(f *ssa.Function) {
		if seen[f] {
			return
		}
		seen[f] = true
		out = append(out, a.changes[f]...)
		for callee := range a.calls[f] {
			walk(callee)
		}
	}
	walk(f)
	slices.SortStableFunc(out, func(x, y access) int { return cmp.Compare(x.at.Pos(), y.at.Pos()) })
	a.reaches[f] = out
	return out
}

// conflict reports whether a change and a read may concern the same variable.
func (a *Analysis) conflict(change, read access) bool {
	c, r := a.value(change.address), a.value(read.address)
	if c < 0 || r < 0 || !a.kinds.overlap(change.of, read.of) {
		return false
	}
	if cf, ok := change.address.(*ssa.FieldAddr); ok {
		if rf, ok := read.address.(*ssa.FieldAddr); ok && !a.sameField(cf, rf, change.of, read.of) {
			return false
		}
	}
	return a.nodes[c].has.meets(a.nodes[r].has)
}

// sameField reports whether two fields, with their types, may be the same, or one may contain the other.
func (a *Analysis) sameField(x, y *ssa.FieldAddr, ofX, ofY types.Type) bool {
	in, other := a.kinds.number(program.Deref(x.X.Type())), a.kinds.number(program.Deref(y.X.Type()))
	return in == other && x.Field == y.Field || a.kinds.within(ofX)[other] || a.kinds.within(ofY)[in]
}
