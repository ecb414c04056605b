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

// Value is a *ssa.Const, *ssa.Function, Address, Slice, Interface or *Node.
type Value any

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
	started   map[*ssa.Package]error
	running   *ssa.Package            // the package whose initial values are being computed
	inits     map[*ssa.Function]error // functions named init that cannot be evaluated
}

// New returns a memory in which nothing is initialized.
func New() *Memory {
	return &Memory{variables: map[*ssa.Global]*Object{}, started: map[*ssa.Package]error{},
		inits: map[*ssa.Function]error{}}
}

// Variable returns a package variable with the value that its package's initialization gives it.
func (m *Memory) Variable(g *ssa.Global) (*Object, error) {
	if err := m.start(g.Pkg); err != nil {
		return nil, fmt.Errorf("%s: the initial values of its package: %w", g, err)
	}
	o := m.object(g)
	if what := findPoison(o.Tree, map[*Object]bool{o: true}); what != "" {
		return nil, fmt.Errorf("%s: its initial value is computed by %s, which is no constant", g, what)
	}
	return o, nil
}

// start evaluates a package's initialization, once.
func (m *Memory) start(p *ssa.Package) error {
	if _, done := m.started[p]; !done {
		before := m.running
		m.running = p
		m.started[p] = nil
		m.started[p] = m.run(p.Func("init"), nil, nil, new(Value), 0)
		m.running = before
	}
	return m.started[p]
}

// Start evaluates the whole initialization of a package. It returns the functions that cannot be evaluated, with the reason:
// those named init, and the one of the initial values.
func (m *Memory) Start(p *ssa.Package) map[*ssa.Function]error {
	out := map[*ssa.Function]error{}
	if err := m.start(p); err != nil {
		out[p.Func("init")] = err
	}
	for f, err := range m.inits {
		if f.Pkg == p {
			out[f] = err
		}
	}
	return out
}

func (m *Memory) object(g *ssa.Global) *Object {
	o := m.variables[g]
	if o == nil {
		t := g.Type().(*types.Pointer).Elem()
		o = &Object{Type: t, Name: g.String(), Tree: &Node{Type: t}, owner: g.Pkg}
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

// poison is a value that could not be computed; it is an error only where it is needed.
type poison struct{ what string }

// findPoison returns what spoiled a part of v, or "".
func findPoison(v Value, seen map[*Object]bool) string {
	switch v := v.(type) {
	case poison:
		return v.what
	case *Node:
		if v == nil {
			return ""
		}
		if what := findPoison(v.Whole, seen); what != "" {
			return what
		}
		for _, part := range v.Parts {
			if what := findPoison(part, seen); what != "" {
				return what
			}
		}
	case Address:
		if !seen[v.Object] {
			seen[v.Object] = true
			return findPoison(v.Object.Tree, seen)
		}
	case Slice:
		return findPoison(v.Array, seen)
	case Interface:
		return findPoison(v.Value, seen)
	}
	return ""
}

// frame is the state of one call of a function that is being evaluated.
type frame struct {
	f      *ssa.Function
	values map[ssa.Value]Value
	depth  int
	failed error // the code cannot be followed any further
}

// run evaluates a function from its first block, and stores the result in *result.
func (m *Memory) run(f *ssa.Function, arguments, captured []Value, result *Value, depth int) error {
	if f == nil || f.Blocks == nil {
		return fmt.Errorf("%v has no body", f)
	}
	if depth > 100 {
		return fmt.Errorf("%s calls itself", f)
	}
	values := &frame{f: f, values: map[ssa.Value]Value{}, depth: depth}
	for i, p := range f.Params {
		values.values[p] = arguments[i]
	}
	for i, v := range f.FreeVars {
		values.values[v] = captured[i]
	}
	b := f.Blocks[0]
	for steps := 0; ; steps++ {
		if steps > 10000 {
			return fmt.Errorf("%s does not come to an end", f)
		}
		next, err := m.block(b, values, result)
		if err != nil || next == nil {
			return err
		}
		b = next
	}
}

// block evaluates a block. It returns the block that follows, or nil after a return, with the returned value in
// *result.
func (m *Memory) block(b *ssa.BasicBlock, values *frame, result *Value) (*ssa.BasicBlock, error) {
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.DebugRef, *ssa.MapUpdate: // a map is no constant: its use is an error
		case *ssa.Store:
			to, ok := m.value(i.Addr, values).(Address)
			if !ok {
				return nil, fmt.Errorf("%s stores where an address leads that is no constant", values.f)
			}
			if to.Object.owner != m.running && m.running != nil {
				return nil, fmt.Errorf("%s assigns to a variable of another package", values.f)
			}
			m.store(to, m.value(i.Val, values))
		case *ssa.Jump:
			return b.Succs[0], nil
		case *ssa.If:
			yes, ok := truth(m.value(i.Cond, values))
			if !ok {
				return nil, fmt.Errorf("%s branches", values.f)
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
			values.values[i] = m.compute(i, values)
			if values.failed != nil {
				return nil, values.failed
			}
		default:
			return nil, fmt.Errorf("%s does more than make a value", values.f)
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

func (m *Memory) value(v ssa.Value, values *frame) Value {
	switch v := v.(type) {
	case *ssa.Const:
		return v
	case *ssa.Function:
		return v
	case *ssa.Global:
		if err := m.start(v.Pkg); err != nil {
			return poison{fmt.Sprintf("%s (%s)", v, err)}
		}
		return Address{Object: m.object(v)}
	}
	if found, ok := values.values[v]; ok {
		return found
	}
	return poison{"a value that is not known"}
}

// compute returns the value of an instruction.
func (m *Memory) compute(i ssa.Value, values *frame) Value {
	switch i := i.(type) {
	case *ssa.Alloc:
		t := i.Type().(*types.Pointer).Elem()
		return Address{Object: &Object{Type: t, Tree: &Node{Type: t}, owner: m.running}}
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
		c, ok := m.value(i.X, values).(*ssa.Const)
		if ok && c.Value != nil && isNumber(c.Type()) && isNumber(i.Type()) && fits(c.Value, i.Type()) {
			return ssa.NewConst(c.Value, i.Type())
		}
	case *ssa.Call:
		return m.call(i, values)
	}
	return poison{m.at(operation(i), i)}
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
	arguments := make([]Value, len(i.Call.Args))
	for k, a := range i.Call.Args {
		arguments[k] = m.value(a, values)
	}
	if b, ok := i.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "copy" || b.Name() == "append" || b.Name() == "clear" {
			m.spoilValue(arguments[0], "the built-in function "+b.Name())
		}
		if b.Name() == "print" || b.Name() == "println" {
			values.failed = fmt.Errorf("%s prints", values.f)
		}
		return poison{"the built-in function " + b.Name()}
	}
	callee := i.Call.StaticCallee()
	if callee == nil {
		values.failed = fmt.Errorf("%s calls a function that is no constant", values.f)
		return nil
	}
	if callee.Name() == "init" && callee.Signature.Recv() == nil && callee.Synthetic != "" {
		return nil
	}
	var captured []Value
	if closure, ok := i.Call.Value.(*ssa.MakeClosure); ok {
		for _, b := range closure.Bindings {
			captured = append(captured, m.value(b, values))
		}
	}
	what := "a call of " + callee.String()
	var result Value = poison{what}
	if err := m.run(callee, arguments, captured, &result, values.depth+1); err != nil {
		if strings.HasPrefix(callee.Name(), "init#") {
			m.inits[callee] = err
		}
		what += " (" + err.Error() + ")"
		for _, v := range append(arguments, captured...) {
			m.spoilValue(v, what)
		}
		values.failed = m.spoil(callee, what, map[*ssa.Function]bool{})
		return poison{what}
	}
	return result
}

// spoil marks everything that a function may have assigned to as unknown. It returns an error if that set is unknown.
func (m *Memory) spoil(f *ssa.Function, what string, seen map[*ssa.Function]bool) error {
	if seen[f] {
		return nil
	}
	seen[f] = true
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && c.Common().StaticCallee() == nil {
				if _, ok := c.Common().Value.(*ssa.Builtin); !ok {
					return fmt.Errorf("%s calls a function that is no constant", f)
				}
			}
			load, isLoad := i.(*ssa.UnOp)
			for _, op := range i.Operands(nil) {
				switch v := (*op).(type) {
				case *ssa.Function:
					if err := m.spoil(v, what, seen); err != nil {
						return err
					}
				case *ssa.Global:
					if !isLoad || !isNumber(load.Type()) {
						m.spoilValue(Address{Object: m.object(v)}, what)
					}
				}
			}
		}
	}
	return nil
}

// spoilValue marks everything that a value refers to as unknown.
func (m *Memory) spoilValue(v Value, what string) {
	switch v := v.(type) {
	case Address:
		if _, done := v.Object.Tree.Whole.(poison); !done {
			before := *v.Object.Tree
			*v.Object.Tree = Node{Type: v.Object.Type, Whole: poison{what}}
			m.spoilValue(&before, what)
		}
	case Slice:
		m.spoilValue(v.Array, what)
	case Interface:
		m.spoilValue(v.Value, what)
	case *Node:
		m.spoilValue(v.Whole, what)
		for _, part := range v.Parts {
			m.spoilValue(part, what)
		}
	}
}

func step(v Value, index int) Value {
	a, ok := v.(Address)
	if !ok {
		return poison{"an address"}
	}
	path := append(append([]int{}, a.Path...), index)
	return Address{a.Object, path}
}

func (m *Memory) slice(i *ssa.Slice, values *frame) Value {
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

// poisonAt returns the unknown value that contains an address, if there is one.
func poisonAt(a Address) (Value, bool) {
	n := a.Object.Tree
	for _, index := range a.Path {
		if p, ok := n.Whole.(poison); ok {
			return p, true
		}
		child, ok := n.Parts[index].(*Node)
		if !ok {
			return nil, false
		}
		n = child
	}
	p, ok := n.Whole.(poison)
	return p, ok
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
func (m *Memory) load(from Value, t types.Type) Value {
	a, ok := from.(Address)
	if !ok {
		return poison{"a load"}
	}
	n, last := node(a)
	if p, ok := poisonAt(a); ok {
		return p
	}
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
