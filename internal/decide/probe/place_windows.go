package probe

const (
	// LibraryName is the name of the library's file.
	LibraryName = "vulkan-1.dll"
	childName   = "probe.exe"
)

var childPlaces = []string{"libexec/" + childName, childName}

func libraryPlaces() []string { return []string{LibraryName} }
