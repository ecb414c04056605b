package probe

const (
	// LibraryName is the name of the library's file.
	LibraryName = "libvulkan.1.dylib"
	childName   = "vkloader/probe"
)

var (
	libraryPlaces = []string{LibraryName, "../lib/" + LibraryName}
	childPlaces   = []string{"libexec/vkloader/probe", "../libexec/vkloader/probe"}
)
