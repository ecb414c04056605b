package emit

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/tools/vkgen/loader"
)

// structureTypes returns the numbers of VkStructureType, by name.
func (c *closure) structureTypes() map[string]int64 {
	values := map[string]int64{}
	for _, v := range c.r.Enum("VkStructureType").Values {
		values[v.Name] = v.Num
	}
	return values
}

// chain writes spine/gen/zchain.h: the sizes of all structures that may be in the chain of a VkDeviceCreateInfo, by
// their sType. It leaves out, with a note, structures of a platform whose types have no known size, and structures
// with an undefined sType.
func (c *closure) chain(s *loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(s))
	t.f("/* Sizes of the structures that may be in the chain of a VkDeviceCreateInfo. */")
	t.f("#ifndef VKL_ZCHAIN_H\n#define VKL_ZCHAIN_H\n")
	t.f("/* X(sType, size with 64-bit pointers, on i386, on Windows, on 32-bit ARM and Windows), in the order of " +
		"sType. */")
	t.f("#define DEVICE_CHAIN_LIST(X) \\")
	values := c.structureTypes()
	type line struct {
		kind int64
		text string
	}
	var lines []line
	for _, x := range c.r.Types {
		if x.Category != "struct" || x.Alias != "" || !slices.Contains(x.Extends, "VkDeviceCreateInfo") {
			continue
		}
		if len(x.Members) == 0 || x.Members[0].Name != "sType" {
			fail("%s extends VkDeviceCreateInfo and has no sType", x.Name)
		}
		kind, known := values[x.Members[0].Value]
		if !known {
			s.Notes = append(s.Notes, x.Name+" has no size in zchain.h: no part of the API defines its sType")
			continue
		}
		var sizes []string
		for _, on := range []machine{lp64, ilp32, llp64, wide32} {
			e, err := c.measure(on, x.Name)
			if err != nil {
				s.Notes = append(s.Notes, x.Name+" has no size in zchain.h: "+err.Error())
				break
			}
			sizes = append(sizes, fmt.Sprint(e.size))
		}
		if len(sizes) == 4 {
			lines = append(lines,
				line{kind, fmt.Sprintf("    X(%d, %s) /* %s */", kind, strings.Join(sizes, ", "), x.Name)})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return int(a.kind - b.kind) })
	for i, l := range lines {
		t.f("%s%s", l.text, more(i, len(lines)))
	}
	t.f("\n#endif")
	return t.Bytes()
}
