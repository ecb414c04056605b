package probe

const (
	// LibraryName is the name of the library's file.
	LibraryName = "vulkan-1.dll"
	childName   = "probe.exe"
)

var (
	libraryPlaces = []string{LibraryName}
	childPlaces   = []string{"libexec/" + childName, childName}
)
