// Package vk holds facts of the Vulkan API that the core needs: the header version, the instance extensions and the
// results. They are generated from the registry; the package decides nothing. What only the tool needs stands in its
// subpackages, so that the core does not carry it.
package vk
