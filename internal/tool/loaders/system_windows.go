package loaders

import (
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/pc"
)

// forWindows is the loader that a program gets on the running Windows.
func forWindows(source *machine.Source) *Loader {
	return OfWindows(source.Program, pc.SystemDirectory(source.Bits()), source.Class, func(name string) ([]byte, error) {
		return source.ReadLarge(source.Path(name))
	})
}
