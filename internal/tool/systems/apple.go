package systems

import (
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

// MacOS is the platform of macOS: the program's bundle before the directories of Unix (MAC-002 to MAC-005).
func macOS() search.Platform {
	p := search.Unix("/usr/local/etc", "/etc", "/etc/xdg", "/usr/local/share:/usr/share")
	p.Steps = append([]search.Step{bundle}, p.Steps...)
	p.Surfaces = []string{"VK_MVK_macos_surface", "VK_EXT_metal_surface"} // MAC-020
	return p
}

// IOS is the platform of iOS, tvOS and watchOS.
func iOS() search.Platform {
	p := macOS()
	p.Surfaces = []string{"VK_MVK_ios_surface", "VK_EXT_metal_surface"}
	return p
}

// bundle adds the resource directory of the program's bundle, and nothing after it where a variable says so, whatever
// its value (MAC-007 to MAC-010).
func bundle(b *search.Builder) {
	if at := b.Facts.Bundle().Resources; at != "" {
		b.AddOne(at, "the program's bundle")
	}
	if b.Facts.Guarded(variables.OnlyInBundle, true).Set {
		b.End()
	}
}
