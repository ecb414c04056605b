package emit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"vkloader/tools/vkgen/loader"
)

// params are the names of first parameters that spine/asm/tables.h numbers.
var params = []string{"instance", "physicalDevice", "device", "queue", "commandBuffer", "externalQueue"}

// version writes the registry's version for C.
func version(s *loader.Set) []byte {
	var t text
	v := s.Registry
	t.f("/* %s */", mark(s))
	t.f("#ifndef VKL_ZVERSION_H\n#define VKL_ZVERSION_H\n")
	t.f("#define VKL_HEADER_VERSION %d", v.Patch)
	t.f("#define VKL_VERSION_STRING \"%s\"", v.Version())
	t.f("#define VKL_API_VERSION %d /* %s as an API version */", v.Major<<22|v.Minor<<12|v.Patch, v.Version())
	t.f("\n#endif")
	return t.Bytes()
}

// on puts a line that only some systems have into these systems' macro of asm/SYSTEM/lines.h.
func on(sets []*loader.Set, known func(*loader.Set) bool, line string) string {
	var having []string
	for _, s := range sets {
		if known(s) {
			having = append(having, s.System.Name)
		}
	}
	switch len(having) {
	case len(sets):
		return line
	case 1:
		return fmt.Sprintf("ON_%s(%s)", strings.ToUpper(having[0]), line)
	}
	fail("%s is known on %s: spine/asm/numbers.h has no macro for these systems", line, strings.Join(having, " and "))
	return ""
}

// knows reports whether a set has a command.
func knows(name string) func(*loader.Set) bool {
	return func(s *loader.Set) bool { return s.Find(name) != nil }
}

// gates writes a line for each instance extension that commands depend on.
func gates(all *loader.Set, sets []*loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(all))
	t.f("/* EXTENSION(name) for each instance extension that the loader knows (INS-008). */")
	for _, e := range all.Gates {
		hasGate := func(s *loader.Set) bool { return slices.Contains(s.Gates, e) }
		t.f("%s", on(sets, hasGate, "EXTENSION("+e.Name+")"))
	}
	t.f("\n#undef EXTENSION")
	return t.Bytes()
}

// commands writes a line for each command of any system. The lines have no numbers: C and the assembler count them.
func commands(all *loader.Set, sets []*loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(all))
	t.f(`/* COMMAND(kind, name, trampoline, terminator, core minor version, instance extension, first parameter)
 * ALIAS(kind, name, core command, instance extension, first parameter): both names share the core command's trampoline
 * and terminator (GPA-030, GPA-031, EXT-014).
 * Trampoline and terminator are the macro of asm/trampolines.c that makes the function, WRITTEN for a function in C,
 * SURFACE for a terminator in C that makes a surface (DRV-064), DEVICE_WRITTEN for a device command's terminator in C
 * (GPA-086), or NONE.
 * asm/numbers.h counts the lines. */`)
	for _, part := range []struct{ title, kinds string }{
		{"Commands without a table.", "GLOBAL"},
		{"Commands of instances' and drivers' tables, in the order of the slots.", "INSTANCE PHYSDEV"},
		{"Drivers are also asked for this one through the instance (GPA-090): the last slot of an instance's table and the " +
			"first of a\n * device's.", "SHARED"},
		{"Commands of devices' tables, in the order of the slots.", "DEVICE"},
	} {
		t.f("\n/* %s */", part.title)
		for _, c := range all.Commands {
			if !slices.Contains(strings.Fields(part.kinds), kindOf(c)) {
				continue
			}
			t.f("%s", on(sets, knows(c.Name), row(c)))
		}
	}
	t.f("\n#undef COMMAND\n#undef ALIAS")
	return t.Bytes()
}

// kindOf returns a command's kind in the lines. Drivers are also asked for one device-level command through the
// instance (GPA-090).
func kindOf(c *loader.Command) string {
	if c.Name == "vkGetDeviceProcAddr" {
		return "SHARED"
	}
	return [...]string{"", "GLOBAL", "INSTANCE", "PHYSDEV", "DEVICE"}[c.Kind]
}

// row returns the line of a command.
func row(c *loader.Command) string {
	kind, gate, param := kindOf(c), cmp.Or(c.Gate, "NONE"), cmp.Or(c.Param, "NONE")
	if c.CoreAlias != "" {
		return fmt.Sprintf("ALIAS(%s, %s, %s, %s, %s)", kind, c.Name, c.CoreAlias, gate, param)
	}
	upper, lower := "WRITTEN", "WRITTEN"
	if !c.HandUpper && c.Kind != loader.Global {
		upper = kind + "_TRAMPOLINE"
		if c.Exported {
			upper += "_EXPORTED"
		}
	}
	switch {
	case c.Kind == loader.Instance && strings.HasPrefix(c.Name, "vkCreate") && strings.Contains(c.Name, "Surface"):
		lower = "SURFACE"
	case c.Lower() == "":
		lower = "NONE"
	case kind == "DEVICE":
		lower = "DEVICE_WRITTEN"
	case c.Kind == loader.PhysDev && !c.HandLower:
		lower = "PHYSDEV_TERMINATOR"
	}
	return fmt.Sprintf("COMMAND(%s, %s, %s, %s, %d, %s, %s)", kind, c.Name, upper, lower, c.Minor, gate, param)
}

// names writes a line for each name of any system, in the order of the buckets of spine/asm/tables.h.
func names(all *loader.Set, sets []*loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(all))
	t.f("/* NAME(bucket, name): the names of commands, by the buckets of their hash (asm/tables.h). */")
	list := slices.Clone(all.Commands)
	slices.SortStableFunc(list, func(a, b *loader.Command) int { return bucket(a.Name) - bucket(b.Name) })
	for _, c := range list {
		if c.Param != "" && !slices.Contains(params, c.Param) {
			fail(
				"%s: no number for a first parameter %q: add it to params in tools/vkgen/emit/commands.go "+
					"and to spine/asm/tables.h", c.Name, c.Param)
		}
		t.f("%s", on(sets, knows(c.Name), fmt.Sprintf("NAME(%d, %s)", bucket(c.Name), c.Name)))
	}
	t.f("\n#undef NAME")
	return t.Bytes()
}

// bucket returns the bucket of a name: the upper ten bits of its 64-bit FNV-1a hash, as spine/asm/tables.h has it.
func bucket(name string) int {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int(h.Sum64() >> 54)
}
