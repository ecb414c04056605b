package loaders

import (
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/machine"
)

// Static is what a statically linked program has to do with a Vulkan loader.
type Static uint8

// Programs.
const (
	NotStatic   Static = iota
	NoLoader           // it names none: it uses no Vulkan, or has a loader linked in
	NeverOpens         // it names one, and its C library opens no libraries
	OpensItself        // it names one, and may open it as another program does
)

// StaticOf tells whether a program is statically linked.
func StaticOf(linker *binary.Linker) Static {
	switch s := linker.Static(Name); {
	case s == nil:
		return NotStatic
	case !s.Names:
		return NoLoader
	case !s.Opens:
		return NeverOpens
	}
	return OpensItself
}

// Gets tells whether the program can get a loader.
func (s Static) Gets() bool { return s == NotStatic || s == OpensItself }

// Line says it in one sentence; "": the program is not statically linked.
func (s Static) Line(program string) string {
	start := machine.Style.Base(program) + " is statically linked, so the dynamic linker gives it no " + Name
	switch s {
	case NotStatic:
		return ""
	case NoLoader:
		return start + ", and it opens none: nothing in it names one"
	case NeverOpens:
		return start + ", and its C library (musl) opens no libraries in such a program"
	}
	return start + "; it opens one itself, if it uses one"
}
