package emit

import (
	"fmt"
	"strconv"
	"strings"

	"vkloader/tools/vkgen/registry"
)

// extent is a size and an alignment.
type extent struct{ size, align int }

// machine has the sizes and alignments that determine the layout of structures.
type machine struct {
	pointer extent // size_t, too
	long    extent
	wide    extent // of 64 bits: integers, double, non-dispatchable handles
}

var (
	lp64   = machine{extent{8, 8}, extent{8, 8}, extent{8, 8}}
	ilp32  = machine{extent{4, 4}, extent{4, 4}, extent{8, 4}} // i386 aligns 64-bit types to 32 bits
	llp64  = machine{extent{8, 8}, extent{4, 4}, extent{8, 8}} // Windows
	wide32 = machine{extent{4, 4}, extent{4, 4}, extent{8, 8}} // 32-bit ARM, and Windows on i386
)

func (m machine) basic(name string) (extent, bool) {
	switch name {
	case "char", "int8_t", "uint8_t":
		return extent{1, 1}, true
	case "int16_t", "uint16_t":
		return extent{2, 2}, true
	case "int", "int32_t", "uint32_t", "float", "xcb_window_t", "xcb_visualid_t":
		return extent{4, 4}, true
	case "double", "int64_t", "uint64_t":
		return m.wide, true
	case "size_t", "HINSTANCE", "HWND", "HMONITOR":
		return m.pointer, true
	case "Window", "VisualID", "RROutput":
		return m.long, true
	}
	return extent{}, false
}

// measure returns the extent of a type, computed from the registry alone.
func (c *closure) measure(on machine, name string) (extent, error) {
	if e, ok := on.basic(name); ok {
		return e, nil
	}
	t := c.r.Type(name)
	if t == nil {
		if len(name) > 6 && name[:6] == "PFN_vk" {
			return on.pointer, nil
		}
		return extent{}, fmt.Errorf("type %s is not defined", name)
	}
	if t.Alias != "" {
		return c.measure(on, t.Alias)
	}
	switch t.Category {
	case "basetype", "bitmask":
		if t.Base == "void" { // typedef void* X
			return on.pointer, nil
		}
		return c.measure(on, t.Base)
	case "enum":
		if e := c.r.Enum(name); e != nil && e.Wide {
			return on.wide, nil
		}
		return extent{4, 4}, nil
	case "handle":
		if !t.Dispatchable {
			return on.wide, nil
		}
		return on.pointer, nil
	case "funcpointer":
		return on.pointer, nil
	case "struct", "union":
		_, e, err := c.layout(on, t)
		return e, err
	}
	return extent{}, fmt.Errorf("type %s has no known size", name)
}

// layout returns the offset of each member (-1 for bit fields) and the extent of the whole type.
func (c *closure) layout(on machine, t *registry.Type) ([]int, extent, error) {
	var offsets []int
	all := extent{0, 1}
	bit := 0 // bits used of the unit that ends at all.size
	unit := 0
	for _, m := range t.Members {
		e, err := c.memberExtent(on, m)
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

func (c *closure) memberExtent(on machine, m registry.Member) (extent, error) {
	e := on.pointer
	if m.Pointers == 0 {
		var err error
		if e, err = c.measure(on, m.Type); err != nil {
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
func (c *closure) check() []byte {
	var t text
	t.f("/* %s */", mark(c.sets[0]))
	t.f("/* Sizes and offsets that vkgen worked out from the registry, on machines with 64-bit pointers, on Windows " +
		"with them, on\n" +
		" * i386, and on the 32-bit machines that align 64-bit numbers to their size (32-bit ARM, and Windows on i386): a " +
		"wrong\n" +
		" * structure in zvk.h does not compile. No code and no data. */")
	t.f("#include \"zvk.h\"\n")
	t.f("#if UINTPTR_MAX == 0xffffffffffffffff && !defined _WIN32")
	t.f("#define HERE(lp64, win64, i386, wide32) (lp64)")
	t.f("#elif UINTPTR_MAX == 0xffffffffffffffff")
	t.f("#define HERE(lp64, win64, i386, wide32) (win64)")
	t.f("#elif defined __i386__ && !defined _WIN32")
	t.f("#define HERE(lp64, win64, i386, wide32) (i386)")
	t.f("#else")
	t.f("#define HERE(lp64, win64, i386, wide32) (wide32)")
	t.f("#endif")
	t.f("#define SIZE(type, ...) _Static_assert(sizeof(type) == HERE(__VA_ARGS__), \"size of \" #type)")
	t.f("#define AT(type, member, ...) _Static_assert(offsetof(type, member) == HERE(__VA_ARGS__), " +
		"#type \"::\" #member)\n")
	for _, s := range c.sortedTypes() {
		var sizes []string
		places := make([][]string, len(s.Members))
		for _, on := range []machine{lp64, llp64, ilp32, wide32} {
			at, all, err := c.layout(on, s)
			if err != nil {
				fail("%w", err)
			}
			sizes = append(sizes, strconv.Itoa(all.size))
			for i := range s.Members {
				places[i] = append(places[i], strconv.Itoa(at[i]))
			}
		}
		t.f("SIZE(%s, %s);", s.Name, strings.Join(sizes, ", "))
		for i, m := range s.Members {
			if m.Bits == 0 {
				t.f("AT(%s, %s, %s);", s.Name, m.Name, strings.Join(places[i], ", "))
			}
		}
	}
	return t.Bytes()
}
