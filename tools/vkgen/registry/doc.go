// Package registry reads the Vulkan API registry (vk.xml) into plain records: types, enumerations, commands, core
// versions and extensions of the "vulkan" API. It knows nothing about loaders and leaves nothing of that API out.
package registry
