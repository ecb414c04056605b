package probe

const (
	libraryName = "vulkan-1.dll"
	childName   = "probe.exe"
)

var (
	libraryPlaces = []string{libraryName}
	childPlaces   = []string{"libexec/" + childName, childName}
)
