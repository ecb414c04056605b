package explain

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
)

// Platform returns this system's platform.
func Platform(facts.Provider) search.Platform {
	p := search.MacOS()
	p.Bits = "64"
	return p
}
