package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

type xmlRequire struct {
	API      string    `xml:"api,attr"`
	Depends  string    `xml:"depends,attr"`
	Commands []xmlName `xml:"command"`
	Enums    []xmlEnum `xml:"enum"`
}

type xmlName struct {
	Name string `xml:"name,attr"`
}

type xmlEnum struct {
	Name    string `xml:"name,attr"`
	Extends string `xml:"extends,attr"`
	Value   string `xml:"value,attr"`
	Alias   string `xml:"alias,attr"`
}

type xmlTyped struct {
	API   string `xml:"api,attr"`
	Name  string `xml:"name"`
	Inner string `xml:",innerxml"`
}

type xmlCommand struct {
	API    string     `xml:"api,attr"`
	Name   string     `xml:"name,attr"`
	Alias  string     `xml:"alias,attr"`
	Proto  xmlTyped   `xml:"proto"`
	Params []xmlTyped `xml:"param"`
}

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

type xmlRegistry struct {
	Features []struct {
		API      string       `xml:"api,attr"`
		Number   string       `xml:"number,attr"`
		Requires []xmlRequire `xml:"require"`
	} `xml:"feature"`
	Extensions []struct {
		Name     string       `xml:"name,attr"`
		Type     string       `xml:"type,attr"`
		Requires []xmlRequire `xml:"require"`
	} `xml:"extensions>extension"`
	Commands []xmlCommand `xml:"commands>command"`
	Formats  []xmlFormat  `xml:"formats>format"`
	Enums    []struct {
		Name string    `xml:"name,attr"`
		Enum []xmlEnum `xml:"enum"`
	} `xml:"enums"`
}

type registry struct {
	xmlRegistry
	byName map[string]xmlCommand
}

func readRegistry(path string) (*registry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &registry{byName: map[string]xmlCommand{}}
	if err := xml.Unmarshal(data, &r.xmlRegistry); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range r.Commands {
		if !forVulkan(c.API) {
			continue
		}
		name := c.Name
		if name == "" {
			name = c.Proto.Name
		}
		r.byName[name] = c
	}
	return r, nil
}

// forVulkan reports whether an api attribute includes desktop Vulkan.
func forVulkan(api string) bool {
	return api == "" || slices.Contains(strings.Split(api, ","), "vulkan")
}

// extension is an extension of the driver. Its number, counted from 1, is the gate of its commands.
type extension struct {
	name     string
	instance bool
	version  string
	requires []xmlRequire
}

func (r *registry) extensions(names []string) ([]extension, error) {
	var out []extension
	for _, name := range names {
		found := false
		for _, e := range r.Extensions {
			if e.Name != name {
				continue
			}
			found = true
			x := extension{name: name, instance: e.Type == "instance", requires: e.Requires}
			for _, q := range e.Requires {
				for _, n := range q.Enums {
					if strings.HasSuffix(n.Name, "_SPEC_VERSION") && x.version == "" {
						x.version = n.Value
					}
				}
			}
			if x.version == "" {
				return nil, fmt.Errorf("%s: no version in the registry", name)
			}
			out = append(out, x)
		}
		if !found {
			return nil, fmt.Errorf("%s: not in the registry", name)
		}
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

type command struct {
	name     string
	function string // of the driver; aliases share it
	level    level
	gates    []int // extensions that bring it; none: core
	result   string
	params   []string
	alias    bool
}

// commands returns all commands up to highestMinor and all that the extensions add, sorted by name.
func (r *registry) commands(exts []extension) ([]command, error) {
	have := map[string]bool{}
	for minor := 0; minor <= highestMinor; minor++ {
		have[fmt.Sprintf("VK_VERSION_1_%d", minor)] = true
	}
	for _, e := range exts {
		have[e.name] = true
	}
	gates := map[string][]int{}
	for _, f := range r.Features {
		minor, err := strconv.Atoi(strings.TrimPrefix(f.Number, "1."))
		if err != nil || !forVulkan(f.API) || minor > highestMinor {
			continue
		}
		for _, q := range f.Requires {
			for _, c := range q.Commands {
				gates[c.Name] = nil
			}
		}
	}
	core := map[string]bool{}
	for name := range gates {
		core[name] = true
	}
	for i, e := range exts {
		for _, q := range e.requires {
			if !forVulkan(q.API) || !holds(q.Depends, have) {
				continue
			}
			for _, c := range q.Commands {
				if !core[c.Name] && !slices.Contains(gates[c.Name], i+1) {
					gates[c.Name] = append(gates[c.Name], i+1)
				}
			}
		}
	}
	// Commands that the registry lacks: the driver interface, which is reachable by name since its version 7.
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
		target, x := name, r.byName[name]
		for x.Alias != "" {
			target, x = x.Alias, r.byName[x.Alias]
		}
		if x.Proto.Name == "" {
			return nil, fmt.Errorf("%s: no prototype in the registry", name)
		}
		c := command{name: name, function: "null_" + target, gates: g, alias: target != name,
			result: strings.TrimSpace(strings.TrimSuffix(plainText(x.Proto.Inner), target))}
		for _, p := range x.Params {
			if forVulkan(p.API) {
				c.params = append(c.params, plainText(p.Inner))
			}
		}
		c.level = levelOf(target, c.params)
		defined[target] = defined[target] || !c.alias
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b command) int { return strings.Compare(a.name, b.name) })
	// An extension's alias whose target belongs to no version that we have still needs its function once.
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

func levelOf(name string, params []string) level {
	switch name {
	case "vkCreateInstance", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties",
		"vkEnumerateInstanceVersion", "vkGetInstanceProcAddr":
		return global
	}
	switch strings.Fields(params[0])[0] {
	case "VkInstance":
		return instance
	case "VkPhysicalDevice":
		return physical
	}
	return device
}

// plainText removes the elements from a declaration and returns its C text.
func plainText(inner string) string {
	var out strings.Builder
	depth, comment := 0, false
	for i := 0; i < len(inner); i++ {
		switch {
		case strings.HasPrefix(inner[i:], "<comment"):
			comment = true
			depth++
		case inner[i] == '<':
			depth++
			if strings.HasPrefix(inner[i:], "</comment") {
				comment = false
			}
		case inner[i] == '>':
			depth--
		case depth == 0 && !comment:
			out.WriteByte(inner[i])
		}
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	return strings.ReplaceAll(text, " *", "*")
}
