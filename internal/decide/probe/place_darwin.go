package probe

const (
	// LibraryName is the name of the library's file.
	LibraryName = "libvulkan.1.dylib"
	childName   = "vkloader/probe"
)

var childPlaces = []string{"libexec/vkloader/probe", "../libexec/vkloader/probe"}

func libraryPlaces() []string { return []string{LibraryName, "../lib/" + LibraryName} }
