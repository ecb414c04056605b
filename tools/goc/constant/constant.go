// Package constant computes the initial values of package variables, so that they become constant data and no code runs
// before the first call.
//
// It evaluates only the straight-line code that Go's compiler makes for initial values. If a loop computes a variable,
// or a function that does more than construct a value, that is an error.
package constant

import (
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

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
	Parts map[int]Value
	Whole Value // of a scalar variable, or of a variable that is assigned as a whole
}

// Address points into an object.
type Address struct {
	Object *Object
	Path   []int
}

// Slice is a whole array as a slice.
type Slice struct {
	Array  Address
	Length int64
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
	started   map[*ssa.Package]error
	running   *ssa.Package // the package whose initial values are being computed
}

// New returns a memory in which nothing is initialized.
func New() *Memory {
	return &Memory{variables: map[*ssa.Global]*Object{}, started: map[*ssa.Package]error{}}
}

// Variable returns a package variable with the value that its package's initialization gives it.
func (m *Memory) Variable(g *ssa.Global) (*Object, error) {
	if err := m.Start(g.Pkg); err != nil {
		return nil, fmt.Errorf("%s: the initial values of its package: %w", g, err)
	}
	return m.object(g), nil
}

// Start evaluates the initial values of a package's variables, once.
func (m *Memory) Start(p *ssa.Package) error {
	if _, done := m.started[p]; !done {
		running := m.running
		m.running = p
		m.started[p] = nil // for variables that refer to one another
		m.started[p] = m.evaluate(p.Func("init"))
		m.running = running
	}
	return m.started[p]
}

// evaluate runs a package's initialization.
func (m *Memory) evaluate(init *ssa.Function) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case unknown:
			err = errors.New(string(reason))
		default:
			panic(reason)
		}
	}()
	m.run(init, nil, 0)
	return nil
}

// unknown is the panic value at a value that is no constant.
type unknown string

func fail(format string, a ...any) { panic(unknown(fmt.Sprintf(format, a...))) }

func (m *Memory) object(g *ssa.Global) *Object {
	o := m.variables[g]
	if o == nil {
		t := g.Type().(*types.Pointer).Elem()
		o = &Object{Type: t, Name: g.String(), Tree: &Node{}, owner: g.Pkg}
		m.variables[g] = o
	}
	return o
}

// Functions returns the functions that an object refers to, in order.
func (o *Object) Functions() (found []*ssa.Function) {
	seen := map[*Object]bool{}
	var walk func(v Value)
	walk = func(v Value) {
		switch v := v.(type) {
		case *ssa.Function:
			found = append(found, v)
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
	return found
}

// frame is the state of one call of a function that is being evaluated.
type frame struct {
	f      *ssa.Function
	values map[ssa.Value]Value
	depth  int
}

// run evaluates a function from its first block, and returns its result.
func (m *Memory) run(f *ssa.Function, arguments []Value, depth int) Value {
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
	next := f.Blocks[0]
	var result Value
	for next != nil {
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
		if err := m.Start(v.Pkg); err != nil {
			fail("%s: %s", v, err)
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
		return Address{Object: &Object{Type: t, Tree: &Node{}, owner: m.running}}
	case *ssa.FieldAddr:
		return m.address(i.X, values).step(i.Field)
	case *ssa.IndexAddr:
		return m.address(i.X, values).step(int(m.value(i.Index, values).(*ssa.Const).Int64()))
	case *ssa.UnOp:
		if i.Op == token.MUL {
			if n, last := node(m.address(i.X, values)); last < 0 && n.Parts == nil {
				if n.Whole == nil && types.Identical(i.Type(), types.Typ[types.Bool]) {
					return ssa.NewConst(constant.MakeBool(false), i.Type()) // whether the package is initialized
				}
				if n.Whole != nil {
					return n.Whole
				}
			}
		}
	case *ssa.Slice:
		if i.Low == nil && i.High == nil && i.Max == nil {
			array := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
			return Slice{m.address(i.X, values), array.Len()}
		}
	case *ssa.ChangeType:
		return m.value(i.X, values)
	case *ssa.MakeMap:
		return Map{}
	case *ssa.MakeInterface:
		return Interface{i.X.Type(), m.value(i.X, values)}
	case *ssa.Call:
		return m.call(i, values)
	}
	m.failAt(i)
	return nil
}

// failAt ends the evaluation at an instruction that makes no constant.
func (m *Memory) failAt(i ssa.Value) {
	file, line := m.Position(i.Pos())
	fail("%s (%s:%d) is no constant", i, file, line)
}

// call evaluates a call of a function that only constructs a value. It skips the initialization of other packages,
// because a package is initialized when one of its variables is read.
func (m *Memory) call(i *ssa.Call, values *frame) Value {
	callee := i.Call.StaticCallee()
	if callee == nil {
		m.failAt(i)
	}
	if callee.Name() == "init" && callee.Signature.Recv() == nil && callee.Synthetic != "" {
		return nil
	}
	var arguments []Value
	for _, a := range i.Call.Args {
		arguments = append(arguments, m.value(a, values))
	}
	return m.run(callee, arguments, values.depth+1)
}

func (a Address) step(index int) Address {
	return Address{a.Object, append(slices.Clone(a.Path), index)}
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
			child = &Node{}
			n.Parts[index] = child
		}
		n = child
	}
	return n, -1
}

func (m *Memory) store(a Address, v Value) {
	n, last := node(a)
	if last < 0 {
		n.Whole = v
		return
	}
	if n.Parts == nil {
		n.Parts = map[int]Value{}
	}
	n.Parts[last] = v
}
