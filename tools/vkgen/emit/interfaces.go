package emit

import (
	"fmt"
	"strings"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

// run is a range of consecutive bytes of a structure on both kinds of machine: where it begins, and its size.
type run struct {
	wide, wideSize     int // where pointers have 64 bits
	narrow, narrowSize int // on i386
	windows            int // where it begins on 32-bit Windows, where numbers are aligned to their size
}

// add appends a run, and joins it with the run before if no byte is between them on either machine.
func add(list []run, r run) []run {
	if n := len(list); n > 0 {
		last := &list[n-1]
		if last.wideSize == last.narrowSize && r.wideSize == r.narrowSize && last.wide+last.wideSize == r.wide &&
			last.narrow+last.narrowSize == r.narrow &&
			last.windows+last.narrowSize == r.windows {
			last.wideSize += r.wideSize
			last.narrowSize += r.narrowSize
			return list
		}
	}
	return append(list, r)
}

// runs appends the byte ranges of a type that begins at an offset on each kind of machine.
func (c *closure) runs(list []run, name string, wide, narrow, windows int) ([]run, error) {
	w, err := c.measure(lp64, name)
	if err != nil {
		return nil, err
	}
	n, err := c.measure(ilp32, name)
	if err != nil {
		return nil, err
	}
	t := c.r.Type(name)
	for t != nil && t.Alias != "" {
		t = c.r.Type(t.Alias)
	}
	if t == nil || t.Category != "struct" {
		size := min(w.size, n.size)
		if t != nil && t.Category == "union" {
			return add(list, run{wide, size, narrow, size, windows}), nil
		}
		return add(list, run{wide, w.size, narrow, n.size, windows}), nil
	}
	wideAt, _, err := c.layout(lp64, t)
	if err != nil {
		return nil, err
	}
	narrowAt, _, err := c.layout(ilp32, t)
	if err != nil {
		return nil, err
	}
	windowsAt, _, err := c.layout(wide32, t)
	if err != nil {
		return nil, err
	}
	for i, m := range t.Members {
		if wideAt[i] < 0 { // bit fields: structures with them have no pointers
			return add(list, run{wide, w.size, narrow, n.size, windows}), nil
		}
		if list, err = c.memberRuns(list, m, wide+wideAt[i], narrow+narrowAt[i], windows+windowsAt[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return list, nil
}

func (c *closure) memberRuns(list []run, m registry.Member, wide, narrow, windows int) ([]run, error) {
	w, err := c.memberExtent(lp64, m)
	if err != nil {
		return nil, err
	}
	one := m
	one.Dims = nil
	each, err := c.memberExtent(lp64, one)
	if err != nil {
		return nil, err
	}
	less, err := c.memberExtent(ilp32, one)
	if err != nil {
		return nil, err
	}
	other, err := c.memberExtent(wide32, one)
	if err != nil {
		return nil, err
	}
	for i := range w.size / each.size {
		if m.Pointers > 0 {
			list = add(list, run{wide + i*each.size, each.size, narrow + i*less.size, less.size, windows + i*other.size})
			continue
		}
		if list, err = c.runs(list, m.Type, wide+i*each.size, narrow+i*less.size, windows+i*other.size); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// width returns how an argument is passed: 4 or 8 bytes of any number, f and d floating point, p a pointer's word.
func (c *closure) width(m registry.Member) string {
	if m.Pointers > 0 || len(m.Dims) > 0 {
		return "p"
	}
	switch m.Type {
	case "float":
		return "f"
	case "double":
		return "d"
	}
	w, err := c.measure(lp64, m.Type)
	n, err2 := c.measure(ilp32, m.Type)
	switch {
	case err != nil || err2 != nil, w.size == 8 && n.size == 4: // an unknown type is a window system's pointer
		return "p"
	case w.size == 8:
		return "8"
	}
	return "4"
}

// interfaces writes test/lib/zinterfaces.inc: the types of commands and structures, for the tests' host and fakes on machines
// whose words are shorter than the handles.
func (c *closure) interfaces(s *loader.Set) ([]byte, error) {
	var t text
	t.f("/* %s */", mark(s))
	t.f("/* SIGNATURE(command, result and arguments, structures that arguments point to): 4, 8: bytes; p: a pointer; f, " +
		"d:\n" +
		" * floating point; v: no result.\n" +
		" * STRUCTURE(name, sType, size with 64-bit pointers, on i386, on 32-bit ARM and Windows, {place and size, place " +
		"and size on\n" +
		" * i386, place on 32-bit ARM and Windows}, ...). */")
	for _, cmd := range s.Commands {
		root := s.Registry.Root(cmd.Command)
		signature := "v"
		if root.Return != "void" {
			signature = c.width(registry.Member{Type: root.Return})
		}
		var types []string
		for _, p := range root.Params {
			signature += c.width(p)
			name := "-"
			if x := c.r.Type(p.Type); p.Pointers == 1 && x != nil && x.Category == "struct" {
				name = p.Type
				if x.Alias != "" {
					name = x.Alias
				}
			}
			types = append(types, name)
		}
		t.f("SIGNATURE(%s, \"%s\", \"%s\")", cmd.Name, signature, strings.Join(types, " "))
	}
	values := map[string]int64{}
	for _, v := range c.r.Enum("VkStructureType").Values {
		values[v.Name] = v.Num
	}
	for _, x := range c.sortedTypes() {
		if x.Category != "struct" {
			continue
		}
		list, err := c.runs(nil, x.Name, 0, 0, 0)
		if err != nil {
			return nil, err
		}
		wide, err := c.measure(lp64, x.Name)
		if err != nil {
			return nil, err
		}
		narrow, err := c.measure(ilp32, x.Name)
		if err != nil {
			return nil, err
		}
		windows, err := c.measure(wide32, x.Name)
		if err != nil {
			return nil, err
		}
		kind := int64(-1)
		if len(x.Members) > 0 && x.Members[0].Name == "sType" {
			if v, ok := values[x.Members[0].Value]; ok {
				kind = v
			}
		}
		var parts []string
		for _, r := range list {
			parts = append(parts, fmt.Sprintf("{%d, %d, %d, %d, %d}", r.wide, r.wideSize, r.narrow, r.narrowSize, r.windows))
		}
		t.f("STRUCTURE(%s, %d, %d, %d, %d, %s)", x.Name, kind, wide.size, narrow.size, windows.size,
			strings.Join(parts, ", "))
	}
	return t.Bytes(), nil
}
