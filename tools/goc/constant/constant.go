// Package constant finds what package variables hold before the program begins, so that they become constant data and
// no code runs before the first call.
//
// It follows the straight-line code that Go's compiler makes of initial values, no more: a variable that is computed by
// a loop or by a function that does more than make a value is an error.
package constant

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Value is one of *ssa.Const, *ssa.Function, Address, Slice, Interface, *Node.
type Value any

// Object is a piece of memory: a package variable, or something that one leads to.
type Object struct {
	Type types.Type
	Name string // of the variable; "" for what has none
	Tree *Node
}

// Node is the contents of a struct or an array, by the index of field or element. What is not there is zero.
type Node struct {
	Type  types.Type
	Parts map[int]Value
	Whole Value // of a variable that is neither struct nor array, or of one that is assigned at once
}

// Address points into an object.
type Address struct {
	Object *Object
	Path   []int
}

// Slice is a part of an array.
type Slice struct {
	Array       Address
	Low, Length int64
	Capacity    int64
}

// Interface is a value with its type.
type Interface struct {
	Type  types.Type
	Value Value
}

// Memory has the variables of a program.
type Memory struct {
	variables map[*ssa.Global]*Object
	started   map[*ssa.Package]error
}

// New gives a memory in which nothing is initialized.
func New() *Memory {
	return &Memory{variables: map[*ssa.Global]*Object{}, started: map[*ssa.Package]error{}}
}

// Variable gives a package variable as its package's initialization leaves it.
func (m *Memory) Variable(g *ssa.Global) (*Object, error) {
	if _, done := m.started[g.Pkg]; !done {
		m.started[g.Pkg] = nil
		m.started[g.Pkg] = m.run(g.Pkg.Func("init"), nil, new(Value))
	}
	if err := m.started[g.Pkg]; err != nil {
		return nil, fmt.Errorf("%s: the initial values of its package: %w", g, err)
	}
	o := m.object(g)
	if what := poisoned(o.Tree, map[*Object]bool{o: true}); what != "" {
		return nil, fmt.Errorf("%s: its initial value is computed by %s, which is no constant", g, what)
	}
	return o, nil
}

func (m *Memory) object(g *ssa.Global) *Object {
	o := m.variables[g]
	if o == nil {
		t := g.Type().(*types.Pointer).Elem()
		o = &Object{Type: t, Name: g.String(), Tree: &Node{Type: t}}
		m.variables[g] = o
	}
	return o
}

// poison is a value that could not be found; it is an error only where it is needed.
type poison struct{ what string }

func poisoned(v Value, seen map[*Object]bool) string {
	switch v := v.(type) {
	case poison:
		return v.what
	case *Node:
		if v == nil {
			return ""
		}
		if what := poisoned(v.Whole, seen); what != "" {
			return what
		}
		for _, part := range v.Parts {
			if what := poisoned(part, seen); what != "" {
				return what
			}
		}
	case Address:
		if !seen[v.Object] {
			seen[v.Object] = true
			return poisoned(v.Object.Tree, seen)
		}
	case Slice:
		return poisoned(v.Array, seen)
	case Interface:
		return poisoned(v.Value, seen)
	}
	return ""
}

type frame map[ssa.Value]Value

// run follows a function from its first block; its result is stored where result points.
func (m *Memory) run(f *ssa.Function, arguments []Value, result *Value) error {
	if f == nil || f.Blocks == nil {
		return fmt.Errorf("%v has no body", f)
	}
	values := frame{}
	for i, p := range f.Params {
		values[p] = arguments[i]
	}
	b := f.Blocks[0]
	for steps := 0; ; steps++ {
		if steps > 10000 {
			return fmt.Errorf("%s does not come to an end", f)
		}
		next, err := m.block(f, b, values, result)
		if err != nil || next == nil {
			return err
		}
		b = next
	}
}

func (m *Memory) block(f *ssa.Function, b *ssa.BasicBlock, values frame, result *Value) (*ssa.BasicBlock, error) {
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.Store:
			m.store(m.value(i.Addr, values), m.value(i.Val, values))
		case *ssa.Jump:
			return b.Succs[0], nil
		case *ssa.If:
			yes, ok := truth(m.value(i.Cond, values))
			if !ok {
				return nil, fmt.Errorf("%s branches", f)
			}
			if yes {
				return b.Succs[0], nil
			}
			return b.Succs[1], nil
		case *ssa.Return:
			if len(i.Results) == 1 {
				*result = m.value(i.Results[0], values)
			}
			return nil, nil
		case ssa.Value:
			values[i] = m.compute(i, values)
		}
	}
	return nil, nil
}

func truth(v Value) (yes, ok bool) {
	c, is := v.(*ssa.Const)
	if !is || c.Value == nil || c.Value.Kind() != constant.Bool {
		return false, false
	}
	return constant.BoolVal(c.Value), true
}

func (m *Memory) value(v ssa.Value, values frame) Value {
	switch v := v.(type) {
	case *ssa.Const:
		return v
	case *ssa.Function:
		return v
	case *ssa.Global:
		return Address{Object: m.object(v)}
	}
	if found, ok := values[v]; ok {
		return found
	}
	return poison{fmt.Sprintf("%s", v)}
}

func (m *Memory) compute(i ssa.Value, values frame) Value {
	switch i := i.(type) {
	case *ssa.Alloc:
		t := i.Type().(*types.Pointer).Elem()
		return Address{Object: &Object{Type: t, Tree: &Node{Type: t}}}
	case *ssa.FieldAddr:
		return step(m.value(i.X, values), i.Field)
	case *ssa.IndexAddr:
		index, ok := m.value(i.Index, values).(*ssa.Const)
		if !ok {
			return poison{"an index"}
		}
		if s, ok := m.value(i.X, values).(Slice); ok {
			return step(s.Array, int(s.Low+index.Int64()))
		}
		return step(m.value(i.X, values), int(index.Int64()))
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return m.load(m.value(i.X, values), i.Type())
		}
	case *ssa.Slice:
		return m.slice(i, values)
	case *ssa.ChangeType:
		return m.value(i.X, values)
	case *ssa.MakeInterface:
		return Interface{i.X.Type(), m.value(i.X, values)}
	case *ssa.Convert:
		if c, ok := m.value(i.X, values).(*ssa.Const); ok && c.Value != nil && isNumber(c.Type()) && isNumber(i.Type()) {
			return ssa.NewConst(c.Value, i.Type())
		}
	case *ssa.Call:
		return m.call(i, values)
	}
	return poison{fmt.Sprintf("%T", i)}
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// call follows calls of functions that only make a value; those of other packages' initializations are left out,
// because every package is initialized when one of its variables is asked for.
func (m *Memory) call(i *ssa.Call, values frame) Value {
	callee := i.Call.StaticCallee()
	if callee == nil {
		return poison{"a call"}
	}
	if callee.Name() == "init" && callee.Signature.Recv() == nil && callee.Synthetic != "" {
		return nil
	}
	arguments := make([]Value, len(i.Call.Args))
	for k, a := range i.Call.Args {
		arguments[k] = m.value(a, values)
	}
	var result Value = poison{"a call of " + callee.String()}
	if err := m.run(callee, arguments, &result); err != nil {
		return poison{"a call of " + callee.String() + " (" + err.Error() + ")"}
	}
	return result
}

func step(v Value, index int) Value {
	a, ok := v.(Address)
	if !ok {
		return poison{"an address"}
	}
	path := append(append([]int{}, a.Path...), index)
	return Address{a.Object, path}
}

func (m *Memory) slice(i *ssa.Slice, values frame) Value {
	a, ok := m.value(i.X, values).(Address)
	if !ok || i.Low != nil || i.High != nil || i.Max != nil {
		return poison{"a slice"}
	}
	array := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	return Slice{Array: a, Length: array.Len(), Capacity: array.Len()}
}

func partType(t types.Type, index int) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return u.Field(index).Type()
	case *types.Array:
		return u.Elem()
	}
	return nil
}

// node walks to the place of an address, making what is on the way.
func node(a Address) (n *Node, last int) {
	n = a.Object.Tree
	for k, index := range a.Path {
		if k == len(a.Path)-1 {
			return n, index
		}
		if n.Parts == nil {
			n.Parts = map[int]Value{}
		}
		child, ok := n.Parts[index].(*Node)
		if !ok {
			child = &Node{Type: partType(n.Type, index)}
			n.Parts[index] = child
		}
		n = child
	}
	return n, -1
}

func (m *Memory) store(to, v Value) {
	a, ok := to.(Address)
	if !ok {
		return // into something that could not be found: whoever needs it finds poison
	}
	n, last := node(a)
	if c, ok := v.(*Node); ok {
		v = c.copy()
	}
	if last < 0 {
		if c, ok := v.(*Node); ok {
			n.Parts, n.Whole = c.Parts, c.Whole
		} else {
			n.Parts, n.Whole = nil, v
		}
		return
	}
	if n.Parts == nil {
		n.Parts = map[int]Value{}
	}
	n.Parts[last] = v
}

func (n *Node) copy() *Node {
	out := &Node{Type: n.Type, Whole: n.Whole}
	if n.Parts != nil {
		out.Parts = map[int]Value{}
	}
	for i, v := range n.Parts {
		if c, ok := v.(*Node); ok {
			v = c.copy()
		}
		out.Parts[i] = v
	}
	return out
}

func (m *Memory) load(from Value, t types.Type) Value {
	a, ok := from.(Address)
	if !ok {
		return poison{"a load"}
	}
	n, last := node(a)
	if last >= 0 {
		if v, ok := n.Parts[last]; ok {
			if c, ok := v.(*Node); ok {
				return c.copy()
			}
			return v
		}
		return ssa.NewConst(zero(t), t)
	}
	if n.Whole != nil && n.Parts == nil {
		return n.Whole
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return n.copy()
	}
	return ssa.NewConst(zero(t), t)
}

// zero is the constant of a type's zero value; nil for those that have none.
func zero(t types.Type) constant.Value {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return nil
	case b.Info()&types.IsBoolean != 0:
		return constant.MakeBool(false)
	case b.Info()&types.IsString != 0:
		return constant.MakeString("")
	case b.Info()&types.IsNumeric != 0:
		return constant.MakeInt64(0)
	}
	return nil
}
