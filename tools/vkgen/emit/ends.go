package emit

import (
	"slices"
	"strings"

	"vkloader/tools/vkgen/loader"
)

// ends writes prototypes of the trampolines and terminators that are written in C.
func ends(s *loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(s))
	t.f(
		"/* Prototypes of the trampolines and terminators that are written by hand, so that a wrong parameter does not " +
			"compile. */")
	t.f("#ifndef VKL_ZENDS_H\n#define VKL_ZENDS_H\n\n#include \"system.h\"\n#include \"gen/zvk.h\"\n")
	for _, part := range []struct {
		title  string
		prefix string
		take   func(*loader.Command) bool
	}{
		{"Trampolines.", "tramp_", func(c *loader.Command) bool { return c.HandUpper }},
		{"Terminators.", "term_", func(c *loader.Command) bool { return c.HandLower }},
	} {
		t.f("/* %s */", part.title)
		for _, c := range s.Commands {
			if part.take(c) {
				root := s.Registry.Root(c.Command)
				t.f("VKAPI_ATTR %s VKAPI_CALL %s%s(%s) SYMBOL(%s%s);", root.Return, part.prefix, c.Name,
					parameters(root),
					part.prefix, c.Name)
			}
		}
		t.f("")
	}
	t.f("#endif")
	return t.Bytes()
}

// exports writes the list of a DLL's exports for the linker: each name, and the trampoline that it stands for.
func exports(s *loader.Set) []byte {
	var t text
	t.f("; %s", mark(s))
	t.f("LIBRARY \"vulkan-1.dll\"\nEXPORTS")
	var list []string
	for _, c := range s.Commands {
		if c.Exported {
			list = append(list, "    "+c.Name+" = "+c.Upper())
		}
	}
	slices.Sort(list)
	t.f("%s", strings.Join(list, "\n"))
	return t.Bytes()
}

// handWritten writes the documentation's table of hand-written commands.
func handWritten(sets ...*loader.Set) []byte {
	var t text
	t.f("<!-- %s -->", mark(sets[0]))
	t.f("# Commands written by hand\n")
	t.f("Every other command is one line of `spine/gen/zcommands.inc`, which `spine/asm/trampolines.c` expands. The\n" +
		"*trampoline* is what programs call, the *terminator* what the last layer calls. The list is\n" +
		"`tools/vkgen/loader/hands.txt`.\n")
	t.f("| command | by hand | why |\n| --- | --- | --- |")
	for _, h := range loader.Hands {
		if !slices.ContainsFunc(sets, func(s *loader.Set) bool { return s.Find(h.Command) != nil }) {
			continue
		}
		t.f("| `%s` | %s | %s |", h.Command, h.Written, h.Why)
	}
	return t.Bytes()
}
