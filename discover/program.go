package discover

import (
	"vkloader/internal/core/plan"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
)

// Program is the subject of a decision.
type Program struct {
	// Path is its file on the host, or a name to look up in the PATH of Env, else of the host; "": on Local the calling
	// program, on other hosts a program without a name.
	Path     string
	Env      []string // NAME=VALUE; nil: the variables of the host
	Elevated bool     // the program has more rights than its user: most variables are ignored
	Bits     int      // word size, 32 or 64; 0: as its file says, or 64

	Layers      []string // that it enables in vkCreateInstance
	Extensions  []string // instance extensions that it enables
	Portability bool     // it enables VK_KHR_portability_enumeration, with the flag that belongs to it
	API         Version  // in its VkApplicationInfo; 0: none is named

	// Loader is the program's loader, from [LoaderOf]; nil: the loader of this module. The decision ignores variables
	// and settings that the loader does not read.
	Loader *Loader
}

// subject returns the program for package decide.
func (p *Program) subject() *decide.Program {
	subject := &decide.Program{Path: p.Path, Env: p.Env, Elevated: p.Elevated, Bits: p.Bits}
	if p.Loader != nil {
		subject.Loader = p.Loader.found
	}
	create := *p
	subject.Create = create.set
	return subject
}

// set enters the program's arguments to vkCreateInstance.
func (p *Program) set(q *plan.Question) {
	app := &q.App
	app.API, app.Layers, app.Extensions = uint32(p.API), asNames(p.Layers), asNames(p.Extensions)
	app.LayerCount, app.ExtensionCount = uint32(len(app.Layers)), uint32(len(app.Extensions))
	if p.Portability {
		explain.WithPortability(q)
	}
}

func asNames(list []string) (out []plan.Name) {
	for _, name := range list {
		out = append(out, plan.Name{Text: name, Set: true})
	}
	return out
}
