// Package survey joins what the library decides with what it is seen to do in a child: what a program on this machine
// gets. It loads nothing itself, and draws and prints nothing.
// An Explanation is the answer of "vkloader explain", which the page of the tool reads as well.
//
// It also says how other interfaces name the devices that programs get: llama.cpp, CUDA, the direct rendering manager, the PCI
// bus, OpenGL and VA-API; and which variables choose a device there.
package survey
