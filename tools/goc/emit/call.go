package emit

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// call writes a call.
func (b *body) call(i *ssa.Call) {
	c := i.Common()
	if f, ok := c.Value.(*ssa.Builtin); ok {
		b.builtin(i, f.Name(), c.Args)
		return
	}
	arguments := ""
	for _, a := range c.Args {
		arguments += ", " + b.value(a)
	}
	var text string
	switch callee := c.StaticCallee(); {
	case callee != nil && len(callee.FreeVars) > 0:
		text = fmt.Sprintf("%s(g, %s%s)", b.functionName(callee), b.value(c.Value), arguments)
	case callee != nil:
		text = fmt.Sprintf("%s(g%s)", b.functionName(callee), arguments)
	default:
		signature := c.Signature()
		parameters := ""
		for v := range signature.Params().Variables() {
			parameters += ", " + b.types.cType(v.Type())
		}
		text = fmt.Sprintf(
			"((%s (*)(struct goc *, struct goc_func *%s))((struct goc_func *)goc_check(g, %s))->fn)(g, %s%s)",
			b.result(signature.Results()), parameters, b.value(c.Value), b.value(c.Value), arguments)
	}
	if c.Signature().Results().Len() == 0 || len(*i.Referrers()) == 0 {
		b.stmt("%s;", text)
		return
	}
	b.local(b.types.cType(i.Type()), i.Name())
	b.stmt("%s = %s;", i.Name(), text)
}

// builtin writes a call of a function that Go itself has, such as append.
func (b *body) builtin(i *ssa.Call, name string, a []ssa.Value) {
	switch name {
	case "len", "cap":
		b.length(i, name, a[0])
	case "append":
		b.appendTo(i, a)
	case "copy":
		elem := b.types.cType(a[0].Type().Underlying().(*types.Slice).Elem())
		source := b.operandName(a[1])
		b.set2(i, fmt.Sprintf("goc_copy(%s, %s.p, %s.n, sizeof(%s))", b.value(a[0]), source, source, elem))
	case "min", "max":
		b.extreme(i, name, a)
	case "print", "println":
		b.print(name, a)
	case "String": // unsafe.String, in Go's own library
		b.set(i, "(struct goc_str){(const uint8_t *)%s, (int64_t)%s}", b.value(a[0]), b.value(a[1]))
	case "SliceData":
		b.set(i, "(%s)%s.p", b.types.cType(i.Type()), b.operandName(a[0]))
	}
}

// set2 is set for an instruction with side effects, which runs even if its result is unused.
func (b *body) set2(v ssa.Value, text string) {
	if len(*v.Referrers()) == 0 {
		b.stmt("%s;", text)
		return
	}
	b.set(v, "%s", text)
}

func (b *body) length(i *ssa.Call, name string, v ssa.Value) {
	switch t := v.Type().Underlying().(type) {
	case *types.Map:
		b.set(i, "goc_map_length(%s)", b.value(v))
	case *types.Array:
		b.set(i, "%d", t.Len())
	case *types.Pointer:
		b.set(i, "%d", t.Elem().Underlying().(*types.Array).Len())
	default:
		member := "n"
		if name == "cap" {
			member = "c"
		}
		b.set(i, "%s.%s", b.operandName(v), member)
	}
}

func (b *body) appendTo(i *ssa.Call, a []ssa.Value) {
	elem := b.types.cType(i.Type().Underlying().(*types.Slice).Elem())
	if len(a) == 1 {
		b.set(i, "%s", b.value(a[0]))
		return
	}
	source := b.operandName(a[1])
	b.set2(i, fmt.Sprintf("goc_append(g, %s, %s.p, %s.n, sizeof(%s))", b.value(a[0]), source, source, elem))
}

// extreme writes a call of min or max.
func (b *body) extreme(i *ssa.Call, name string, a []ssa.Value) {
	t := i.Type()
	if isString(t) {
		b.faults = append(b.faults, b.program.Fault(i.Pos(), b.f, name+" of "+t.String()+" is outside the subset"))
		return
	}
	if !isInteger(t) {
		text := b.value(a[0])
		for _, v := range a[1:] {
			text = fmt.Sprintf("goc_%s_float(%s, %s)", name, text, b.value(v))
		}
		b.set(i, "(%s)%s", b.types.cType(t), text)
		return
	}
	order := "<"
	if name == "max" {
		order = ">"
	}
	text := b.value(a[0])
	c := b.types.cType(t)
	b.local(c, i.Name())
	b.stmt("%s = %s;", i.Name(), text)
	for _, v := range a[1:] {
		b.stmt("if (%s %s %s) %s = %s;", b.value(v), order, i.Name(), i.Name(), b.value(v))
	}
}

// print writes a call of print or println, for tests of the translator; the library's code does not print.
func (b *body) print(name string, a []ssa.Value) {
	if !b.options.Print {
		b.faults = append(b.faults, b.program.Fault(b.f.Pos(), b.f, name+" is for tests"))
		return
	}
	for k, v := range a {
		if k > 0 && name == "println" {
			b.stmt("goc_print_text(\" \");")
		}
		t, ok := v.Type().Underlying().(*types.Basic)
		switch {
		case strings.HasSuffix(b.types.cType(v.Type()), "*"):
			b.stmt("goc_print_pointer(%s);", b.value(v))
		case !ok:
			b.faults = append(b.faults,
				b.program.Fault(b.f.Pos(), b.f, "print of "+v.Type().String()+" is outside the subset"))
		case t.Info()&types.IsString != 0:
			b.stmt("goc_print_string(%s);", b.value(v))
		case t.Info()&types.IsBoolean != 0:
			b.stmt("goc_print_text(%s ? \"true\" : \"false\");", b.value(v))
		case t.Info()&types.IsFloat != 0:
			b.stmt("goc_print_float(%s, %t);", b.value(v), t.Kind() == types.Float32)
		case t.Info()&types.IsUnsigned != 0:
			b.stmt("goc_print_unsigned(%s);", b.value(v))
		default:
			b.stmt("goc_print_integer(%s);", b.value(v))
		}
	}
	if name == "println" {
		b.stmt("goc_print_text(\"\\n\");")
	}
}
