package main

import (
	"fmt"
)

// format is a VkFormat with the kinds that determine the driver's answers about it.
type format struct {
	name          string
	size          int // bytes of a block; for formats with planes, of plane 0
	width, height int // of a block
	kinds         []string
	planes        [][3]int // bytes, width divisor, height divisor
}

// firstExtended is the least value of an enumeration that an extension or a later version adds.
const firstExtended = 1000000000

// formats returns all formats of the driver's versions, in the registry's order.
func (r *source) formats() ([]format, error) {
	core := map[string]bool{}
	for _, v := range r.Enum("VkFormat").Values {
		core[v.Name] = 0 < v.Num && v.Num < firstExtended
	}
	for _, b := range r.features() {
		for _, name := range b.Values {
			core[name] = true
		}
	}
	sizes := map[string]int{}
	for _, x := range r.formatList {
		sizes[x.Name] = x.BlockSize
	}
	var out []format
	for _, x := range r.formatList {
		if !core[x.Name] {
			continue
		}
		f := format{name: x.Name, size: x.BlockSize, width: 1, height: 1}
		if x.Extent != "" {
			if _, err := fmt.Sscanf(x.Extent, "%d,%d,", &f.width, &f.height); err != nil {
				return nil, fmt.Errorf("%s: block extent %q: %w", x.Name, x.Extent, err)
			}
		}
		seen := map[string]bool{}
		kind := func(k string) {
			if !seen[k] {
				seen[k] = true
				f.kinds = append(f.kinds, k)
			}
		}
		if x.Compressed != "" {
			kind("COMPRESSED")
		}
		if x.Chroma != "" {
			kind("CHROMA")
		}
		for _, c := range x.Components {
			switch c.Numeric {
			case "UINT", "SINT":
				if c.Name != "S" {
					kind("INTEGER")
				}
			case "USCALED", "SSCALED":
				kind("SCALED")
			case "SRGB":
				kind("SRGB")
			}
			switch c.Name {
			case "D":
				kind("DEPTH")
			case "S":
				kind("STENCIL")
			}
			if c.Bits == "64" {
				kind("WIDE")
			}
		}
		if len(f.kinds) == 0 {
			kind("PLAIN")
		}
		for _, p := range x.Planes {
			f.planes = append(f.planes, [3]int{sizes[p.Compatible], p.Width, p.Height})
		}
		out = append(out, f)
	}
	return out, nil
}
