package emit

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

// more returns the mark that continues line i of a macro of n lines.
func more(i, n int) string {
	if i+1 < n {
		return " \\"
	}
	return ""
}

// opaque lists the window systems' types, which are used only as pointers and numbers (EXP-004).
var opaque = []string{
	"typedef struct _XDisplay Display;",
	"typedef unsigned long Window;",
	"typedef unsigned long VisualID;",
	"typedef unsigned long RROutput;",
	"typedef struct xcb_connection_t xcb_connection_t;",
	"typedef uint32_t xcb_window_t;",
	"typedef uint32_t xcb_visualid_t;",
	"struct wl_display;",
	"struct wl_surface;",
	"typedef struct HINSTANCE__ *HINSTANCE;",
	"typedef struct HWND__ *HWND;",
	"typedef struct HMONITOR__ *HMONITOR;",
}

// closure is the content of the header: the roots and all their dependencies.
type closure struct {
	sets     []*loader.Set // one for each system; notes are added to the first
	r        *registry.Registry
	types    map[string]bool
	commands map[string]bool
	ext      map[string]bool // extensions whose macros are needed
	at       string          // what is being added, for errors
}

// typ adds a type and the types that its definition uses.
func (c *closure) typ(name string) {
	if c.types[name] {
		return
	}
	t := c.r.Type(name)
	if t == nil {
		fail("%s: type %s is not defined", c.at, name)
	}
	c.types[name] = true
	if t.Alias != "" {
		c.typ(t.Alias)
		return
	}
	for _, m := range t.Members {
		c.member(m)
	}
	uses := append(slices.Clone(t.Uses), t.Bits)
	if t.Category == "bitmask" {
		uses = append(uses, t.Base)
	}
	for _, u := range uses {
		if c.r.Type(u) != nil {
			c.typ(u)
		}
	}
}

func (c *closure) member(m registry.Member) {
	if strings.HasPrefix(m.Type, "PFN_vk") && c.r.Type(m.Type) == nil { // a command's own pointer type
		c.command(strings.TrimPrefix(m.Type, "PFN_"))
	} else {
		c.typ(m.Type)
	}
}

// command adds a command and the types of its parameters.
func (c *closure) command(name string) {
	if c.commands[name] {
		return
	}
	cmd := c.r.Command(name)
	if cmd == nil {
		fail("%s: command %s is not defined", c.at, name)
	}
	c.commands[name] = true
	if root := c.r.Root(cmd); root != cmd {
		c.command(root.Name)
		return
	}
	for _, w := range strings.Fields(strings.NewReplacer("*", " ", "const", " ").Replace(cmd.Return)) {
		if c.r.Type(w) != nil {
			c.typ(w)
		}
	}
	for _, p := range cmd.Params {
		c.member(p)
	}
}

func (c *closure) blocks(blocks []registry.Block) {
	for _, b := range blocks {
		for _, n := range b.Types {
			if t := c.r.Type(n); t != nil && t.Category != "define" && t.Category != "include" && t.Category != "" {
				c.typ(n)
			}
		}
		for _, n := range b.Commands {
			c.command(n)
		}
	}
}

// root adds one line of zvk.roots: "core", an extension, a command or a type. A name that this registry lacks is a
// note, not an error, so that older registries work.
func (c *closure) root(name string) {
	e := c.r.Extension(name)
	switch {
	case name == "core":
		for _, f := range c.r.Features {
			c.blocks(f.Blocks)
		}
	case e != nil:
		c.ext[name] = true
		c.blocks(e.Blocks)
	case c.r.Command(name) != nil:
		c.command(name)
	case c.r.Type(name) != nil:
		c.typ(name)
	default:
		c.sets[0].Notes = append(c.sets[0].Notes, fmt.Sprintf("root %s: this registry has no such name", name))
	}
}

func header(sets []*loader.Set, roots string) (h, check, interfaces, chain []byte) {
	s := sets[0]
	c := &closure{sets: sets, r: s.Registry, types: map[string]bool{}, commands: map[string]bool{},
		ext: map[string]bool{}}
	for i, line := range strings.Split(roots, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, name := range strings.Fields(line) {
			c.at = fmt.Sprintf("zvk.roots, line %d: %s", i+1, name)
			c.root(name)
		}
	}
	c.at = "commands written by hand"
	for _, hand := range loader.Hands {
		if slices.ContainsFunc(sets, func(s *loader.Set) bool { return s.Find(hand.Command) != nil }) {
			c.command(hand.Command)
		}
	}
	for _, n := range []string{"VkStructureType", "VkResult", "VkObjectType"} {
		c.typ(n)
	}
	// Aliases of included types cost nothing.
	for _, t := range c.r.Types {
		if t.Alias != "" && c.types[t.Alias] {
			c.types[t.Name] = true
		}
	}
	for _, s := range sets {
		for _, cmd := range s.Commands {
			if cmd.Alias != "" && c.commands[c.r.Root(cmd.Command).Name] {
				c.commands[cmd.Name] = true
			}
		}
	}
	check, chain, interfaces = c.check(), c.chain(s), c.interfaces(s)
	return c.header(), check, interfaces, chain
}

func (c *closure) each(category string, do func(*registry.Type)) {
	for _, t := range c.r.Types {
		if c.types[t.Name] && t.Category == category {
			do(t)
		}
	}
}

// gate reports whether commands of a system depend on the extension.
func (c *closure) gate(e *registry.Extension) bool {
	return slices.ContainsFunc(c.sets, func(s *loader.Set) bool { return slices.Contains(s.Gates, e) })
}

func (c *closure) header() []byte {
	var t text
	c.versions(&t)
	t.f("")
	c.constants(&t)
	t.f("")
	c.extensions(&t)
	c.windowSystems(&t)
	c.handles(&t)
	c.enumerations(&t)
	t.f("")
	c.declarations(&t)
	t.f("")
	written := map[string]bool{}
	c.pointers(&t, written)
	c.definitions(&t)
	t.f("")
	c.prototypes(&t, written)
	t.f("\n#endif")
	return t.Bytes()
}

// versions writes the start of the header, and the numbers of versions.
func (c *closure) versions(t *text) {
	t.f("/* %s */", mark(c.sets[0]))
	t.f(
		"/* The part of the Vulkan API that the loader, its drivers, layers and test programs use: types and function " +
			"pointers, no\n" +
			" * prototypes. It has the names in zvk.roots and all that they use. interface.h has the driver and layer " +
			"interfaces. */")
	t.f(`#ifndef VKL_ZVK_H
#define VKL_ZVK_H

#include <stddef.h>
#include <stdint.h>

#define VKAPI_ATTR
#ifdef _WIN32
#define VKAPI_CALL __stdcall
#else
#define VKAPI_CALL
#endif
#define VKAPI_PTR VKAPI_CALL

#define VK_MAKE_API_VERSION(variant, major, minor, patch) \
    ((((uint32_t)(variant)) << 29) | (((uint32_t)(major)) << 22) | (((uint32_t)(minor)) << 12) | ((uint32_t)(patch)))
#define VK_API_VERSION_VARIANT(version) ((uint32_t)(version) >> 29)
#define VK_API_VERSION_MAJOR(version) (((uint32_t)(version) >> 22) & 0x7fu)
#define VK_API_VERSION_MINOR(version) (((uint32_t)(version) >> 12) & 0x3ffu)
#define VK_API_VERSION_PATCH(version) ((uint32_t)(version) & 0xfffu)
#define VK_HEADER_VERSION %d
#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION(0, %d, %d, VK_HEADER_VERSION)
#define VK_NULL_HANDLE 0`, c.r.Patch, c.r.Major, c.r.Minor)
	minors := map[int]bool{}
	for _, f := range c.r.Features {
		if !minors[f.Minor] {
			minors[f.Minor] = true
			t.f("#define VK_API_VERSION_%d_%d VK_MAKE_API_VERSION(0, %d, %d, 0)", f.Major, f.Minor, f.Major, f.Minor)
		}
	}
}

func (c *closure) constants(t *text) {
	for _, v := range c.r.Constants {
		switch {
		case v.Alias != "":
			t.f("#define %s %s", v.Name, v.Alias)
		case v.Text != "":
			t.f("#define %s %s", v.Name, v.Text)
		default:
			t.f("#define %s %du", v.Name, v.Num)
		}
	}
}

// extensions writes the names and versions of the extensions in use.
func (c *closure) extensions(t *text) {
	for _, e := range c.r.Extensions {
		if (c.ext[e.Name] || c.gate(e)) && e.NameMacro != "" {
			t.f("#define %s %d", e.VersionMacro, e.SpecVersion)
			t.f("#define %s \"%s\"", e.NameMacro, e.Name)
		}
	}
}

// windowSystems writes the window systems' types, and the basic ones.
func (c *closure) windowSystems(t *text) {
	t.f("\n/* Types of window systems, used only as pointers and numbers. */")
	for _, o := range opaque {
		t.f("%s", o)
	}
	t.f("")
	c.each("basetype", func(b *registry.Type) {
		text := b.Text
		if _, other, ok := strings.Cut(text, "#else "); ok { // the first one is Objective-C's
			text = strings.TrimSuffix(other, " #endif")
		}
		t.f("%s", text)
	})
}

func (c *closure) handles(t *text) {
	t.f("\n/* Non-dispatchable handles have 64 bits, also on 32-bit machines. */")
	t.f("#if UINTPTR_MAX == 0xffffffffffffffff")
	t.f("#define VKL_HANDLE(name) typedef struct name##_T *name")
	t.f("#else")
	t.f("#define VKL_HANDLE(name) typedef uint64_t name")
	t.f("#endif")
	c.each("handle", func(h *registry.Type) {
		switch {
		case h.Alias != "":
			t.f("typedef %s %s;", h.Alias, h.Name)
		case h.Dispatchable:
			t.f("typedef struct %s_T *%s;", h.Name, h.Name)
		default:
			t.f("VKL_HANDLE(%s);", h.Name)
		}
	})
}

// enumerations writes the enumerations, and then their aliases.
func (c *closure) enumerations(t *text) {
	done := map[string]bool{}
	c.each("enum", func(e *registry.Type) {
		if e.Alias == "" && !done[e.Name] {
			done[e.Name] = true
			c.enum(t, e.Name)
		}
	})
	t.f("")
	c.aliases(t, "enum")
	c.each("bitmask", func(b *registry.Type) {
		if b.Alias == "" {
			t.f("typedef %s %s;", b.Base, b.Name)
		}
	})
	c.aliases(t, "bitmask")
}

// aliases writes the other names of the types of a category.
func (c *closure) aliases(t *text, category string) {
	c.each(category, func(a *registry.Type) {
		if a.Alias != "" {
			t.f("typedef %s %s;", a.Alias, a.Name)
		}
	})
}

// declarations names structures and unions before anything uses them.
func (c *closure) declarations(t *text) {
	for _, kind := range []string{"struct", "union"} {
		c.each(kind, func(s *registry.Type) {
			if s.Alias == "" {
				t.f("typedef %s %s %s;", kind, s.Name, s.Name)
			}
		})
	}
	c.aliases(t, "struct")
	c.aliases(t, "union")
}

// pointers writes the types of function pointers that structures hold.
func (c *closure) pointers(t *text, written map[string]bool) {
	c.each("funcpointer", func(f *registry.Type) { c.pointer(t, f, written) })
	for _, m := range c.members() { // pointer types of commands that structures hold
		c.prototype(t, m, written)
	}
}

// definitions writes structures and unions.
func (c *closure) definitions(t *text) {
	for _, s := range c.sortedTypes() {
		t.f("\n%s %s {", s.Category, s.Name)
		for _, m := range s.Members {
			t.f("    %s;", m.Decl)
		}
		t.f("};")
	}
}

// prototypes writes the types of pointers to commands.
func (c *closure) prototypes(t *text, written map[string]bool) {
	for _, cmd := range c.r.Commands {
		if c.commands[cmd.Name] && cmd.Alias == "" {
			c.prototype(t, cmd.Name, written)
		}
	}
	for _, cmd := range c.r.Commands {
		if c.commands[cmd.Name] && cmd.Alias != "" {
			t.f("typedef PFN_%s PFN_%s;", c.r.Root(cmd).Name, cmd.Name)
		}
	}
}

// pointer writes a function pointer type after those that it uses.
func (c *closure) pointer(t *text, f *registry.Type, written map[string]bool) {
	if written[f.Name] {
		return
	}
	written[f.Name] = true
	for _, u := range f.Uses {
		if x := c.r.Type(u); x != nil && x.Category == "funcpointer" {
			c.pointer(t, x, written)
		}
	}
	t.f("%s", f.Text)
}

func (c *closure) prototype(t *text, name string, written map[string]bool) {
	if written["PFN_"+name] {
		return
	}
	written["PFN_"+name] = true
	cmd := c.r.Command(name)
	t.f("typedef %s (VKAPI_PTR *PFN_%s)(%s);", cmd.Return, name, parameters(cmd))
}

func parameters(cmd *registry.Command) string {
	var list []string
	for _, p := range cmd.Params {
		list = append(list, p.Decl)
	}
	if list == nil {
		return "void"
	}
	return strings.Join(list, ", ")
}

// members returns the commands whose pointer types are used by members of structures.
func (c *closure) members() []string {
	var out []string
	for _, s := range c.r.Types {
		if !c.types[s.Name] || s.Category != "struct" {
			continue
		}
		for _, m := range s.Members {
			if strings.HasPrefix(m.Type, "PFN_vk") && c.r.Type(m.Type) == nil {
				out = append(out, strings.TrimPrefix(m.Type, "PFN_"))
			}
		}
	}
	return out
}

// sortedTypes returns structures and unions, each after those that it contains by value.
func (c *closure) sortedTypes() []*registry.Type {
	var out []*registry.Type
	seen := map[string]bool{}
	var visit func(*registry.Type)
	visit = func(s *registry.Type) {
		for s.Alias != "" {
			s = c.r.Type(s.Alias)
		}
		if seen[s.Name] {
			return
		}
		seen[s.Name] = true
		for _, m := range s.Members {
			if m.Pointers > 0 {
				continue
			}
			if x := c.r.Type(m.Type); x != nil && (x.Category == "struct" || x.Category == "union") {
				visit(x)
			}
		}
		out = append(out, s)
	}
	for _, s := range c.r.Types {
		if c.types[s.Name] && (s.Category == "struct" || s.Category == "union") {
			visit(s)
		}
	}
	return out
}

// enum writes an enumeration with its values.
func (c *closure) enum(t *text, name string) {
	e := c.r.Enum(name)
	if e == nil {
		e = &registry.Enum{Name: name}
	}
	if e.Wide {
		t.f("\ntypedef uint64_t %s;", name)
		for _, v := range e.Values {
			if v.Alias != "" {
				t.f("#define %s %s", v.Name, v.Alias)
			} else {
				t.f("#define %s ((%s)0x%xu)", v.Name, name, uint64(v.Num))
			}
		}
		return
	}
	t.f("\ntypedef enum %s {", name)
	known := map[string]registry.Value{}
	for _, v := range e.Values {
		known[v.Name] = v
	}
	for _, v := range e.Values {
		if v.Alias == "" {
			if e.Bitmask && bits.OnesCount64(uint64(v.Num)) == 1 {
				t.f("    %s = 0x%x,", v.Name, v.Num)
			} else {
				t.f("    %s = %d,", v.Name, v.Num)
			}
		}
	}
	for _, v := range e.Values {
		target := v
		for i := 0; target.Alias != "" && i < 8; i++ {
			target = known[target.Alias]
		}
		if v.Alias != "" && target.Name != "" {
			t.f("    %s = %s,", v.Name, target.Name)
		}
	}
	t.f("    %s = 0x7fffffff", maxName(name, c.r.Tags))
	t.f("} %s;", name)
}

// maxName returns VK_STRUCTURE_TYPE_MAX_ENUM for VkStructureType; an author's suffix moves to the end.
func maxName(name string, tags []string) string {
	suffix := ""
	for _, tag := range tags {
		if strings.HasSuffix(name, tag) && len(tag) > len(suffix) {
			suffix = tag
		}
	}
	name = strings.TrimSuffix(name, suffix)
	var b strings.Builder
	for i, ch := range name {
		if i > 0 && (ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9' && !isDigit(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(ch)
	}
	out := strings.ToUpper(b.String()) + "_MAX_ENUM"
	if suffix != "" {
		out += "_" + suffix
	}
	return out
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
