package emit

import (
	"slices"
	"strings"

	"vkloader/tools/vkgen/loader"
)

// params are the names of first parameters, by the number in the name table.
var params = []string{"", "instance", "physicalDevice", "device", "queue", "commandBuffer", "externalQueue"}

// number gives a C or assembler line for each command of a list.
func number(t *text, prefix string, list []*loader.Command) {
	for i, c := range list {
		t.f("#define %s_%s %d", prefix, c.Name, i)
	}
}

func slots(s *loader.Set, names *table) []byte {
	var t text
	v := s.Registry
	t.f("/* %s */", mark(s))
	t.f("/* Numbers of commands, table slots and instance extensions. For C and for tables.S: nothing but #define. */")
	t.f("#ifndef VKL_ZSLOTS_H\n#define VKL_ZSLOTS_H\n")
	t.f("#define VKL_HEADER_VERSION %d", v.Patch)
	t.f("#define VKL_VERSION_STRING \"%s\"", v.Version())
	t.f("#define VKL_API_VERSION %d /* %s as an API version */\n", v.Major<<22|v.Minor<<12|v.Patch, v.Version())
	t.f("/* Slots of instances' and drivers' tables: instance-level and physical-device-level commands; an alias has a\n" +
		" * separate slot. vkGetDeviceProcAddr is here, too: drivers are asked for it through the instance (GPA-090). */")
	instance := s.InstanceSlots()
	number(&t, "ISLOT", instance)
	t.f("#define ISLOT_COUNT %d\n", len(instance))
	t.f("/* Slots of devices' tables: device, queue and command buffer commands. */")
	device := s.DeviceSlots()
	number(&t, "DSLOT", device)
	t.f("#define DSLOT_COUNT %d\n", len(device))
	t.f("/* Device commands that end in the loader's terminator (GPA-086). */")
	lower := s.TerminatedSlots()
	number(&t, "TSLOT", lower)
	t.f("#define TERMINATED_SLOT_COUNT %d\n", len(lower))
	t.f("/* Bits of the instance extensions that the loader knows (INS-008). */")
	for i, e := range s.Gates {
		t.f("#define EXT_%s %d", e.Name, i)
	}
	t.f("#define EXT_COUNT %d", len(s.Gates))
	t.f("/* X(extension name) for each instance extension that commands depend on, in the order of the bits. */")
	t.f("#define EXT_LIST(X) \\")
	for i, e := range s.Gates {
		t.f("    X(%s)%s", e.Name, more(i, len(s.Gates)))
	}
	aliases := coreAliases(s)
	t.f("\n/* X(core command, alias, its instance extension): commands of instance extensions that are aliases of core\n" +
		" * commands. Both names share the core command's two ends (GPA-030, GPA-031, EXT-014). */")
	t.f("#define CORE_ALIAS_LIST(X) \\")
	for i, c := range aliases {
		t.f("    X(%s, %s, %s)%s", c.CoreAlias, c.Name, c.Gate, more(i, len(aliases)))
	}
	t.f("\n/* X(command): what makes surfaces (DRV-064). */")
	t.f("#define SURFACE_COMMAND_LIST(X) \\")
	surfaces := surfaceCommands(s)
	for i, c := range surfaces {
		t.f("    X(%s)%s", c.Name, more(i, len(surfaces)))
	}
	t.f("\n/* Command numbers, for messages and for the missing_ stubs: places in the table of znames.inc. */")
	for i, c := range names.order {
		t.f("#define CMD_%s %d", c.Name, i)
	}
	t.f("#define CMD_COUNT %d", len(names.order))
	t.f("\n#endif")
	return t.Bytes()
}

func more(i, n int) string {
	if i+1 < n {
		return " \\"
	}
	return ""
}

func coreAliases(s *loader.Set) []*loader.Command {
	var out []*loader.Command
	for _, c := range s.Commands {
		if c.CoreAlias != "" {
			out = append(out, c)
		}
	}
	return out
}

func surfaceCommands(s *loader.Set) []*loader.Command {
	var out []*loader.Command
	for _, c := range s.Commands {
		if c.Kind == loader.Instance && strings.HasPrefix(c.Name, "vkCreate") && strings.Contains(c.Name, "Surface") {
			out = append(out, c)
		}
	}
	return out
}

// trampolines writes one macro line for each trampoline, terminator and stub that asm/trampolines.c makes.
func trampolines(s *loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(s))
	t.f("/* One line for each trampoline, terminator and stub that asm/trampolines.c makes, which defines the macros. Commands whose\n" +
		" * end is written by hand are left out, and so are aliases of core commands, which share the core command's ends. */")
	macro := map[loader.Kind]string{loader.Instance: "INSTANCE", loader.PhysDev: "PHYSDEV", loader.Device: "DEVICE"}
	t.f("\n/* Trampolines. */")
	for _, c := range s.Commands {
		if c.HandUpper || c.CoreAlias != "" || macro[c.Kind] == "" {
			continue
		}
		suffix := ""
		if c.Exported {
			suffix = "_EXPORTED"
		}
		t.f("%s_TRAMPOLINE%s(%s)", macro[c.Kind], suffix, c.Name)
	}
	t.f("\n/* Terminators. */")
	for _, c := range s.Commands {
		if c.Kind == loader.PhysDev && !c.HandLower && c.CoreAlias == "" {
			t.f("PHYSDEV_TERMINATOR(%s)", c.Name)
		}
	}
	t.f("\n/* Stubs that stand in devices' tables where the chain has no function, in the order of the slots. */\nMISSING_BEGIN")
	for _, c := range s.DeviceSlots() {
		t.f("DEVICE_MISSING(%s)", c.Name)
	}
	return t.Bytes()
}

func namesInc(s *loader.Set, names *table) []byte {
	var t text
	t.f("/* %s */", mark(s))
	t.f("/* The name table: records of struct name_record (znames.h) by command number, which is the place that the hash gives.\n" +
		" * Functions are 32-bit offsets from NAMES_BASE, so nothing is relocated at load. Goes into a read-only section; TABLE,\n" +
		" * TABLE_END and NAME_END are the includer's. */")
	t.f(`
    .macro COMMAND name, tramp, term, missing, slot, tslot, kind, minor, ext, param
    .long \name
    NAME_END \tramp
    NAME_END \term
    NAME_END \missing
    .short \slot, \tslot
    .byte \kind, \minor, \ext, \param
    .endm

    TABLE names_commands`)
	ext := map[string]int{}
	for i, e := range s.Gates {
		ext[e.Name] = i + 1
	}
	slot := func(list []*loader.Command, c *loader.Command) int { return slices.Index(list, c) }
	instance, device, lower := s.InstanceSlots(), s.DeviceSlots(), s.TerminatedSlots()
	offset := 0
	for _, c := range names.order {
		term, missing, at, tslot := c.Lower(), "0", 0xffff, 0
		switch c.Kind {
		case loader.Global:
		case loader.Device:
			missing = "missing_" + c.Name
			at = slot(device, c)
			tslot = slot(lower, c) + 1
		default:
			at = slot(instance, c)
		}
		if term == "" {
			term = "0"
		}
		t.f("    COMMAND %d, %s, %s, %s, %d, %d, %d, %d, %d, %d", offset, c.Upper(), term, missing, at, tslot, int(c.Kind),
			c.Minor, ext[c.Gate], slices.Index(params, c.Param))
		offset += len(c.Name) + 1
	}
	t.f("    TABLE_END names_commands")
	object := func(name string, body func()) {
		t.f("\n    TABLE %s", name)
		body()
		t.f("    TABLE_END %s", name)
	}
	shorts := func(values []uint16) {
		for i := 0; i < len(values); i += 16 {
			line := "    .short "
			for j, v := range values[i:min(i+16, len(values))] {
				if j > 0 {
					line += ", "
				}
				line += itoa(int(v))
			}
			t.f("%s", line)
		}
	}
	object("names_displacement", func() { shorts(names.disp) })
	numbers := func(list []*loader.Command) []uint16 {
		var out []uint16
		for _, c := range list {
			out = append(out, uint16(names.index[c.Name]))
		}
		return out
	}
	object("names_instance_slots", func() { shorts(numbers(instance)) })
	object("names_device_slots", func() { shorts(numbers(device)) })
	object("names_terminated_slots", func() { shorts(numbers(lower)) })
	object("names_text", func() {
		for _, c := range names.order {
			t.f("    .asciz \"%s\"", c.Name)
		}
	})
	return t.Bytes()
}

func namesHeader(s *loader.Set, names *table) []byte {
	var t text
	size := 0
	for _, c := range names.order {
		size += len(c.Name) + 1
	}
	t.f("/* %s */", mark(s))
	t.f("/* The name table of znames.inc as C sees it, and its hash: a name's only possible place is\n" +
		" * names_place(names_hash(name)); whoever looks up compares the whole name there (GPA-010). The place is the command\n" +
		" * number (CMD_* of zslots.h). */")
	t.f(`#ifndef VKL_ZNAMES_H
#define VKL_ZNAMES_H

#include <stddef.h>
#include <stdint.h>

#include "asm/stubs.h"
#include "zslots.h"

#define NAMES_COUNT %du
#define NAMES_BUCKETS %du
#define NAMES_TEXT_SIZE %du
#define NAMES_LONGEST %d /* longest name, without its end */
#define NAMES_NO_SLOT 0xffffu

struct name_record {
    uint32_t name;   /* +0: offset in names_text */
    int32_t tramp;   /* +4: trampoline, from NAMES_BASE */
    int32_t term;    /* +8: terminator, from NAMES_BASE; 0: none */
    int32_t missing; /* +12: stub for devices' tables, from NAMES_BASE; 0: none (other commands) */
    uint16_t slot;   /* +16: ISLOT_ or, for device commands, DSLOT_; NAMES_NO_SLOT: global */
    uint16_t tslot;  /* +18: TSLOT_ + 1; 0: none */
    uint8_t kind;    /* +20: 1 global, 2 instance, 3 physical device, 4 device (COMMAND_* of dispatch.h) */
    uint8_t minor;   /* +21: core version 1.minor; 255: extension */
    uint8_t ext;     /* +22: EXT_ + 1; 0: none */
    uint8_t param;   /* +23: names_param */
};
_Static_assert(sizeof(struct name_record) == 24, "the layout of znames.inc");

extern const struct name_record names_commands[NAMES_COUNT] HIDDEN;
extern const char names_text[NAMES_TEXT_SIZE] HIDDEN;
extern const uint16_t names_displacement[NAMES_BUCKETS] HIDDEN;
/* Command numbers by slot: what to ask for when a table is filled in one pass. */
extern const uint16_t names_instance_slots[ISLOT_COUNT] HIDDEN;
extern const uint16_t names_device_slots[DSLOT_COUNT] HIDDEN;
extern const uint16_t names_terminated_slots[TERMINATED_SLOT_COUNT] HIDDEN;
`, len(names.order), len(names.disp), size, longest(names))
	width := 0
	for _, p := range params {
		width = max(width, len(p)+1)
	}
	t.f("/* Names of first parameters (HND-001), by number. */")
	t.f("static inline const char *names_param(unsigned number)\n{")
	t.f("    static const char param[%d][%d] = {", len(params), width)
	for _, p := range params {
		t.f("        %q,", p)
	}
	t.f("    };")
	t.f("    return param[number];\n}\n")
	t.f(`static inline uint64_t names_hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        h = (h ^ *c) * 0x100000001b3u;
    return h ^ h >> 29;
}

static inline uint32_t names_place(uint64_t hash)
{
    uint32_t bucket = (uint32_t)((hash >> 32) * NAMES_BUCKETS >> 32);
    uint32_t x = (uint32_t)hash + names_displacement[bucket] * 0x9e3779b1u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    return (uint32_t)((uint64_t)(x ^ x >> 13) * NAMES_COUNT >> 32);
}

static inline const char *names_name(uint32_t command) { return names_text + names_commands[command].name; }
/* The function that an offset of a record stands for; NULL for 0. */
static inline void *names_function(int32_t offset)
{
    return offset ? NAMES_FUNCTION(offset) : NULL;
}

#endif`)
	return t.Bytes()
}

func longest(names *table) int {
	n := 0
	for _, c := range names.order {
		n = max(n, len(c.Name))
	}
	return n
}
