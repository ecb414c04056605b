package emit

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

// external maps scalar types of other headers to the C types by which the machines' calling conventions pass them.
// Every other type that the registry does not define belongs to a window system and is a pointer.
var external = map[string]string{
	"char": "char", "int8_t": "int8_t", "uint8_t": "uint8_t", "int16_t": "int16_t", "uint16_t": "uint16_t",
	"int":     "int",
	"int32_t": "int32_t", "uint32_t": "uint32_t", "int64_t": "int64_t", "uint64_t": "uint64_t", "size_t": "size_t",
	"float": "float", "double": "double", "void": "void",
	"xcb_window_t": "uint32_t", "xcb_visualid_t": "uint32_t", "DWORD": "uint32_t",
	"Window": "unsigned long", "VisualID": "unsigned long", "RROutput": "unsigned long",
}

// passedType returns the C type with which a parameter or a result is passed.
func passedType(r *registry.Registry, m registry.Member) string {
	if m.Pointers > 0 || len(m.Dims) > 0 {
		return "void *"
	}
	if c, ok := external[m.Type]; ok {
		return c
	}
	t := r.Type(m.Type)
	if t == nil {
		return "void *"
	}
	if t.Alias != "" {
		return passedType(r, registry.Member{Type: t.Alias})
	}
	switch t.Category {
	case "basetype", "bitmask":
		return passedType(r, registry.Member{Type: t.Base, Pointers: strings.Count(t.Text, "*")})
	case "enum":
		e := r.Enum(m.Type)
		switch {
		case e != nil && e.Wide:
			return "uint64_t"
		case e != nil && slices.ContainsFunc(e.Values, func(v registry.Value) bool { return v.Num < 0 }):
			return "int32_t"
		}
		return "uint32_t"
	case "handle":
		if !t.Dispatchable {
			return "uint64_t"
		}
		return "void *"
	case "struct", "union":
		fail("%s is passed by value, which no trampoline does", m.Type)
	}
	return "void *"
}

// signatures writes the C signature of each command that has a trampoline or terminator in asm/trampolines.c. A command
// of several systems has the same one everywhere.
func signatures(_ *loader.Set, sets []*loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(sets[0]))
	t.f("/* SIGNATURE_<command>(X): X(result, (parameters), (their types), (arguments)), in the types that calling " +
		"conventions\n" +
		" * distinguish. */")
	done := map[string]bool{}
	for _, s := range sets {
		for _, c := range s.Commands {
			if c.Kind == loader.Global || c.CoreAlias != "" || done[c.Name] || c.HandUpper &&
				(c.HandLower || c.Kind != loader.PhysDev) {
				continue
			}
			done[c.Name] = true
			root := s.Registry.Root(c.Command)
			result := passedType(s.Registry, registry.Member{Type: root.Return})
			var params, types, arguments []string
			for i, p := range root.Params {
				kind := passedType(s.Registry, p)
				types = append(types, kind)
				params = append(params, strings.TrimSuffix(kind+" ", "* ")+strings.Repeat("*",
					strings.Count(kind, "*"))+fmt.Sprintf("a%d", i))
				arguments = append(arguments, fmt.Sprintf("a%d", i))
			}
			t.f("#define SIGNATURE_%s(X) X(%s, (%s), (%s), (%s))", c.Name, result, strings.Join(params, ", "),
				strings.Join(types, ", "),
				strings.Join(arguments, ", "))
		}
	}
	return t.Bytes()
}
