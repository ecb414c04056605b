package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"slices"
	"strings"

	"vkloader/tools/vkgen/registry"
)

// xmlFormat is a format element of the registry.
type xmlFormat struct {
	Name       string `xml:"name,attr"`
	BlockSize  int    `xml:"blockSize,attr"`
	Extent     string `xml:"blockExtent,attr"`
	Compressed string `xml:"compressed,attr"`
	Chroma     string `xml:"chroma,attr"`
	Components []struct {
		Name    string `xml:"name,attr"`
		Bits    string `xml:"bits,attr"`
		Numeric string `xml:"numericFormat,attr"`
	} `xml:"component"`
	Planes []struct {
		Width      int    `xml:"widthDivisor,attr"`
		Height     int    `xml:"heightDivisor,attr"`
		Compatible string `xml:"compatible,attr"`
	} `xml:"plane"`
}

// source is the registry, with its formats.
type source struct {
	*registry.Registry
	formatList []xmlFormat
}

func readRegistry(path string) (*source, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var formats struct {
		List []xmlFormat `xml:"formats>format"`
	}
	if err := xml.Unmarshal(data, &formats); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := registry.Read(bytes.NewReader(data))
	return &source{r, formats.List}, err
}

// features returns the blocks of all versions of Vulkan up to highestMinor.
func (r *source) features() (blocks []registry.Block) {
	for _, f := range r.Features {
		if f.Minor <= highestMinor {
			blocks = append(blocks, f.Blocks...)
		}
	}
	return blocks
}

// extension is an extension of the driver. Its number, counted from 1, is the gate of its commands.
type extension struct {
	*registry.Extension
	instance bool
}

func (r *source) extensions(names []string) ([]extension, error) {
	var out []extension
	for _, name := range names {
		e := r.Extension(name)
		if e == nil || e.SpecVersion == 0 {
			return nil, fmt.Errorf("%s: not in the registry, or without a version", name)
		}
		out = append(out, extension{e, e.Kind == "instance"})
	}
	return out, nil
}

// level is the kind of handle through which a command is found.
type level string

const (
	global   level = "GLOBAL"
	instance level = "INSTANCE"
	physical level = "PHYSICAL_DEVICE"
	device   level = "DEVICE"
)

// command is a command that the driver has.
type command struct {
	name     string
	function string // of the driver; aliases share it
	level    level
	gates    []int // extensions that add it; none: core
	result   string
	params   []string
	alias    bool
}

// commands returns all commands up to highestMinor and all that the extensions add, sorted by name.
func (r *source) commands(exts []extension) ([]command, error) {
	have := map[string]bool{}
	for minor := 0; minor <= highestMinor; minor++ {
		have[fmt.Sprintf("VK_VERSION_1_%d", minor)] = true
	}
	for _, e := range exts {
		have[e.Name] = true
	}
	gates := map[string][]int{}
	for _, b := range r.features() {
		for _, name := range b.Commands {
			gates[name] = nil
		}
	}
	core := map[string]bool{}
	for name := range gates {
		core[name] = true
	}
	for i, e := range exts {
		for _, b := range e.Blocks {
			if !holds(b.Depends, have) {
				continue
			}
			for _, name := range b.Commands {
				if !core[name] && !slices.Contains(gates[name], i+1) {
					gates[name] = append(gates[name], i+1)
				}
			}
		}
	}
	// Commands that are not in the registry: those of the driver interface, which are found by name since its version
	// 7.
	out := []command{
		{name: "vk_icdNegotiateLoaderICDInterfaceVersion", function: "vk_icdNegotiateLoaderICDInterfaceVersion", level: global, alias: true},
		{name: "vk_icdGetInstanceProcAddr", function: "vk_icdGetInstanceProcAddr", level: global, alias: true},
		{name: "vk_icdGetPhysicalDeviceProcAddr", function: "vk_icdGetPhysicalDeviceProcAddr", level: global, alias: true},
	}
	defined := map[string]bool{}
	for name, g := range gates {
		if len(g) > 2 {
			return nil, fmt.Errorf("%s: brought by more than two extensions", name)
		}
		root := r.Root(r.Command(name))
		if root == nil || len(root.Params) == 0 {
			return nil, fmt.Errorf("%s: no prototype in the registry", name)
		}
		c := command{name: name, function: "null_" + root.Name, level: levelOf(root), gates: g, alias: root.Name != name, result: root.Return}
		for _, p := range root.Params {
			c.params = append(c.params, strings.ReplaceAll(p.Decl, " *", "*"))
		}
		defined[root.Name] = defined[root.Name] || !c.alias
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b command) int { return strings.Compare(a.name, b.name) })
	// An extension's alias needs a function even if the aliased command is in no supported version.
	for i := range out {
		if target := strings.TrimPrefix(out[i].function, "null_"); out[i].alias && strings.HasPrefix(out[i].function, "null_") && !defined[target] {
			out[i].alias, defined[target] = false, true
		}
	}
	return out, nil
}

// holds evaluates a depends attribute: + is and, a comma is or, parentheses group.
func holds(expr string, have map[string]bool) bool {
	if expr == "" {
		return true
	}
	pos := 0
	var or func() bool
	atom := func() bool {
		if expr[pos] == '(' {
			pos++
			v := or()
			pos++
			return v
		}
		start := pos
		for pos < len(expr) && !strings.ContainsRune("+,()", rune(expr[pos])) {
			pos++
		}
		return have[expr[start:pos]]
	}
	or = func() bool {
		v := atom()
		for pos < len(expr) && expr[pos] != ')' {
			op := expr[pos]
			pos++
			w := atom()
			if op == '+' {
				v = v && w
			} else {
				v = v || w
			}
		}
		return v
	}
	return or()
}

func levelOf(c *registry.Command) level {
	switch c.Name {
	case "vkCreateInstance", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties",
		"vkEnumerateInstanceVersion", "vkGetInstanceProcAddr":
		return global
	}
	switch c.Params[0].Type {
	case "VkInstance":
		return instance
	case "VkPhysicalDevice":
		return physical
	}
	return device
}
