package search

import "vkloader/internal/core/variables"

// macOSSysConfDir, macOSExtraDir and macOSDataDirs are set by the linker, as Linux's directories are.
var (
	macOSSysConfDir = "/usr/local/etc"
	macOSExtraDir   = "/etc"
	macOSDataDirs   = "/usr/local/share:/usr/share"
)

// MacOS returns the platform of libvulkan.1.dylib: the program's bundle before the directories of Unix (MAC-002 to
// MAC-005).
func MacOS() Platform {
	p := Unix(macOSSysConfDir, macOSExtraDir, "/etc/xdg", macOSDataDirs)
	p.Steps = append([]Step{bundle}, p.Steps...)
	p.Surfaces = []string{"VK_MVK_macos_surface", "VK_EXT_metal_surface"} // MAC-020
	return p
}

// bundle adds the resource directory of the program's bundle. If the variable OnlyInBundle is set, to any value, it
// ends the search there (MAC-007 to MAC-010).
func bundle(b *Builder) {
	if at := b.Facts.Bundle().Resources; at != "" {
		b.AddOne(at, "the program's bundle")
	}
	if b.Facts.VariableWithRights(variables.OnlyInBundle, true).Set {
		b.End()
	}
}
