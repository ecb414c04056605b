package explain

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/windows"
)

// Platform returns this system's platform, with 32 bits on a 32-bit system and for a 32-bit program.
func Platform(from facts.Provider) search.Platform {
	bits := "64"
	if from.Elsewhere().Process().WOW64 || !windows.System64() {
		bits = "32"
	}
	return search.Windows(bits)
}
