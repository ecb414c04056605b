package emit

import (
	"bytes"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/program"
)

// stackLimit is the size of the largest variable on the C stack, in bytes on a 64-bit machine: programs call the
// library on stacks of 16 kB.
const stackLimit = 512

// body writes one function.
type body struct {
	*emitter
	f      *ssa.Function
	out    bytes.Buffer
	locals bytes.Buffer // declarations of the function
	inner  bytes.Buffer // and those of a block
	file   string
	line   int
	at     ssa.Instruction // the instruction being written
}

// function writes a function.
func (e *emitter) function(f *ssa.Function) {
	b := &body{emitter: e, f: f}
	defer b.outside()
	signature := e.signature(f)
	fmt.Fprintf(&e.protos, "%s;\n", signature)
	if len(f.FreeVars) > 0 {
		fmt.Fprintf(&b.locals, "    %s *c = (void *)self;\n", e.closureType(f))
	}
	if e.circles[f] {
		b.locals.WriteString("    GOC_DEPTH(g);\n")
	}
	targets := map[*ssa.BasicBlock]bool{}
	for _, block := range f.Blocks {
		for k, s := range block.Succs {
			if s.Index != block.Index+1 || k == 0 && len(block.Succs) == 2 {
				targets[s] = true
			}
		}
	}
	var all bytes.Buffer
	for _, block := range f.Blocks {
		for _, i := range block.Instrs {
			b.place(i)
			b.instruction(i)
		}
		if targets[block] {
			fmt.Fprintf(&all, "b%d:;\n", block.Index)
		}
		if b.inner.Len() > 0 {
			fmt.Fprintf(&all, "    {\n%s%s    }\n", b.inner.Bytes(), b.out.Bytes())
		} else {
			all.Write(b.out.Bytes())
		}
		b.inner.Reset()
		b.out.Reset()
	}
	e.code.WriteByte('\n')
	e.line(&e.code, f)
	fmt.Fprintf(&e.code, "%s {\n    (void)g;\n%s%s}\n", signature, b.locals.String(), all.String())
}

// outside reports a fault and recovers, if the panic is about a type without a C type.
func (b *body) outside() {
	what := recover()
	if what == nil {
		return
	}
	text, ok := what.(outside)
	if !ok {
		panic(what)
	}
	at := b.f.Pos()
	if b.at != nil {
		at = b.at.Pos()
	}
	b.faults = append(b.faults, b.program.Fault(at, b.f, string(text)))
}

// place writes the source position of an instruction, for the debugger.
func (b *body) place(i ssa.Instruction) {
	b.at = i
	file, line := b.program.Position(i.Pos())
	if file == "" || file == b.file && line == b.line {
		return
	}
	b.file, b.line = file, line
	fmt.Fprintf(&b.out, "#line %d \"%s\"\n", line, file)
}

func (b *body) stmt(format string, arguments ...any) {
	b.out.WriteString("    ")
	fmt.Fprintf(&b.out, format, arguments...)
	b.out.WriteByte('\n')
}

// local declares a variable for the current instruction. If only one block uses it, the declaration is in that block,
// so that variables of different blocks share stack memory.
func (b *body) local(c, name string) {
	out := &b.locals
	if v, ok := b.at.(ssa.Value); ok && isConfined(v, b.at.Block()) {
		out = &b.inner
	}
	fmt.Fprintf(out, "    %s %s;\n", c, name)
}

// isConfined reports whether only one block uses a value and, for a variable or closure, its memory.
func isConfined(v ssa.Value, block *ssa.BasicBlock) bool {
	_, variable := v.(*ssa.Alloc)
	_, closure := v.(*ssa.MakeClosure)
	for _, r := range *v.Referrers() {
		if p, ok := r.(*ssa.Phi); ok && !variable && !closure {
			for i, e := range p.Edges {
				if e == v && p.Block().Preds[i] != block {
					return false
				}
			}
		} else if r.Block() != block || (variable || closure) && !confinedBy(v, r) {
			return false
		}
	}
	_, phi := v.(*ssa.Phi)
	return !phi
}

// confinedBy reports whether an instruction keeps the use of the memory that v points to in its own block.
func confinedBy(v ssa.Value, r ssa.Instruction) bool {
	follow := func(next ssa.Value) bool {
		for _, r2 := range *next.Referrers() {
			if r2.Block() != r.Block() || !confinedBy(next, r2) {
				return false
			}
		}
		return true
	}
	switch r := r.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.UnOp:
		return true
	case *ssa.Store:
		return r.Val != v
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.ChangeType, *ssa.MakeClosure:
		return follow(r.(ssa.Value))
	case *ssa.Call:
		if f, ok := r.Call.Value.(*ssa.Builtin); ok && f.Name() == "append" && r.Call.Args[0] == v {
			return follow(r)
		}
		return true // a pointer that a function keeps or returns has escaped and is not on the stack
	}
	return false
}

// set assigns an instruction's result to its variable. An unused result gets no variable.
func (b *body) set(v ssa.Value, format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	if len(*v.Referrers()) == 0 {
		if strings.Contains(text, "(g") { // it may panic
			b.stmt("(void)(%s);", text)
		}
		return
	}
	b.local(b.types.cType(v.Type()), v.Name())
	b.stmt("%s = %s;", v.Name(), text)
}

// value writes an operand.
func (b *body) value(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		return b.literal(v)
	case *ssa.Global:
		return fmt.Sprintf("((%s)&%s)", b.types.name(v.Type()), b.global(v))
	case *ssa.Function:
		return fmt.Sprintf("((struct goc_func *)&%s)", b.functionObject(v))
	case *ssa.Parameter:
		for i, p := range b.f.Params {
			if p == v {
				return parameter(i, p)
			}
		}
	case *ssa.FreeVar:
		for i, f := range b.f.FreeVars {
			if f == v {
				return fmt.Sprintf("c->v%d", i)
			}
		}
	}
	return v.Name()
}

// pointer writes a pointer operand that is dereferenced, with a check unless it cannot be nil.
func (b *body) pointer(v ssa.Value) string {
	text := b.value(v)
	b.types.define(program.Deref(v.Type()))
	switch v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		return text
	case *ssa.FreeVar:
		if b.f.Synthetic == "" { // the address of a captured variable; in a bound method, it is the receiver
			return text
		}
	}
	return fmt.Sprintf("((%s)goc_check(g, %s))", b.types.name(v.Type()), text)
}

// edge writes the assignments to a block's phis on the way from another block; if several edges lead there, for the
// first or the last one.
func (b *body) edge(from, to *ssa.BasicBlock, last bool) string {
	at := slices.Index(to.Preds, from)
	for i, p := range to.Preds {
		if p == from && last {
			at = i
		}
	}
	var phis []*ssa.Phi
	for _, i := range to.Instrs {
		p, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		if len(*p.Referrers()) > 0 && p.Edges[at] != ssa.Value(p) {
			phis = append(phis, p)
		}
	}
	var out strings.Builder
	if len(phis) == 1 {
		fmt.Fprintf(&out, "%s = %s; ", phis[0].Name(), b.value(phis[0].Edges[at]))
		return out.String()
	}
	for i, p := range phis {
		fmt.Fprintf(&out, "%s n%d_ = %s; ", b.types.cType(p.Type()), i, b.value(p.Edges[at]))
	}
	for i, p := range phis {
		fmt.Fprintf(&out, "%s = n%d_; ", p.Name(), i)
	}
	return out.String()
}

func (b *body) jump(from, to *ssa.BasicBlock) {
	moves := b.edge(from, to, true)
	if moves != "" {
		b.stmt("{ %s}", moves)
	}
	if to.Index != from.Index+1 {
		b.stmt("goto b%d;", to.Index)
	}
}

// instruction writes the C of an instruction.
func (b *body) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.DebugRef:
	case *ssa.Alloc:
		b.alloc(i)
	case *ssa.Store:
		b.stmt("*%s = %s;", b.pointer(i.Addr), b.value(i.Val))
	case *ssa.UnOp:
		b.unary(i)
	case *ssa.BinOp:
		b.binary(i)
	case *ssa.Call:
		b.call(i)
	case *ssa.Phi:
		if len(*i.Referrers()) > 0 {
			b.local(b.types.cType(i.Type()), i.Name())
		}
	case *ssa.FieldAddr:
		of := program.Deref(i.X.Type()).Underlying().(*types.Struct)
		b.set(i, "&%s->%s", b.pointer(i.X), fieldName(of, i.Field))
	case *ssa.Field:
		b.set(i, "%s.%s", b.value(i.X), fieldName(i.X.Type().Underlying().(*types.Struct), i.Field))
	case *ssa.IndexAddr:
		b.indexAddr(i)
	case *ssa.Index:
		if array, ok := i.X.Type().Underlying().(*types.Array); ok {
			b.set(i, "%s.a[%s]", b.value(i.X), b.within(i.Index, fmt.Sprint(array.Len())))
		} else {
			b.set(i, "%s.p[%s]", b.operandName(i.X), b.within(i.Index, b.operandName(i.X)+".n"))
		}
	case *ssa.Slice:
		b.slice(i)
	case *ssa.Extract:
		b.set(i, "%s.r%d", b.value(i.Tuple), i.Index)
	case *ssa.ChangeType:
		b.changeType(i)
	case *ssa.Convert:
		b.convert(i)
	case *ssa.MakeClosure:
		b.closure(i)
	case *ssa.MakeInterface:
		b.makeInterface(i)
	case *ssa.MakeMap:
		reserve := "0"
		if i.Reserve != nil {
			reserve = b.value(i.Reserve)
		}
		b.set(i, "goc_make_map(g, &%s, (int64_t)%s)", b.types.mapType(i.Type()), reserve)
	case *ssa.MakeSlice:
		elem := b.types.cType(i.Type().Underlying().(*types.Slice).Elem())
		b.set(i, "goc_make_slice(g, sizeof(%s), %s, %s)", elem, b.index(i.Len), b.index(i.Cap))
	case *ssa.MapUpdate:
		m := i.Map.Type().Underlying().(*types.Map)
		b.stmt("{ %s k_ = %s; %s v_ = %s; *(%s *)goc_map_set(g, %s, &k_) = v_; }", b.types.cType(m.Key()),
			b.value(i.Key),
			b.types.cType(m.Elem()), b.value(i.Value), b.types.cType(m.Elem()), b.value(i.Map))
	case *ssa.Lookup:
		b.lookup(i)
	case *ssa.Range:
		b.local("struct goc_range", i.Name())
		b.stmt("%s = (struct goc_range){%s, 0};", i.Name(), b.value(i.X))
	case *ssa.Next:
		b.local(b.types.cType(i.Type()), i.Name())
		b.stmt("{ int64_t k_ = 0; int32_t v_ = 0; %s.r0 = goc_next(&%s, &k_, &v_); %s.r1 = k_; %s.r2 = v_; }", i.Name(),
			i.Iter.Name(),
			i.Name(), i.Name())
	case *ssa.Panic:
		b.stmt("goc_panic(g, %s);", b.value(i.X.(*ssa.MakeInterface).X))
	case *ssa.Jump:
		b.jump(i.Block(), i.Block().Succs[0])
	case *ssa.If:
		yes, no := i.Block().Succs[0], i.Block().Succs[1]
		b.stmt("if (%s) { %sgoto b%d; }", b.value(i.Cond), b.edge(i.Block(), yes, false), yes.Index)
		b.jump(i.Block(), no)
	case *ssa.Return:
		b.back(i)
	default:
		b.faults = append(b.faults, b.program.Fault(i.Pos(), b.f, fmt.Sprintf("%T is outside the subset", i)))
	}
}

func (b *body) back(i *ssa.Return) {
	switch len(i.Results) {
	case 0:
		b.stmt("return;")
	case 1:
		b.stmt("return %s;", b.value(i.Results[0]))
	default:
		var parts []string
		for _, r := range i.Results {
			parts = append(parts, b.value(r))
		}
		b.stmt("return (%s){%s};", b.types.cType(b.f.Signature.Results()), strings.Join(parts, ", "))
	}
}

func (b *body) alloc(i *ssa.Alloc) {
	t := i.Type().(*types.Pointer).Elem()
	c := b.types.cType(t)
	small := b.program.Sizes().Sizeof(t) <= stackLimit
	if small && (!i.Heap || !b.escapes.Escapes(i)) {
		b.local(c, i.Name()+"_")
		b.local(c+" *", i.Name())
		b.stmt("%s_ = %s;", i.Name(), zeroOf(c, t))
		b.stmt("%s = &%s_;", i.Name(), i.Name())
		return
	}
	b.local(c+" *", i.Name())
	b.stmt("%s = goc_alloc(g, sizeof(%s));", i.Name(), c)
}

func zeroOf(c string, t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Struct, *types.Array, *types.Slice, *types.Interface:
		return "(" + c + "){}"
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return "(" + c + "){}"
		}
	}
	return "0"
}

// operandName writes an operand that is used more than once; a constant gets a variable.
func (b *body) operandName(v ssa.Value) string {
	if _, ok := v.(*ssa.Const); ok {
		return "(" + b.value(v) + ")"
	}
	return b.value(v)
}

// index writes an index as a signed number. An index that is too large becomes negative, and is rejected.
func (b *body) index(v ssa.Value) string { return "(int64_t)" + b.value(v) }

// within writes an index with a bounds check.
func (b *body) within(v ssa.Value, length string) string {
	return fmt.Sprintf("goc_index(g, %s, %s)", b.index(v), length)
}

func (b *body) indexAddr(i *ssa.IndexAddr) {
	if s, ok := i.X.Type().Underlying().(*types.Slice); ok {
		x := b.value(i.X)
		b.set(i, "&((%s *)%s.p)[%s]", b.types.cType(s.Elem()), x, b.within(i.Index, x+".n"))
		return
	}
	array := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	b.set(i, "&%s->a[%s]", b.pointer(i.X), b.within(i.Index, fmt.Sprint(array.Len())))
}

// slice writes a slice expression.
func (b *body) slice(i *ssa.Slice) {
	bound := func(v ssa.Value) string {
		if v == nil {
			return "-1"
		}
		return b.index(v)
	}
	flags := 0
	for k, v := range []ssa.Value{i.Low, i.High, i.Max} {
		if v != nil {
			flags |= 1 << k
		}
	}
	low, high, highest := bound(i.Low), bound(i.High), bound(i.Max)
	switch t := i.X.Type().Underlying().(type) {
	case *types.Basic:
		b.set(i, "goc_substring(g, %s, %s, %s, %d)", b.value(i.X), low, high, flags)
	case *types.Slice:
		b.set(i, "goc_reslice(g, %s, sizeof(%s), %s, %s, %s, %d)", b.value(i.X), b.types.cType(t.Elem()), low, high,
			highest,
			flags)
	case *types.Pointer:
		array := t.Elem().Underlying().(*types.Array)
		if flags == 0 {
			b.set(i, "(struct goc_slice){%s->a, %d, %d}", b.pointer(i.X), array.Len(), array.Len())
			return
		}
		b.set(i, "goc_reslice(g, (struct goc_slice){%s->a, %d, %d}, sizeof(%s), %s, %s, %s, %d)", b.pointer(i.X),
			array.Len(),
			array.Len(),
			b.types.cType(array.Elem()), low, high, highest, flags)
	}
}

func (b *body) lookup(i *ssa.Lookup) {
	m := i.X.Type().Underlying().(*types.Map)
	k, v := b.types.cType(m.Key()), b.types.cType(m.Elem())
	b.types.mapType(m)
	if len(*i.Referrers()) == 0 {
		return
	}
	b.local(b.types.cType(i.Type()), i.Name())
	if i.CommaOk {
		b.stmt(
			"{ %s k_ = %s; %s *v_ = goc_map_get(%s, &k_); %s.r1 = v_ != NULL; if (v_) %s.r0 = *v_; else %s.r0 = %s; }",
			k,
			b.value(i.Index), v,
			b.value(i.X), i.Name(), i.Name(), i.Name(), zeroOf(v, m.Elem()))
		return
	}
	b.stmt("{ %s k_ = %s; %s *v_ = goc_map_get(%s, &k_); if (v_) %s = *v_; else %s = %s; }", k, b.value(i.Index), v,
		b.value(i.X), i.Name(), i.Name(),
		zeroOf(v, m.Elem()))
}

func (b *body) closure(i *ssa.MakeClosure) {
	fn := i.Fn.(*ssa.Function)
	c := b.closureType(fn)
	b.local("struct goc_func *", i.Name())
	if b.escapes.Escapes(i) {
		b.local(c+" *", i.Name()+"_")
		b.stmt("%s_ = goc_alloc(g, sizeof(%s));", i.Name(), c)
	} else {
		b.local(c, i.Name()+"_closure")
		b.local(c+" *", i.Name()+"_")
		b.stmt("%s_ = &%s_closure;", i.Name(), i.Name())
	}
	b.stmt("%s = &%s_->head;", i.Name(), i.Name())
	b.stmt("%s_->head.fn = (void *)%s;", i.Name(), b.functionName(fn))
	for k, v := range i.Bindings {
		b.stmt("%s_->v%d = %s;", i.Name(), k, b.value(v))
	}
}

func (b *body) makeInterface(i *ssa.MakeInterface) {
	if uses := *i.Referrers(); len(uses) == 1 {
		if _, ok := uses[0].(*ssa.Panic); ok {
			return
		}
	}
	t := i.X.Type()
	box := b.types.boxType(t)
	if _, ok := t.Underlying().(*types.Pointer); ok {
		b.set(i, "(struct goc_iface){&%s, goc_box(g, &(%s){%s}, sizeof(void *))}", box, b.types.cType(t), b.value(i.X))
		return
	}
	c := b.types.cType(t)
	b.stmt("{")
	b.stmt("    %s x_ = %s;", c, b.value(i.X))
	b.set(i, "(struct goc_iface){&%s, goc_box(g, &x_, sizeof(%s))}", box, c)
	b.stmt("}")
}
