package probe

import "vkloader/internal/machines"

const (
	// LibraryName is the name of the library's file.
	LibraryName = "libvulkan.so.1"
	childName   = "vkloader/probe"
)

// libraryPlaces returns the paths of the library, relative to the tool's directory. Packages install it in a directory
// named vkloader, because the library directory has the distribution's loader.
func libraryPlaces() []string {
	own, _ := machines.Own()
	debian := "../lib/" + own.Multiarch
	return []string{
		"libvulkan.so.1",
		"../lib/vkloader/libvulkan.so.1", "../lib64/vkloader/libvulkan.so.1", debian + "/vkloader/libvulkan.so.1",
		"../lib/libvulkan.so.1", "../lib64/libvulkan.so.1", debian + "/libvulkan.so.1",
	}
}

var childPlaces = []string{"libexec/vkloader/probe", "../libexec/vkloader/probe"}
