package points

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/constant"
	"vkloader/tools/goc/program"
)

// New analyses a program. variables has the contents of its package variables.
func New(p *program.Program, variables *constant.Memory) *Analysis {
	a := &Analysis{program: p, kinds: kinds{parts: map[int]map[int]bool{}}, values: map[ssa.Value]int{}, results: map[*ssa.Function]int{},
		memory: map[any]*object{}, calls: map[*ssa.Function]map[*ssa.Function]bool{}, targets: map[*ssa.Call][]*ssa.Function{},
		changes: map[*ssa.Function][]access{}, reaches: map[*ssa.Function][]access{}}
	for _, g := range p.Globals {
		o, err := variables.Variable(g)
		if err != nil { // the error has been reported
			o = &constant.Object{Type: program.Deref(g.Type()), Tree: &constant.Node{}}
		}
		a.put(a.value(g), a.constant(o, g.String()))
	}
	for _, f := range p.Functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				a.instruction(f, i)
			}
		}
	}
	// The arguments of an exported function come from another exported function, through C.
	outside := a.newNode(nil)
	for _, f := range p.Exports {
		a.flow(a.result(f), outside)
		for _, v := range f.Params {
			a.flow(outside, a.value(v))
		}
	}
	a.solve()
	return a
}

// constant returns the object for memory that a package variable refers to.
func (a *Analysis) constant(o *constant.Object, name string) *object {
	if known := a.memory[o]; known != nil {
		return known
	}
	if o.Name != "" {
		name = o.Name
	}
	of := a.newObject(o.Type)
	of.constant = name
	a.memory[o] = of
	of.cut = a.newObject(o.Type)
	of.cut.constant, of.cut.content, of.cut.cut = name, of.content, of.cut
	a.holds(of, o.Tree, name)
	return of
}

func (a *Analysis) holds(o *object, v constant.Value, name string) {
	switch v := v.(type) {
	case *constant.Node:
		a.holds(o, v.Whole, name)
		for _, part := range v.Parts {
			a.holds(o, part, name)
		}
	case constant.Address:
		a.put(o.content, a.constant(v.Object, name))
	case constant.Slice:
		a.put(o.content, a.constant(v.Array.Object, name))
	case constant.Interface:
		a.holds(o, v.Value, name)
	case *ssa.Function:
		a.put(o.content, a.function(v))
	}
}

func (a *Analysis) function(f *ssa.Function) *object {
	if known := a.memory[f]; known != nil {
		return known
	}
	o := a.newObject(f.Signature)
	o.function = f
	a.memory[f] = o
	return o
}

// value returns a value's node; -1 for a value that points nowhere.
func (a *Analysis) value(v ssa.Value) int {
	if n, ok := a.values[v]; ok {
		return n
	}
	n := -1
	switch v := v.(type) {
	case *ssa.Const, *ssa.Builtin:
	case *ssa.Function:
		n = a.newNode(nil)
		a.put(n, a.function(v))
	case *ssa.Convert: // by unsafe a type may become any other
		if pointing(v.Type()) {
			n = a.newNode(nil)
		}
	default:
		if pointing(v.Type()) {
			n = a.newNode(v.Type())
		}
	}
	a.values[v] = n
	return n
}

// result returns the node of a function's results.
func (a *Analysis) result(f *ssa.Function) int {
	if n, ok := a.results[f]; ok {
		return n
	}
	n := -1
	if results := f.Signature.Results(); pointing(results) {
		n = a.newNode(results)
	}
	a.results[f] = n
	return n
}

// makes adds a new object to a value's node, and returns the object.
func (a *Analysis) makes(v ssa.Value, of types.Type) *object {
	o := a.newObject(of)
	a.put(a.value(v), o)
	return o
}

// instruction adds to the analysis where an instruction lets values flow, and what it changes.
func (a *Analysis) instruction(f *ssa.Function, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Alloc:
		a.makes(i, program.Deref(i.Type()))
	case *ssa.MakeSlice:
		a.makes(i, i.Type().Underlying().(*types.Slice).Elem())
	case *ssa.MakeMap:
		a.put(a.value(i), a.newMap(i.Type()))
	case *ssa.MakeClosure:
		fn := i.Fn.(*ssa.Function)
		a.makes(i, i.Type()).function = fn
		for k, v := range i.Bindings {
			a.flow(a.value(v), a.value(fn.FreeVars[k]))
		}
	case *ssa.MakeInterface:
		a.flow(a.value(i.X), a.value(i))
		if text := a.program.Text(i.X.Type()); text != nil {
			a.flow(a.value(i.X), a.value(text.Params[0]))
		}
	case *ssa.UnOp:
		if i.Op == token.MUL {
			a.load(a.value(i.X), a.value(i))
		}
	case *ssa.Lookup:
		a.load(a.value(i.X), a.value(i))
	case *ssa.Store:
		a.store(a.value(i.Addr), a.value(i.Val))
		a.changed(f, i, i.Addr, i.Val.Type())
	case *ssa.MapUpdate:
		a.store(a.value(i.Map), a.value(i.Key))
		a.store(a.value(i.Map), a.value(i.Value))
		a.changed(f, i, i.Map, i.Map.Type())
	case *ssa.Slice:
		a.slice(i)
	case *ssa.Call:
		a.call(f, i)
	case *ssa.Return:
		for _, v := range i.Results {
			a.flow(a.value(v), a.result(f))
		}
	case *ssa.Convert:
		if s, ok := i.Type().Underlying().(*types.Slice); ok { // a copy of a string
			a.makes(i, s.Elem())
		}
		a.flow(a.value(i.X), a.value(i))
	case *ssa.Phi, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Extract, *ssa.ChangeType, *ssa.TypeAssert, *ssa.BinOp:
		for _, v := range i.Operands(nil) {
			a.flow(a.value(*v), a.value(i.(ssa.Value)))
		}
	}
}

// slice connects a slice expression with its operand. A slice that ends early is separate, because append can overwrite the
// elements behind its end.
func (a *Analysis) slice(i *ssa.Slice) {
	from, to := a.value(i.X), a.value(i)
	if i.High == nil || i.Max != nil && sameValue(i.High, i.Max) {
		a.flow(from, to)
	} else if from >= 0 && to >= 0 {
		a.nodes[from].cuts = append(a.nodes[from].cuts, to)
	}
}

// sameValue reports whether two values are known to be equal: a constant, or the length of one slice.
func sameValue(x, y ssa.Value) bool {
	if x == y {
		return true
	}
	switch x := x.(type) {
	case *ssa.Const:
		y, ok := y.(*ssa.Const)
		return ok && x.Value != nil && y.Value != nil && x.Value.ExactString() == y.Value.ExactString()
	case *ssa.UnOp:
		y, ok := y.(*ssa.UnOp)
		_, constant := x.X.(*ssa.Global)
		return ok && constant && x.X == y.X
	case *ssa.Call:
		y, ok := y.(*ssa.Call)
		return ok && isLength(x) && isLength(y) && sameValue(x.Call.Args[0], y.Call.Args[0])
	}
	return false
}

func isLength(c *ssa.Call) bool {
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

func (a *Analysis) call(f *ssa.Function, i *ssa.Call) {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(f, i, b.Name(), c.Args)
		return
	}
	if a.calls[f] == nil {
		a.calls[f] = map[*ssa.Function]bool{}
	}
	if callee := c.StaticCallee(); callee != nil {
		a.link(i, callee)
		return
	}
	n := a.value(c.Value)
	a.nodes[n].calls = append(a.nodes[n].calls, i)
}

// link passes the arguments of a call to a function that the call may reach.
func (a *Analysis) link(i *ssa.Call, callee *ssa.Function) {
	for _, known := range a.targets[i] {
		if known == callee {
			return
		}
	}
	if len(callee.Params) != len(i.Call.Args) || callee.Signature.Results().Len() != i.Call.Signature().Results().Len() {
		return // a function of another type, which no value of this type holds
	}
	a.targets[i] = append(a.targets[i], callee)
	a.calls[i.Parent()][callee] = true
	for k, v := range i.Call.Args {
		a.flow(a.value(v), a.value(callee.Params[k]))
	}
	if callee.Blocks == nil {
		if s, ok := i.Type().Underlying().(*types.Slice); ok { // internal/bytealg.MakeNoZero
			a.makes(i, s.Elem())
		}
		return
	}
	a.flow(a.result(callee), a.value(i))
}

// builtin does the same for a call of a function that Go itself has, such as append.
func (a *Analysis) builtin(f *ssa.Function, i *ssa.Call, name string, arguments []ssa.Value) {
	// contents copies elements.
	contents := func(to int) {
		if from := a.value(arguments[1]); from >= 0 {
			between := a.newNode(nil)
			a.load(from, between)
			a.store(to, between)
		}
	}
	switch name {
	case "append":
		elem := i.Type().Underlying().(*types.Slice).Elem()
		a.flow(a.value(arguments[0]), a.value(i))
		if len(arguments) == 1 {
			return
		}
		o := a.makes(i, elem)
		if from := a.value(arguments[0]); from >= 0 {
			a.load(from, o.content)
		}
		contents(a.value(i))
		a.changed(f, i, arguments[0], elem)
	case "copy":
		contents(a.value(arguments[0]))
		a.changed(f, i, arguments[0], arguments[0].Type().Underlying().(*types.Slice).Elem())
	case "clear", "delete":
		of := arguments[0].Type()
		if s, ok := of.Underlying().(*types.Slice); ok {
			of = s.Elem()
		}
		a.changed(f, i, arguments[0], of)
	case "ssa:wrapnilchk", "SliceData", "Slice":
		a.flow(a.value(arguments[0]), a.value(i))
	}
}
