package decide

import (
	"slices"

	"vkloader/internal/core/plan"
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

	// Loader is the program's loader, from [Host.LoaderOf]; nil: the loader of this module. The decision ignores variables and
	// settings that the loader does not read.
	Loader *Loader
}

// app returns the program's arguments to vkCreateInstance.
func (p *Program) app() plan.App {
	asNames := func(list []string) (out []plan.Name) {
		for _, name := range list {
			out = append(out, plan.Name{Text: name, Set: true})
		}
		return out
	}
	app := plan.App{API: uint32(p.API), Layers: asNames(p.Layers), Extensions: asNames(p.Extensions)}
	if p.Portability {
		app.Flags = portabilityFlag
		if !slices.Contains(p.Extensions, portabilityExtension) {
			app.Extensions = append(app.Extensions, plan.Name{Text: portabilityExtension, Set: true})
		}
	}
	app.LayerCount, app.ExtensionCount = uint32(len(app.Layers)), uint32(len(app.Extensions))
	return app
}

// VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR, and the extension that it belongs to.
const (
	portabilityFlag      = 1
	portabilityExtension = "VK_KHR_portability_enumeration"
)
