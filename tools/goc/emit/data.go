package emit

import (
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	constants "vkloader/tools/goc/constant"
)

// literal writes a constant.
func (e *emitter) literal(c *ssa.Const) string {
	t := c.Type()
	if c.Value == nil {
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Map, *types.Signature:
			return "NULL"
		}
		return "(" + e.types.cType(t) + "){}"
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		panic(fmt.Sprintf("no literal for %s", c))
	}
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return strconv.FormatBool(constant.BoolVal(c.Value))
	case info&types.IsString != 0:
		return stringLiteral(constant.StringVal(c.Value))
	case info&types.IsFloat != 0:
		f, _ := constant.Float64Val(c.Value)
		if b.Kind() == types.Float32 {
			g, _ := constant.Float32Val(c.Value)
			return "(float)" + floating(float64(g))
		}
		return floating(f)
	case info&types.IsUnsigned != 0:
		v, _ := constant.Uint64Val(constant.ToInt(c.Value))
		return "UINT64_C(" + strconv.FormatUint(v, 10) + ")"
	}
	v, _ := constant.Int64Val(constant.ToInt(c.Value))
	return integer(v, b)
}

func integer(v int64, b *types.Basic) string {
	switch { // in parentheses: another minus may come before it
	case v == math.MinInt64:
		return "INT64_MIN"
	case b.Kind() == types.Int || b.Kind() == types.Int64 || b.Kind() == types.UntypedInt:
		return "INT64_C(" + strconv.FormatInt(v, 10) + ")"
	case v == math.MinInt32:
		return "INT32_MIN"
	case v < 0:
		return "(" + strconv.FormatInt(v, 10) + ")"
	}
	return strconv.FormatInt(v, 10)
}

func floating(f float64) string {
	text := strconv.FormatFloat(f, 'x', -1, 64)
	if f < 0 {
		return "(" + text + ")"
	}
	return text
}

func stringLiteral(s string) string {
	if s == "" {
		return "(struct goc_str){}"
	}
	return fmt.Sprintf("(struct goc_str){(const uint8_t *)%s, %d}", quote(s), len(s))
}

// global returns the C name of a package variable. The first call for a variable writes its contents.
func (e *emitter) global(g *ssa.Global) string {
	if name, ok := e.globals[g]; ok {
		return name
	}
	o, err := e.memory.Variable(g)
	if err != nil { // the error has been reported
		o = &constants.Object{Type: pointee(g), Name: g.String(), Tree: &constants.Node{}}
	}
	name := e.object(o)
	e.globals[g] = name
	return name
}

func pointee(g *ssa.Global) types.Type { return g.Type().(*types.Pointer).Elem() }

// object writes a piece of constant memory and returns its name.
func (e *emitter) object(o *constants.Object) string {
	if name, ok := e.objects[o]; ok {
		return name
	}
	short := o.Name
	if at := strings.LastIndexByte(short, '/'); at >= 0 {
		short = short[at+1:]
	}
	if short == "" {
		short = "constant"
	}
	name := unique(e.names, identifier(short))
	e.objects[o] = name
	c := e.types.cType(o.Type)
	fmt.Fprintf(&e.declared, "static const %s %s;\n", constantPointer(c), name)
	text := e.initial(o.Tree, o.Type)
	if macro := e.macros[o.Name]; macro != "" {
		text = fmt.Sprintf("{(const uint8_t *)%s, sizeof(%s) - 1}", macro, macro)
	}
	fmt.Fprintf(&e.data, "static const %s %s = %s;\n", constantPointer(c), name, text)
	return name
}

// constantPointer moves the const behind a pointer, because the variable is constant.
func constantPointer(c string) string {
	if strings.HasSuffix(c, "*") {
		return c + "const"
	}
	return c
}

// initial writes an initializer that C accepts for static data.
func (e *emitter) initial(v constants.Value, t types.Type) string {
	switch v := v.(type) {
	case *constants.Node:
		if v.Whole != nil && v.Parts == nil {
			return e.initial(v.Whole, t)
		}
		if !isAggregate(t) || len(v.Parts) == 0 {
			return strings.TrimPrefix(zeroOf(e.types.cType(t), t), "("+e.types.cType(t)+")")
		}
		return e.parts(v, t)
	case *ssa.Const:
		text := e.literal(v)
		switch {
		case strings.HasPrefix(text, "(struct goc_str)"):
			return strings.TrimPrefix(text, "(struct goc_str)")
		case strings.HasSuffix(text, "){}"):
			return "{}"
		}
		return text
	case *ssa.Function:
		return "(struct goc_func *)&" + e.functionObject(v)
	case constants.Address:
		return "(" + e.types.name(t) + ")&" + e.place(v)
	case constants.Slice:
		return fmt.Sprintf("{(void *)&%s.a[0], %d, %d}", e.place(v.Array), v.Length, v.Length)
	case constants.Interface:
		return e.box(v)
	}
	panic(outside("a package variable with a map is outside the subset"))
}

// parts returns the C initializer of a constant array or struct. Parts that v lacks are zero.
func (e *emitter) parts(v *constants.Node, t types.Type) string {
	var list []string
	frame := "{%s}"
	for _, i := range slices.Sorted(maps.Keys(v.Parts)) {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			list = append(list, fmt.Sprintf(".%s = %s", fieldName(u, i), e.initial(v.Parts[i], u.Field(i).Type())))
		case *types.Array:
			frame = "{{%s}}"
			list = append(list, fmt.Sprintf("[%d] = %s", i, e.initial(v.Parts[i], u.Elem())))
		}
	}
	return fmt.Sprintf(frame, strings.Join(list, ", "))
}

// place returns a C expression for the memory at an address.
func (e *emitter) place(a constants.Address) string {
	if len(a.Path) > 0 {
		panic(outside("a package variable with an address inside another one is outside the subset"))
	}
	return e.object(a.Object)
}

// box writes an interface that holds a constant.
func (e *emitter) box(v constants.Interface) string {
	o := &constants.Object{Type: v.Type, Tree: &constants.Node{Whole: v.Value}}
	return fmt.Sprintf("{&%s, &%s}", e.types.boxType(v.Type), e.object(o))
}
