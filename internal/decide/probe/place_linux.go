package probe

const (
	// LibraryName is the name of the library's file.
	LibraryName = "libvulkan.so.1"
	childName   = "vkloader/probe"
)

// Packages put the library into a directory vkloader, because the one beside it may be the distribution's loader.
var (
	libraryPlaces = []string{
		"libvulkan.so.1",
		"../lib/vkloader/libvulkan.so.1", "../lib64/vkloader/libvulkan.so.1", "../lib/x86_64-linux-gnu/vkloader/libvulkan.so.1",
		"../lib/libvulkan.so.1", "../lib64/libvulkan.so.1", "../lib/x86_64-linux-gnu/libvulkan.so.1",
	}
	childPlaces = []string{"libexec/vkloader/probe", "../libexec/vkloader/probe"}
)
