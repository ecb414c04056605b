// Package vk holds facts of the Vulkan API that the tool and the tests need: the commands that the loader knows, the
// instance extensions, the results and the version of the registry. They are generated from the registry. The library
// has separate tables, in spine/gen.
package vk
