package emit

import (
	"fmt"
	"strconv"

	"vkloader/tools/vkgen/registry"
)

// extent is a size and an alignment on LP64 machines.
type extent struct{ size, align int }

var basic = map[string]extent{
	"char": {1, 1}, "int8_t": {1, 1}, "uint8_t": {1, 1}, "int16_t": {2, 2}, "uint16_t": {2, 2}, "int": {4, 4},
	"int32_t": {4, 4}, "uint32_t": {4, 4}, "float": {4, 4}, "double": {8, 8}, "int64_t": {8, 8}, "uint64_t": {8, 8},
	"size_t": {8, 8}, "Window": {8, 8}, "VisualID": {8, 8}, "RROutput": {8, 8}, "xcb_window_t": {4, 4},
	"xcb_visualid_t": {4, 4},
}

// measure gives the extent of a type, worked out from the registry alone.
func (c *closure) measure(name string) (extent, error) {
	if e, ok := basic[name]; ok {
		return e, nil
	}
	t := c.r.Type(name)
	if t == nil {
		if len(name) > 6 && name[:6] == "PFN_vk" {
			return extent{8, 8}, nil
		}
		return extent{}, fmt.Errorf("type %s is not defined", name)
	}
	if t.Alias != "" {
		return c.measure(t.Alias)
	}
	switch t.Category {
	case "basetype", "bitmask":
		if t.Base == "void" { // typedef void* X
			return extent{8, 8}, nil
		}
		return c.measure(t.Base)
	case "enum":
		if e := c.r.Enum(name); e != nil && e.Wide {
			return extent{8, 8}, nil
		}
		return extent{4, 4}, nil
	case "handle", "funcpointer":
		return extent{8, 8}, nil
	case "struct", "union":
		_, e, err := c.layout(t)
		return e, err
	}
	return extent{}, fmt.Errorf("type %s has no known size", name)
}

// layout gives the offset of each member (-1 for bit fields) and the extent of the whole.
func (c *closure) layout(t *registry.Type) ([]int, extent, error) {
	var offsets []int
	all := extent{0, 1}
	bit := 0 // bits used of the unit that ends at all.size
	unit := 0
	for _, m := range t.Members {
		e, err := c.memberExtent(m)
		if err != nil {
			return nil, all, fmt.Errorf("%s: %w", t.Name, err)
		}
		all.align = max(all.align, e.align)
		if t.Category == "union" {
			offsets = append(offsets, 0)
			all.size = max(all.size, e.size)
			continue
		}
		if m.Bits > 0 {
			if unit != e.size || bit+m.Bits > unit*8 {
				all.size = (all.size+e.align-1)/e.align*e.align + e.size
				unit, bit = e.size, 0
			}
			bit += m.Bits
			offsets = append(offsets, -1)
			continue
		}
		unit, bit = 0, 0
		at := (all.size + e.align - 1) / e.align * e.align
		offsets = append(offsets, at)
		all.size = at + e.size
	}
	all.size = (all.size + all.align - 1) / all.align * all.align
	return offsets, all, nil
}

func (c *closure) memberExtent(m registry.Member) (extent, error) {
	e := extent{8, 8}
	if m.Pointers == 0 {
		var err error
		if e, err = c.measure(m.Type); err != nil {
			return e, fmt.Errorf("member %s: %w", m.Name, err)
		}
	}
	for _, d := range m.Dims {
		n, err := strconv.Atoi(d)
		if err != nil {
			v, ok := c.r.Constant(d)
			if !ok {
				return e, fmt.Errorf("member %s: length %s is not known", m.Name, d)
			}
			n = int(v)
		}
		e.size *= n
	}
	return e, nil
}

// check writes assertions of all sizes and offsets of the header.
func (c *closure) check() ([]byte, error) {
	var t text
	t.f("/* %s */", mark(c.set))
	t.f("/* Sizes and offsets that vkgen worked out from the registry for machines with 64-bit pointers: a wrong structure in zvk.h\n" +
		" * does not compile. No code and no data. */")
	t.f("#include \"zvk.h\"\n")
	t.f("#define SIZE(type, size) _Static_assert(sizeof(type) == (size), \"size of \" #type)")
	t.f("#define AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type \"::\" #member)\n")
	t.f("#if UINTPTR_MAX == 0xffffffffffffffff")
	for _, s := range c.ordered() {
		offsets, e, err := c.layout(s)
		if err != nil {
			return nil, err
		}
		t.f("SIZE(%s, %d);", s.Name, e.size)
		for i, m := range s.Members {
			if offsets[i] >= 0 {
				t.f("AT(%s, %s, %d);", s.Name, m.Name, offsets[i])
			}
		}
	}
	t.f("#endif")
	return t.Bytes(), nil
}
