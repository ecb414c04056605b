package registry

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Member is a member of a structure or a parameter of a function.
type Member struct {
	Decl     string // as it is declared in C, without the semicolon
	Type     string
	Name     string
	Pointers int      // number of stars
	Dims     []string // array lengths, outermost first: numbers or names of constants
	Bits     int      // width of a bit field, 0 for none
	Value    string   // of sType
}

// Type is a named type of any category.
type Type struct {
	Name         string
	Category     string // "", basetype, bitmask, define, enum, funcpointer, handle, include, struct, union
	Alias        string
	Dispatchable bool     // handles
	Bits         string   // bitmasks: the enumeration of their bits, or ""
	Base         string   // basetypes and bitmasks: the aliased type
	Text         string   // function pointers: the declaration; basetypes: the text
	Members      []Member // of structures, unions and function pointers
	Extends      []string // structures: the structures whose chains may contain it
	Uses         []string // names of types that the declaration of a function pointer mentions
}

// Value is one enumerated value or constant.
type Value struct {
	Name  string
	Alias string // of another value; Num and Text are unset
	Num   int64
	Text  string // constants that are no integers
}

// Enum is an enumeration with all values that versions and extensions of the API add.
type Enum struct {
	Name    string
	Bitmask bool
	Wide    bool // 64 bits
	Values  []Value
}

// Command is a function of the API.
type Command struct {
	Name   string
	Alias  string
	Return string
	Params []Member
}

// Block is a <require> element.
type Block struct {
	Types    []string
	Commands []string
}

// Feature is a core version or an internal part of one.
type Feature struct {
	Name         string
	Major, Minor int
	Blocks       []Block
}

// Extension is an extension of the API in the registry. Disabled extensions are not read.
type Extension struct {
	Name         string
	Kind         string // instance, device
	Platform     string
	SpecVersion  int
	NameMacro    string
	VersionMacro string
	Blocks       []Block
}

// Registry is the whole "vulkan" API.
type Registry struct {
	Major, Minor, Patch int
	Types               []*Type
	Constants           []Value
	Commands            []*Command
	Features            []*Feature
	Extensions          []*Extension
	Tags                []string // author suffixes

	types    map[string]*Type
	enums    map[string]*Enum
	commands map[string]*Command
	consts   map[string]int
}

// Version returns the registry's version as text, like 1.4.363.
func (r *Registry) Version() string { return fmt.Sprintf("%d.%d.%d", r.Major, r.Minor, r.Patch) }

// Type returns the type of a name, or nil.
func (r *Registry) Type(name string) *Type { return r.types[name] }

// Enum returns the enumeration of a name, or nil.
func (r *Registry) Enum(name string) *Enum { return r.enums[name] }

// Command returns the command of a name, or nil.
func (r *Registry) Command(name string) *Command { return r.commands[name] }

// Extension returns the extension of a name, or nil.
func (r *Registry) Extension(name string) *Extension {
	if at := slices.IndexFunc(r.Extensions, func(e *Extension) bool { return e.Name == name }); at >= 0 {
		return r.Extensions[at]
	}
	return nil
}

// Root follows aliases of commands to the command that has parameters; nil: there is none.
func (r *Registry) Root(c *Command) *Command {
	for range len(r.Commands) { // aliases may form a cycle
		if c == nil || c.Alias == "" {
			return c
		}
		c = r.commands[c.Alias]
	}
	return nil
}

// Constant returns the value of an integer constant.
func (r *Registry) Constant(name string) (int64, bool) {
	i, ok := r.consts[name]
	if !ok {
		return 0, false
	}
	c := r.Constants[i]
	if c.Alias != "" {
		return r.Constant(c.Alias)
	}
	return c.Num, c.Text == "" || c.Num != 0
}

// Read reads a registry.
func Read(in io.Reader) (*Registry, error) {
	tree, err := readTree(in)
	if err != nil {
		return nil, err
	}
	root := tree.one("registry")
	if root == nil {
		return nil, fmt.Errorf("no <registry> element")
	}
	r := &Registry{
		types: map[string]*Type{}, enums: map[string]*Enum{}, commands: map[string]*Command{}, consts: map[string]int{},
	}
	for _, k := range root.kids {
		switch k.name {
		case "tags":
			for _, t := range k.all("tag") {
				r.Tags = append(r.Tags, t.attr["name"])
			}
		case "types":
			for _, t := range k.all("type") {
				r.addType(t)
			}
		case "enums":
			if err := r.addEnums(k); err != nil {
				return nil, err
			}
		case "commands":
			for _, c := range k.all("command") {
				r.addCommand(c)
			}
		}
	}
	if r.Patch == 0 || r.Major == 0 {
		return nil, fmt.Errorf("no VK_HEADER_VERSION found")
	}
	for _, k := range root.kids {
		switch k.name {
		case "feature":
			if err := r.addFeature(k); err != nil {
				return nil, err
			}
		case "extensions":
			for _, e := range k.all("extension") {
				if err := r.addExtension(e); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, t := range r.Types {
		steps := 0
		for a := t; a != nil && a.Alias != ""; a = r.types[a.Alias] {
			if steps++; steps > len(r.Types) {
				return nil, fmt.Errorf("type %s: its aliases form a cycle", t.Name)
			}
		}
	}
	return r, nil
}

var (
	headerVersion   = regexp.MustCompile(`#define VK_HEADER_VERSION (\d+)`)
	completeVersion = regexp.MustCompile(`#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(\w+, (\d+), (\d+),`)
	dimension       = regexp.MustCompile(`\[([^\]]*)\]`)
	bitWidth        = regexp.MustCompile(`:\s*(\d+)`)
	word            = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// addType reads a type element.
func (r *Registry) addType(n *node) {
	t := &Type{Name: n.attr["name"], Category: n.attr["category"], Alias: n.attr["alias"]}
	if t.Name == "" {
		t.Name = n.textOf("name")
	}
	text := n.flat()
	switch t.Category {
	case "define":
		if m := headerVersion.FindStringSubmatch(text); m != nil {
			r.Patch, _ = strconv.Atoi(m[1])
		}
		if m := completeVersion.FindStringSubmatch(text); m != nil {
			r.Major, _ = strconv.Atoi(m[1])
			r.Minor, _ = strconv.Atoi(m[2])
		}
	case "handle":
		t.Dispatchable = n.textOf("type") == "VK_DEFINE_HANDLE"
	case "bitmask":
		t.Base = n.textOf("type")
		t.Bits = n.attr["requires"]
		if b := n.attr["bitvalues"]; b != "" {
			t.Bits = b
		}
	case "basetype":
		t.Base = n.textOf("type")
		t.Text = text
	case "struct", "union":
		if list := n.attr["structextends"]; list != "" {
			t.Extends = strings.Split(list, ",")
		}
		for _, m := range n.all("member") {
			t.Members = append(t.Members, member(m))
		}
	case "funcpointer":
		if proto := n.one("proto"); proto != nil {
			t.Name = proto.textOf("name")
			ret := strings.TrimSpace(strings.TrimSuffix(proto.flat(), t.Name))
			var params []string
			for _, p := range n.all("param") {
				m := member(p)
				t.Members = append(t.Members, m)
				params = append(params, m.Decl)
			}
			if params == nil {
				params = []string{"void"}
			}
			t.Text = fmt.Sprintf("typedef %s (VKAPI_PTR *%s)(%s);", ret, t.Name, strings.Join(params, ", "))
		} else {
			t.Text = text
		}
		for _, w := range word.FindAllString(t.Text, -1) {
			if w != t.Name && (strings.HasPrefix(w, "Vk") || strings.HasPrefix(w, "PFN_")) {
				t.Uses = append(t.Uses, w)
			}
		}
	}
	if t.Name == "" || r.types[t.Name] != nil {
		return
	}
	r.types[t.Name] = t
	r.Types = append(r.Types, t)
}

func member(n *node) Member {
	m := Member{Decl: n.flat(), Type: n.textOf("type"), Name: n.textOf("name"), Value: n.attr["values"]}
	var before, after strings.Builder
	seen := false
	for _, k := range n.kids {
		switch {
		case k.name == "name":
			seen = true
		case seen:
			k.write(&after)
		default:
			k.write(&before)
		}
	}
	m.Pointers = strings.Count(before.String(), "*")
	for _, d := range dimension.FindAllStringSubmatch(after.String(), -1) {
		m.Dims = append(m.Dims, strings.TrimSpace(d[1]))
	}
	if b := bitWidth.FindStringSubmatch(after.String()); b != nil {
		m.Bits, _ = strconv.Atoi(b[1])
	}
	return m
}

// addEnums reads an enums element: constants, an enumeration or bits.
func (r *Registry) addEnums(n *node) error {
	if n.attr["name"] == "API Constants" {
		for _, e := range n.all("enum") {
			r.addConstant(e)
		}
		return nil
	}
	if kind := n.attr["type"]; kind != "enum" && kind != "bitmask" {
		return nil
	}
	e := &Enum{Name: n.attr["name"], Bitmask: n.attr["type"] == "bitmask", Wide: n.attr["bitwidth"] == "64"}
	r.enums[e.Name] = e
	for _, v := range n.all("enum") {
		if err := e.add(v, 0); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) addConstant(n *node) {
	v := Value{Name: n.attr["name"], Alias: n.attr["alias"]}
	if _, known := r.consts[v.Name]; known {
		return
	}
	if num, err := strconv.ParseInt(n.attr["value"], 0, 64); err == nil {
		v.Num = num
	} else {
		v.Text = n.attr["value"]
	}
	r.consts[v.Name] = len(r.Constants)
	r.Constants = append(r.Constants, v)
}

// add adds a value; ext is the number of the extension that contains it.
func (e *Enum) add(n *node, ext int) error {
	v := Value{Name: n.attr["name"], Alias: n.attr["alias"]}
	if slices.ContainsFunc(e.Values, func(old Value) bool { return old.Name == v.Name }) {
		return nil // several extensions may add the same value
	}
	if v.Alias == "" {
		num, err := number(n, ext)
		if err != nil {
			return fmt.Errorf("enumeration %s, value %s: %w", e.Name, v.Name, err)
		}
		v.Num = num
	}
	e.Values = append(e.Values, v)
	return nil
}

// number returns the value that an enum element gives. ext is the number of the extension around it, unless it has
// its own.
func number(n *node, ext int) (int64, error) {
	if s := n.attr["bitpos"]; s != "" {
		bit, err := strconv.Atoi(s)
		if err != nil || bit < 0 || bit > 63 {
			return 0, fmt.Errorf("bit position %q", s)
		}
		return int64(uint64(1) << bit), nil
	}
	if s := n.attr["value"]; s != "" {
		return strconv.ParseInt(s, 0, 64)
	}
	offset, err := strconv.ParseInt(n.attr["offset"], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("offset: %w", err)
	}
	if s := n.attr["extnumber"]; s != "" {
		if ext, err = strconv.Atoi(s); err != nil {
			return 0, fmt.Errorf("extension number: %w", err)
		}
	}
	num := 1000000000 + int64(ext-1)*1000 + offset
	if n.attr["dir"] == "-" {
		num = -num
	}
	return num, nil
}

func (r *Registry) addCommand(n *node) {
	c := &Command{Name: n.attr["name"], Alias: n.attr["alias"]}
	if proto := n.one("proto"); proto != nil {
		c.Name = proto.textOf("name")
		c.Return = strings.TrimSpace(strings.TrimSuffix(proto.flat(), c.Name))
	}
	for _, p := range n.all("param") {
		c.Params = append(c.Params, member(p))
	}
	if r.commands[c.Name] != nil {
		return
	}
	r.commands[c.Name] = c
	r.Commands = append(r.Commands, c)
}

func (r *Registry) addFeature(n *node) error {
	if !n.ours() {
		return nil
	}
	f := &Feature{Name: n.attr["name"]}
	if _, err := fmt.Sscanf(n.attr["number"], "%d.%d", &f.Major, &f.Minor); err != nil {
		return fmt.Errorf("feature %s: number %q: %w", f.Name, n.attr["number"], err)
	}
	blocks, err := r.blocks(n, 0)
	if err != nil {
		return fmt.Errorf("feature %s: %w", f.Name, err)
	}
	f.Blocks = blocks
	r.Features = append(r.Features, f)
	return nil
}

// addExtension reads an extension element. It skips an extension that Vulkan does not support.
func (r *Registry) addExtension(n *node) error {
	if !slices.Contains(strings.Split(n.attr["supported"], ","), "vulkan") {
		return nil
	}
	e := &Extension{Name: n.attr["name"], Kind: n.attr["type"], Platform: n.attr["platform"]}
	num, err := strconv.Atoi(n.attr["number"])
	if err != nil {
		return fmt.Errorf("extension %s: number: %w", e.Name, err)
	}
	if e.Blocks, err = r.blocks(n, num); err != nil {
		return fmt.Errorf("extension %s: %w", e.Name, err)
	}
	for _, q := range n.all("require") {
		for _, v := range q.all("enum") {
			switch name := v.attr["name"]; {
			case strings.HasSuffix(name, "_SPEC_VERSION") && v.attr["value"] != "":
				e.VersionMacro = name
				e.SpecVersion, _ = strconv.Atoi(v.attr["value"])
			case strings.HasSuffix(name, "_EXTENSION_NAME") && v.attr["value"] != "":
				e.NameMacro = name
			}
		}
	}
	r.Extensions = append(r.Extensions, e)
	return nil
}

// blocks reads the require elements of n. ext is the number of the extension, or 0.
func (r *Registry) blocks(n *node, ext int) ([]Block, error) {
	var out []Block
	for _, q := range n.all("require") {
		b := Block{}
		for _, k := range q.kids {
			if k.name == "" || !k.ours() {
				continue
			}
			switch k.name {
			case "type":
				b.Types = append(b.Types, k.attr["name"])
			case "command":
				b.Commands = append(b.Commands, k.attr["name"])
			case "enum":
				if e := r.enums[k.attr["extends"]]; e != nil {
					if err := e.add(k, ext); err != nil {
						return nil, err
					}
				}
			}
		}
		out = append(out, b)
	}
	return out, nil
}
