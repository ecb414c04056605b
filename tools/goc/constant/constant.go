// Package constant computes the initial values of package variables, so that they become constant data and no code runs
// before the first call.
//
// It evaluates only the straight-line code that Go's compiler makes for initial values. If a loop computes a variable,
// or a function that does more than construct a value, that is an error.
package constant

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Value is a *ssa.Const, *ssa.Function, Address, Slice, Interface, Map or *Node.
type Value any

// Map stands for a map, which is no constant. It is an error only in a variable that the program needs.
type Map struct{}

// Object is a piece of memory: a package variable, or memory that a variable refers to.
type Object struct {
	Type types.Type
	Name string // of the variable; "" for other memory
	Tree *Node

	owner *ssa.Package // the package whose initialization allocates it
}

// Node is the contents of a struct or an array, by index of the field or element. A missing index means zero.
type Node struct {
	Type  types.Type
	Parts map[int]Value
	Whole Value // of a scalar variable, or of a variable that is assigned as a whole
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
	Position  func(token.Pos) (file string, line int) // describes a position in messages
	variables map[*ssa.Global]*Object
	started   map[*ssa.Package]*Failure
	running   *ssa.Package  // the package whose initial values are being computed
	init      *ssa.Function // the function of its initialization that runs
}

// Failure is the reason why the initialization of a package cannot be evaluated.
type Failure struct {
	Init *ssa.Function // the function: one named init, or the one of the initial values
	What string
}

// New returns a memory in which nothing is initialized.
func New() *Memory {
	return &Memory{variables: map[*ssa.Global]*Object{}, started: map[*ssa.Package]*Failure{}}
}

// Variable returns a package variable with the value that its package's initialization gives it.
func (m *Memory) Variable(g *ssa.Global) (*Object, error) {
	if failure := m.Start(g.Pkg); failure != nil {
		return nil, fmt.Errorf("%s: the initial values of its package: %s", g, failure.What)
	}
	return m.object(g), nil
}

// Start evaluates a package's initialization, once.
func (m *Memory) Start(p *ssa.Package) *Failure {
	if _, done := m.started[p]; !done {
		running, init := m.running, m.init
		m.running, m.init = p, p.Func("init")
		m.started[p] = nil // for variables that refer to one another
		m.started[p] = m.evaluate()
		m.running, m.init = running, init
	}
	return m.started[p]
}

// evaluate runs the current initialization.
func (m *Memory) evaluate() (failure *Failure) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case unknown:
			failure = &Failure{m.init, string(reason)}
		default:
			panic(reason)
		}
	}()
	m.run(m.init, nil, nil, 0)
	return nil
}

// unknown is the panic value at a value that is no constant.
type unknown string

func fail(format string, a ...any) { panic(unknown(fmt.Sprintf(format, a...))) }

func (m *Memory) object(g *ssa.Global) *Object {
	o := m.variables[g]
	if o == nil {
		t := g.Type().(*types.Pointer).Elem()
		o = &Object{Type: t, Name: g.String(), Tree: &Node{Type: t}, owner: g.Pkg}
		m.variables[g] = o
	}
	return o
}

// Functions returns the functions that an object refers to, in order. The error is for an object with a map.
func (o *Object) Functions() (found []*ssa.Function, err error) {
	seen := map[*Object]bool{}
	var walk func(v Value)
	walk = func(v Value) {
		switch v := v.(type) {
		case *ssa.Function:
			found = append(found, v)
		case Map:
			err = fmt.Errorf("%s: its initial value has a map, which is no constant", o.Name)
		case *Node:
			walk(v.Whole)
			for _, i := range slices.Sorted(maps.Keys(v.Parts)) {
				walk(v.Parts[i])
			}
		case Address:
			if !seen[v.Object] {
				seen[v.Object] = true
				walk(v.Object.Tree)
			}
		case Slice:
			walk(v.Array)
		case Interface:
			walk(v.Value)
		}
	}
	walk(Address{Object: o})
	return found, err
}

// frame is the state of one call of a function that is being evaluated.
type frame struct {
	f      *ssa.Function
	values map[ssa.Value]Value
	depth  int
}

// run evaluates a function from its first block, and returns its result.
func (m *Memory) run(f *ssa.Function, arguments, captured []Value, depth int) Value {
	if f.Blocks == nil {
		fail("%s has no body", f)
	}
	if depth > 100 {
		fail("%s calls itself", f)
	}
	values := &frame{f: f, values: map[ssa.Value]Value{}, depth: depth}
	for i, p := range f.Params {
		values.values[p] = arguments[i]
	}
	for i, v := range f.FreeVars {
		values.values[v] = captured[i]
	}
	next := f.Blocks[0]
	var result Value
	for steps := 0; next != nil; steps++ {
		if steps > 10000 {
			fail("%s does not come to an end", f)
		}
		next, result = m.block(next, values)
	}
	return result
}

// block evaluates a block. It returns the block that follows, or nil and the result after a return.
func (m *Memory) block(b *ssa.BasicBlock, values *frame) (*ssa.BasicBlock, Value) {
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.DebugRef, *ssa.MapUpdate:
		case *ssa.Store:
			to := m.address(i.Addr, values)
			if to.Object.owner != m.running {
				fail("%s assigns to a variable of another package", values.f)
			}
			m.store(to, m.value(i.Val, values))
		case *ssa.Jump:
			return b.Succs[0], nil
		case *ssa.If:
			if constant.BoolVal(m.value(i.Cond, values).(*ssa.Const).Value) {
				return b.Succs[0], nil
			}
			return b.Succs[1], nil
		case *ssa.Return:
			if len(i.Results) == 1 {
				return nil, m.value(i.Results[0], values)
			}
			return nil, nil
		case ssa.Value:
			values.values[i] = m.compute(i, values)
		default:
			fail("%s does more than make a value", values.f)
		}
	}
	return nil, nil
}

func (m *Memory) value(v ssa.Value, values *frame) Value {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function:
		return v
	case *ssa.Global:
		if failure := m.Start(v.Pkg); failure != nil {
			fail("%s: %s", v, failure.What)
		}
		return Address{Object: m.object(v)}
	}
	return values.values[v]
}

func (m *Memory) address(v ssa.Value, values *frame) Address {
	a, ok := m.value(v, values).(Address)
	if !ok {
		fail("%s follows a nil pointer", values.f)
	}
	return a
}

// compute returns the value of an instruction.
func (m *Memory) compute(i ssa.Value, values *frame) Value {
	switch i := i.(type) {
	case *ssa.Alloc:
		t := i.Type().(*types.Pointer).Elem()
		return Address{Object: &Object{Type: t, Tree: &Node{Type: t}, owner: m.running}}
	case *ssa.FieldAddr:
		return m.address(i.X, values).step(i.Field)
	case *ssa.IndexAddr:
		index := int(m.value(i.Index, values).(*ssa.Const).Int64())
		if s, ok := m.value(i.X, values).(Slice); ok {
			return s.Array.step(int(s.Low) + index)
		}
		return m.address(i.X, values).step(index)
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return load(m.address(i.X, values), i.Type())
		}
	case *ssa.Slice:
		if i.Low == nil && i.High == nil && i.Max == nil {
			array := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
			return Slice{Array: m.address(i.X, values), Length: array.Len(), Capacity: array.Len()}
		}
	case *ssa.ChangeType:
		return m.value(i.X, values)
	case *ssa.MakeMap:
		return Map{}
	case *ssa.MakeInterface:
		return Interface{i.X.Type(), m.value(i.X, values)}
	case *ssa.Convert:
		c, ok := m.value(i.X, values).(*ssa.Const)
		if ok && c.Value != nil && isNumber(c.Type()) && isNumber(i.Type()) && fits(c.Value, i.Type()) {
			return ssa.NewConst(c.Value, i.Type())
		}
	case *ssa.Call:
		return m.call(i, values)
	}
	fail("%s is no constant", m.at(operation(i), i))
	return nil
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// fits reports whether a conversion keeps a number's value.
func fits(v constant.Value, to types.Type) bool {
	b := to.Underlying().(*types.Basic)
	bits := uint(types.SizesFor("gc", "amd64").Sizeof(b)) * 8
	low, high := constant.MakeInt64(0), constant.Shift(constant.MakeInt64(1), token.SHL, bits)
	if b.Info()&types.IsUnsigned == 0 {
		high = constant.Shift(constant.MakeInt64(1), token.SHL, bits-1)
		low = constant.UnaryOp(token.SUB, high, 0)
	}
	return constant.Compare(v, token.GEQ, low) && constant.Compare(v, token.LSS, high)
}

// call evaluates a call of a function that only constructs a value. It skips the initialization of other packages, because a
// package is initialized when one of its variables is read.
func (m *Memory) call(i *ssa.Call, values *frame) Value {
	callee := i.Call.StaticCallee()
	if callee == nil {
		fail("%s is no constant", m.at("a call of "+i.Call.Value.Name(), i))
	}
	if callee.Name() == "init" && callee.Signature.Recv() == nil && callee.Synthetic != "" {
		return nil
	}
	if strings.HasPrefix(callee.Name(), "init#") {
		m.init = callee
	}
	var arguments, captured []Value
	for _, a := range i.Call.Args {
		arguments = append(arguments, m.value(a, values))
	}
	if closure, ok := i.Call.Value.(*ssa.MakeClosure); ok {
		for _, b := range closure.Bindings {
			captured = append(captured, m.value(b, values))
		}
	}
	return m.run(callee, arguments, captured, values.depth+1)
}

func (a Address) step(index int) Address {
	return Address{a.Object, append(slices.Clone(a.Path), index)}
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

// node returns the node that contains an address, and creates missing nodes on the way.
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

func (m *Memory) store(a Address, v Value) {
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

// load returns the value at an address.
func load(a Address, t types.Type) Value {
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

// zero returns the constant of a type's zero value; nil if it is no constant.
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
