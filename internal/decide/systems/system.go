package systems

import (
	"vkloader/internal/core/search"
)

// System is an operating system, with its loader's names and rules.
type System struct {
	Name     string // the argument of --platform
	Title    string
	Loader   string                 // the loader's file
	Program  string                 // how the loader gets the program's path; "": it does not
	platform func() search.Platform // nil: Windows
	longest  int                    // a longer path of the program counts as unknown, in bytes; 0: no limit
	Order    Order
	Opening  *OpenMethods // how libraries of drivers and layers are opened
}

// Order is the order in which devices are listed.
type Order string

// Orders.
const (
	Reverse Order = "those of the driver found last come first; VK_LOADER_DEVICE_SELECT and VK_LOADER_DISABLE_SELECT do nothing"
	ByDXGI  Order = "as DXGI orders the adapters, then the rest; VK_LOADER_DEVICE_SELECT and VK_LOADER_DISABLE_SELECT do nothing"
)

// Platform returns the search rules of the system, for programs of a word size.
func (s *System) Platform(bits string) search.Platform {
	if s.platform == nil {
		return search.Windows(bits)
	}
	platform := s.platform()
	platform.Bits = bits
	return platform
}

// Systems lists the supported systems, in the order of messages.
var Systems = []System{
	{Name: "windows", Title: "Windows", Loader: `C:\Windows\System32\vulkan-1.dll`, Program: "GetModuleFileNameW",
		longest: 1023, Order: ByDXGI, Opening: &usual},
	{Name: "macos", Title: "macOS", platform: search.MacOS, Loader: "libvulkan.1.dylib", Program: "the process ID",
		longest: 1024, Order: Reverse, Opening: &usual},
	{Name: "fuchsia", Title: "Fuchsia", platform: fuchsiaPlatform, Loader: "libvulkan.so", Order: Reverse,
		Opening: &fuchsiaService},
	{Name: "fuchsia-upstream", Title: "Fuchsia, with the loader as it is published", platform: fuchsiaUpstream,
		Loader: "libvulkan.so", Order: Reverse, Opening: &fuchsia},
}

// Find returns a system by its name; false if there is none.
func Find(name string) (System, bool) {
	for _, s := range Systems {
		if s.Name == name {
			return s, true
		}
	}
	return System{Opening: &OpenMethods{}}, false
}

// OpenMethod is a method of opening a library.
type OpenMethod string

// Methods of opening.
const (
	Linker  OpenMethod = "the dynamic linker"
	Service OpenMethod = "the loader service, by name"
	Cache   OpenMethod = "a library that the loader service gave before"
	File    OpenMethod = "the file, mapped as a VMO"
)

// OpenMethods lists the methods of opening libraries, in order. If one fails, the loader tries the next one.
type OpenMethods struct {
	Drivers, Layers []OpenMethod
	First           string // the function that is called in a new driver first, if exported; "": its negotiation
}

var (
	usual          = OpenMethods{Drivers: []OpenMethod{Linker}, Layers: []OpenMethod{Linker}}
	fuchsia        = OpenMethods{Drivers: []OpenMethod{Service}, Layers: []OpenMethod{Linker, Service}} // FUC-006
	fuchsiaService = OpenMethods{Drivers: []OpenMethod{Cache, Service, Linker, File},
		Layers: []OpenMethod{Linker, File}, First: "vk_icdInitializeOpenInNamespaceCallback"} // FUC-007
)
