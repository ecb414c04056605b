package explain

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
)

// Platform is that of this system, for facts from a source.
func Platform(facts.Source) search.Platform {
	p := search.MacOS()
	p.Bits = "64"
	return p
}
