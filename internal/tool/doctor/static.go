package doctor

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/tool/loaders"
)

// static says that the program is statically linked. Where it gets no loader, nothing else that was found is about it.
func (e *exam) static() {
	if e.Static == loaders.NotStatic {
		return
	}
	if !e.Static.Gets() {
		e.Findings = e.Findings[:0]
		for i := range e.Drivers {
			e.Drivers[i].Used = false
		}
		for i := range e.Layers {
			e.Layers[i].Used = false
		}
		for i := range e.Loaders {
			e.Loaders[i].First = false
		}
	}
	found := e.found(ProgramStatic, e.source.Program, "", sentence(e.Static.Line(e.source.Program)), linkedAgain[e.Static])
	if e.Static == loaders.NeverOpens {
		found.Severity = diag.Problem
	}
}

// linkedAgain is what to do about a statically linked program.
var linkedAgain = map[loaders.Static]advice{
	loaders.NoLoader:   advised("Nothing, if it uses no Vulkan. Otherwise link it dynamically: without -static."),
	loaders.NeverOpens: advised("Link it dynamically: without -static."),
	loaders.OpensItself: advised("Link it dynamically: without -static. As it is, it works only while this system's glibc is the version " +
		"that it was linked with."),
}
