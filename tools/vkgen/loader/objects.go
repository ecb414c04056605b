package loader

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vkloader/tools/vkgen/registry"
)

// objects are the handles of the loader's own objects. Drivers do not know them, so a command with such a handle
// needs C code that replaces it.
var objects = []string{"VkInstance", "VkPhysicalDevice", "VkSurfaceKHR", "VkDebugReportCallbackEXT",
	"VkDebugUtilsMessengerEXT"}

// object returns the path of names to a handle of the loader's own objects in a type, such as "VkSurfaceKHR surface";
// "": there is none.
func object(r *registry.Registry, m *registry.Member, above []string) string {
	if slices.Contains(objects, m.Type) {
		return m.Type + " " + m.Name
	}
	t := r.Type(m.Type)
	for t != nil && t.Alias != "" && t.Category == "struct" {
		t = r.Type(t.Alias)
	}
	if t == nil || t.Category != "struct" && t.Category != "union" || slices.Contains(above, t.Name) {
		return ""
	}
	above = append(above, t.Name)
	for i := range t.Members {
		if at := object(r, &t.Members[i], above); at != "" {
			return at + " of " + t.Name
		}
	}
	return ""
}

// unreplacedStructures returns the structures that may be in a chain and contain objects of the loader, unless C code
// replaces these.
func unreplacedStructures(r *registry.Registry) (list []string) {
	for _, t := range r.Types {
		if t.Category != "struct" || t.Alias != "" || len(t.Extends) == 0 || slices.Contains(chained, t.Name) {
			continue
		}
		for i := range t.Members {
			if at := object(r, &t.Members[i], []string{t.Name}); at != "" {
				list = append(list, fmt.Sprintf("%s, in the chain of %s: %s", t.Name, strings.Join(t.Extends, ", "),
					at))
				break
			}
		}
	}
	return list
}

// needsC returns the reason why no macro line can express a trampoline or terminator of a command; "": one can.
func (s *Set) needsC(c *Command) string {
	if c.CoreAlias != "" || c.Kind == Global {
		return ""
	}
	// The driver of an instance-level command is not known (UNK-026).
	if c.Kind == Instance && !c.HandLower {
		return "instance-level, without a terminator in C"
	}
	for i := range s.Registry.Root(c.Command).Params {
		m := &s.Registry.Root(c.Command).Params[i]
		if at := object(s.Registry, m, nil); i > 0 && !c.HandLower && at != "" {
			return fmt.Sprintf("its argument %s has an object of the loader (%s), without a terminator in C", m.Name,
				at)
		}
		if t := s.Registry.Type(m.Type); i > 0 && !c.HandUpper && t != nil && t.Dispatchable && m.Pointers > 0 &&
			!strings.HasPrefix(m.Decl, "const ") {
			return fmt.Sprintf("it returns dispatchable handles (%s), without a trampoline in C", m.Type)
		}
	}
	return ""
}

// missingKind returns the reason why a command has no level. A new dispatchable handle has places in C, too.
func (s *Set) missingKind(root *registry.Command) string {
	if len(root.Params) == 0 {
		return "it has no parameters"
	}
	handle := root.Params[0].Type
	if t := s.Registry.Type(handle); t != nil && t.Dispatchable {
		return "its first parameter is the dispatchable handle " + handle +
			": if it is a child of a device, add it to " +
			"deviceHandles in " +
			"tools/vkgen/loader/exceptions.go, and its parameter's name to params in tools/vkgen/emit/commands.go and to " +
			"spine/asm/tables.h"
	}
	return "its first parameter is not a dispatchable handle"
}

// leftOut notes the commands that no system's loader knows: of extensions for other platforms, and without any
// extension or version.
func leftOut(r *registry.Registry) (notes []string) {
	in := map[string]bool{}
	required := func(blocks []registry.Block) (names []string) {
		for _, b := range blocks {
			for _, name := range b.Commands {
				in[name] = true
				names = append(names, name)
			}
		}
		return names
	}
	for _, f := range r.Features {
		required(f.Blocks)
	}
	for _, e := range r.Extensions {
		names := required(e.Blocks)
		if len(names) > 0 && !slices.ContainsFunc(Systems, func(s System) bool { return s.Known(e) }) {
			notes = append(notes,
				fmt.Sprintf("%s is left out, with %s: no system in tools/vkgen/loader/exceptions.go has the "+
					"platform %q",
					e.Name, strings.Join(names, ", "), e.Platform))
		}
	}
	var unused []string
	for _, c := range r.Commands {
		if !in[c.Name] {
			unused = append(unused, c.Name)
		}
	}
	if len(unused) > 0 {
		notes = append(notes, strings.Join(unused, ", ")+
			": left out, because no version and no supported extension has them")
	}
	return notes
}

// missingNames notes the names in exceptions.go and hands.txt that the registry lacks.
func missingNames(r *registry.Registry) (notes []string) {
	lacks := func(list, name string, has bool) {
		if !has {
			notes = append(notes, fmt.Sprintf("%s names %s, and the registry has none", list, name))
		}
	}
	command := func(list, name string) { lacks(list, name, r.Command(name) != nil) }
	extension := func(list, name string) {
		lacks(list+" of tools/vkgen/loader/exceptions.go", name, r.Extension(name) != nil)
	}
	for _, h := range Hands {
		command("tools/vkgen/loader/hands.txt", h.Command)
	}
	for _, name := range slices.Concat(global, slices.Sorted(maps.Keys(gates))) {
		command("tools/vkgen/loader/exceptions.go", name)
	}
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		extension("gates", gates[name])
	}
	for _, name := range exported {
		extension("exported", name)
	}
	for _, s := range Systems {
		for _, name := range s.surfaces {
			extension("surfaces", name)
		}
	}
	for _, name := range deviceHandles {
		lacks("deviceHandles of tools/vkgen/loader/exceptions.go", name, r.Type(name) != nil)
	}
	return notes
}
