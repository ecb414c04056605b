// Package survey joins what the library decides with what it is seen to do in a child: what a program on this machine
// gets. It loads nothing itself, and draws and prints nothing.
//
// It also says how other interfaces name the devices that programs get: llama.cpp, CUDA, the direct rendering manager, the PCI
// bus, OpenGL and VA-API; and which variables choose a device there.
package survey
