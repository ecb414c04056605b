package search

import "vkloader/internal/core/variables"

// MacOS is the platform of macOS: the program's bundle before the directories of Unix (MAC-002 to MAC-005).
func MacOS() Platform {
	p := Unix("/usr/local/etc", "/etc", "/etc/xdg", "/usr/local/share:/usr/share")
	p.Steps = append([]Step{bundle}, p.Steps...)
	p.Surfaces = []string{"VK_MVK_macos_surface", "VK_EXT_metal_surface"} // MAC-020
	return p
}

// IOS is the platform of iOS, tvOS and watchOS.
func IOS() Platform {
	p := MacOS()
	p.Surfaces = []string{"VK_MVK_ios_surface", "VK_EXT_metal_surface"}
	return p
}

// bundle adds the resource directory of the program's bundle, and nothing after it where a variable says so, whatever
// its value (MAC-007 to MAC-010).
func bundle(b *Builder) {
	if at := b.Facts.Bundle().Resources; at != "" {
		b.addOne(at, kinds[b.Kind].suffix, "the program's bundle")
	}
	b.last = b.Facts.Guarded(variables.OnlyInBundle, true).Set
}
