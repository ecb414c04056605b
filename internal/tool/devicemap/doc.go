// Package devicemap says how other interfaces name the devices that Vulkan programs get: llama.cpp, CUDA, the direct
// rendering manager, the PCI bus, OpenGL and VA-API; and which variables choose a device there.
//
// It is told which devices there are and what the kernel shows. It asks no driver and reads no file.
package devicemap
