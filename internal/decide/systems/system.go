package systems

import (
	"slices"

	"vkloader/internal/core/manifest"
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
	atLeast  uint32       // the lowest result of vkEnumerateInstanceVersion, which is otherwise the highest version of the drivers; 0: the result is the loader's version
}

// Order is the order in which devices are listed.
type Order string

// Orders.
const (
	Sorted  Order = "sorted by kind and address, by VK_LOADER_DEVICE_SELECT and VK_LOADER_DISABLE_SELECT" // BSD-006
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
	{Name: "windows", Title: "Windows", Loader: `C:\Windows\System32\vulkan-1.dll`, Program: "GetModuleFileNameW", longest: 1023, Order: ByDXGI, Opening: &usual},
	{Name: "macos", Title: "macOS", platform: search.MacOS, Loader: "libvulkan.1.dylib", Program: "the process ID", longest: 1024, Order: Reverse, Opening: &usual},
	{Name: "ios", Title: "iOS, tvOS or watchOS", platform: iOS, Loader: "vulkan.framework", Order: Reverse, Opening: &usual},
	{Name: "fuchsia", Title: "Fuchsia", platform: fuchsiaPlatform, Loader: "libvulkan.so", Order: Reverse, Opening: &fuchsiaService},
	{Name: "fuchsia-upstream", Title: "Fuchsia, with the loader as it is published", platform: fuchsiaUpstream, Loader: "libvulkan.so", Order: Reverse, Opening: &fuchsia},
	{Name: "freebsd", Title: "FreeBSD", platform: freeBSD, Loader: unixLoader, Program: "sysctl", longest: 1023, Order: Sorted, Opening: &usual},
	{Name: "openbsd", Title: "OpenBSD", platform: openBSD, Loader: unixLoader, Order: Sorted, Opening: &usual},
	{Name: "netbsd", Title: "NetBSD", platform: netBSD, Loader: unixLoader, Program: "sysctl", longest: 1023, Order: Sorted, Opening: &usual},
	{Name: "dragonfly", Title: "DragonFly", platform: dragonFly, Loader: unixLoader, Program: "sysctl", longest: 1023, Order: Sorted, Opening: &usual},
	{Name: "hurd", Title: "GNU/Hurd", platform: hurd, Loader: unixLoader, Program: "/proc/self/exe", longest: 1023, Order: Sorted, Opening: &usual},
	{Name: "cygwin", Title: "Cygwin", platform: cygwin, Loader: unixLoader, Program: "/proc/self/exe", longest: 1023, Order: Reverse, Opening: &usual},
	{Name: "qnx", Title: "QNX", platform: qnx, Loader: unixLoader, Program: "/proc/self/exefile", longest: 1023, Order: Reverse, Opening: &usual},
	{Name: "openharmony", Title: "OpenHarmony", platform: openHarmonyPlatform, Loader: "/system/lib64/libvulkan.so", Program: "/proc/self/exe", longest: 1023, Order: Reverse, Opening: &openHarmony,
		atLeast: 1<<22 | 3<<12 | 275},
}

const unixLoader = "libvulkan.so.1" // BSD-008

// Version returns the result of vkEnumerateInstanceVersion, from the versions in the drivers' manifests (OHO-010). 0 stands
// for the loader's own version, which does not depend on drivers.
func (s *System) Version(drivers []*manifest.Driver) uint32 {
	version := s.atLeast
	for _, d := range drivers {
		if s.atLeast > 0 {
			version = max(version, d.API)
		}
	}
	return version
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
	Linker      OpenMethod = "the dynamic linker"
	Service     OpenMethod = "the loader service, by name"
	Cache       OpenMethod = "a library that the loader service gave before"
	File        OpenMethod = "the file, mapped as a VMO"
	Passthrough OpenMethod = "the dynamic linker's namespace passthrough"
	Bundled     OpenMethod = "the program's own libraries"
)

// OpenMethods lists the methods of opening libraries, in order. If one fails, the loader tries the next one.
type OpenMethods struct {
	Drivers, Layers []OpenMethod
	First           string // the function that is called in a new driver first, if exported; "": its negotiation
}

var (
	usual          = OpenMethods{Drivers: []OpenMethod{Linker}, Layers: []OpenMethod{Linker}}
	fuchsia        = OpenMethods{Drivers: []OpenMethod{Service}, Layers: []OpenMethod{Linker, Service}} // FUC-006
	fuchsiaService = OpenMethods{Drivers: []OpenMethod{Cache, Service, Linker, File}, Layers: []OpenMethod{Linker, File},
		First: "vk_icdInitializeOpenInNamespaceCallback"} // FUC-007
	openHarmony = OpenMethods{Drivers: []OpenMethod{Passthrough, Linker}, Layers: []OpenMethod{Passthrough, Linker, Bundled}} // OHO-007, OHO-008
)

// Asks reports whether drivers are opened with a method.
func (o OpenMethods) Asks(way OpenMethod) bool { return slices.Contains(o.Drivers, way) }
