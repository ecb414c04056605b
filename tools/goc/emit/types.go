package emit

import (
	"bytes"
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// typeTable names types in C, and writes the definitions of those that need one.
type typeTable struct {
	tags    typeutil.Map // struct, array or tuple to its tag
	used    map[string]bool
	forward bytes.Buffer
	defs    bytes.Buffer
	done    typeutil.Map // written into defs
	equal   typeutil.Map // has an equality function
	maps    typeutil.Map // key and value to the name of the description
	hashed  typeutil.Map // type to the name of its hash function
	boxed   typeutil.Map // type to the name of its description
	after   bytes.Buffer // functions and descriptions, after all definitions
}

// name returns the C type of a Go type.
func (t *typeTable) name(of types.Type) string {
	switch u := of.Underlying().(type) {
	case *types.Basic:
		return basic(u)
	case *types.Pointer:
		if types.Identical(u, u.Elem().Underlying()) {
			panic(outside(fmt.Sprintf("the type %s, which points to itself, is outside the subset", of)))
		}
		return t.name(u.Elem()) + " *"
	case *types.Slice:
		return "struct goc_slice"
	case *types.Map:
		return "struct goc_map *"
	case *types.Signature:
		return "struct goc_func *"
	case *types.Interface:
		return "struct goc_iface"
	case *types.Struct, *types.Array, *types.Tuple:
		return "struct " + t.tag(of)
	}
	if r := of.String(); r == "iter" { // of an *ssa.Range
		return "struct goc_range"
	}
	panic(outside(fmt.Sprintf("the type %s is outside the subset", of)))
}

// outside is the panic value of a function's emission at a type without a C type.
type outside string

// basic returns the C type of a basic type.
func basic(b *types.Basic) string {
	switch b.Kind() {
	case types.Bool, types.UntypedBool, types.Invalid: // invalid: the unused value of a range
		return "bool"
	case types.Int, types.Int64, types.UntypedInt:
		return "int64_t"
	case types.Int8:
		return "int8_t"
	case types.Int16:
		return "int16_t"
	case types.Int32, types.UntypedRune:
		return "int32_t"
	case types.Uint, types.Uint64, types.Uintptr:
		return "uint64_t"
	case types.Uint8:
		return "uint8_t"
	case types.Uint16:
		return "uint16_t"
	case types.Uint32:
		return "uint32_t"
	case types.Float32:
		return "float"
	case types.Float64, types.UntypedFloat:
		return "double"
	case types.String, types.UntypedString:
		return "struct goc_str"
	case types.UnsafePointer, types.UntypedNil:
		return "void *"
	}
	panic(outside(fmt.Sprintf("the type %s is outside the subset", b)))
}

// identifier converts a text to a valid C identifier.
func identifier(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			b.WriteRune(c)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// unique adds a number to a name that is taken.
func unique(used map[string]bool, name string) string {
	out := name
	for i := 2; used[out]; i++ {
		out = fmt.Sprintf("%s_%d", name, i)
	}
	used[out] = true
	return out
}

// tag returns the part of C names that stands for a type.
func (t *typeTable) tag(of types.Type) string {
	of = types.Unalias(of)
	if tag, ok := t.tags.At(of).(string); ok {
		return tag
	}
	var tag string
	switch u := of.(type) {
	case *types.Named:
		tag = u.Obj().Name()
		if p := u.Obj().Pkg(); p != nil {
			tag = p.Name() + "_" + tag
		}
		for i := range u.TypeArgs().Len() {
			tag += "_" + types.TypeString(u.TypeArgs().At(i), func(p *types.Package) string { return p.Name() })
		}
	case *types.Array:
		tag = fmt.Sprintf("array_%d_%s", u.Len(), typeText(u.Elem()))
	case *types.Tuple:
		tag = "results"
		for v := range u.Variables() {
			tag += "_" + typeText(v.Type())
		}
	default:
		tag = "anonymous"
	}
	tag = unique(t.used, identifier(tag))
	t.tags.Set(of, tag)
	fmt.Fprintf(&t.forward, "struct %s;\n", tag)
	return tag
}

// define writes the definition of a type that is used by value, after those of its parts.
func (t *typeTable) define(of types.Type) {
	of = types.Unalias(of)
	switch of.Underlying().(type) {
	case *types.Struct, *types.Array, *types.Tuple:
	default:
		return
	}
	if t.done.At(of) != nil {
		return
	}
	t.done.Set(of, true)
	var body bytes.Buffer
	switch u := of.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			t.define(u.Field(i).Type())
			fmt.Fprintf(&body, "    %s %s;\n", t.name(u.Field(i).Type()), fieldName(u, i))
		}
	case *types.Array:
		t.define(u.Elem())
		fmt.Fprintf(&body, "    %s a[%d];\n", t.name(u.Elem()), u.Len())
	case *types.Tuple:
		for i := range u.Len() {
			t.define(u.At(i).Type())
			fmt.Fprintf(&body, "    %s r%d;\n", t.name(u.At(i).Type()), i)
		}
	}
	fmt.Fprintf(&t.defs, "struct %s {\n%s};\n", t.tag(of), body.String())
}

func fieldName(s *types.Struct, i int) string {
	name := s.Field(i).Name()
	switch c := identifier(name); {
	case name == "_":
		return fmt.Sprintf("blank%d", i)
	case c != name:
		return fmt.Sprintf("f%d_%s", i, c)
	}
	return "f_" + name
}

// cType defines a type and returns its C name.
func (t *typeTable) cType(of types.Type) string {
	t.define(of)
	return t.name(of)
}

func isAggregate(of types.Type) bool {
	switch of.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// equals writes a comparison of two values of one type.
func (t *typeTable) equals(of types.Type, a, b string) string {
	switch u := of.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return "goc_equal_strings(" + a + ", " + b + ")"
		}
	case *types.Interface:
		return "goc_equal_interfaces(g, " + a + ", " + b + ")"
	case *types.Struct, *types.Array:
		return t.equalFunction(of) + "(g, " + a + ", " + b + ")"
	}
	return "(" + a + " == " + b + ")"
}

// equalFunction returns the name of the C function that compares two values of a type. It writes the function at the
// first call.
func (t *typeTable) equalFunction(of types.Type) string {
	of = types.Unalias(of)
	if name, ok := t.equal.At(of).(string); ok {
		return name
	}
	name := "equal_" + t.tag(of)
	t.equal.Set(of, name)
	c := t.cType(of)
	var body bytes.Buffer
	switch u := of.Underlying().(type) {
	case *types.Struct:
		body.WriteString("    return true")
		for i := range u.NumFields() {
			if u.Field(i).Name() == "_" {
				continue
			}
			f := fieldName(u, i)
			body.WriteString(" && " + t.equals(u.Field(i).Type(), "a."+f, "b."+f))
		}
		body.WriteString(";\n")
	case *types.Array:
		fmt.Fprintf(&body, "    for (int64_t i = 0; i < %d; i++)\n        if (!%s) return false;\n    return true;\n",
			u.Len(),
			t.equals(u.Elem(), "a.a[i]", "b.a[i]"))
	}
	fmt.Fprintf(&t.after, "static bool %s(struct goc *g, %s a, %s b) {\n    (void)a;\n    (void)b;\n%s}\n", name, c, c,
		body.String())
	return name
}

// hash writes the hash of the value at a C expression.
func (t *typeTable) hash(of types.Type, at string) string {
	switch u := of.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return "goc_hash_string(" + at + ", h)"
		}
		if u.Info()&types.IsFloat != 0 {
			return "goc_hash_float(" + at + ", h)"
		}
		return "goc_hash_number((uint64_t)" + at + ", h)"
	case *types.Pointer:
		return "goc_hash_number((uint64_t)(uintptr_t)" + at + ", h)"
	case *types.Struct, *types.Array:
		return t.hashFunction(of) + "(g, &" + at + ", h)"
	}
	panic(outside(fmt.Sprintf("a map by %s is outside the subset", of)))
}

// hashFunction returns the name of the C function that hashes values of a type. It writes the function at the first
// call.
func (t *typeTable) hashFunction(of types.Type) string {
	of = types.Unalias(of)
	if name, ok := t.hashed.At(of).(string); ok {
		return name
	}
	c := t.cType(of)
	name := fmt.Sprintf("hash_%d", t.hashed.Len())
	t.hashed.Set(of, name)
	var body bytes.Buffer
	switch u := of.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if u.Field(i).Name() != "_" {
				fmt.Fprintf(&body, "    h = %s;\n", t.hash(u.Field(i).Type(), "k->"+fieldName(u, i)))
			}
		}
	case *types.Array:
		fmt.Fprintf(&body, "    for (int64_t i = 0; i < %d; i++) h = %s;\n", u.Len(), t.hash(u.Elem(), "k->a[i]"))
	default:
		fmt.Fprintf(&body, "    h = %s;\n", t.hash(of, "*k"))
	}
	fmt.Fprintf(&t.after,
		"static uint64_t %s(struct goc *g, const void *key, uint64_t h) {\n    %s const *k = key;\n   "+
			" (void)k;\n%s    return h;\n}\n",
		name, c, body.String())
	return name
}

// mapType returns the description of a map type.
func (t *typeTable) mapType(of types.Type) string {
	m := of.Underlying().(*types.Map)
	key := types.NewTuple(types.NewVar(0, nil, "", m.Key()), types.NewVar(0, nil, "", m.Elem()))
	if name, ok := t.maps.At(key).(string); ok {
		return name
	}
	k, v := t.cType(m.Key()), t.cType(m.Elem())
	hash := t.hashFunction(m.Key())
	name := fmt.Sprintf("map_%d", t.maps.Len())
	t.maps.Set(key, name)
	fmt.Fprintf(&t.after, "static bool equal_%s(struct goc *g, const void *a, const void *b) {\n    return %s;\n}\n",
		name,
		t.equals(m.Key(), "*("+k+" const *)a", "*("+k+" const *)b"))
	fmt.Fprintf(&t.after, "struct entry_%s {\n    uint64_t hash;\n    %s key;\n    %s value;\n};\n", name, k, v)
	fmt.Fprintf(&t.after, "static const struct goc_maptype %s = {sizeof(struct entry_%s), sizeof(%s), sizeof(%s), "+
		"offsetof(struct entry_%s, key), "+
		"offsetof(struct entry_%s, value), %s, equal_%s};\n", name, name, k, v, name, name, hash, name)
	return name
}

// boxType returns the description of a type that is put into an interface.
func (t *typeTable) boxType(of types.Type) string {
	of = types.Unalias(of)
	if name, ok := t.boxed.At(of).(string); ok {
		return name
	}
	if !types.Comparable(of) {
		panic(outside(fmt.Sprintf("an interface with a value of %s, which cannot be compared, is outside the subset",
			of)))
	}
	name := fmt.Sprintf("type_%d", t.boxed.Len())
	t.boxed.Set(of, name)
	c := t.cType(of)
	fmt.Fprintf(&t.after, "static bool equal_%s(struct goc *g, const void *a, const void *b) {\n    return %s;\n}\n",
		name,
		t.equals(of, "*("+c+" const *)a", "*("+c+" const *)b"))
	fmt.Fprintf(&t.after, "static const struct goc_type %s = {equal_%s};\n", name, name)
	return name
}

// typeText returns a type's name for the names of C types.
func typeText(of types.Type) string { return types.TypeString(of, (*types.Package).Name) }

// quote writes a C string literal.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c >= 0x7f || c == '?': // no trigraphs
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
