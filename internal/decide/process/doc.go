// Package process looks at running programs, on Linux through /proc: who runs, with which environment, root, rights and word size,
// and which Vulkan loader, drivers and layers are mapped into it. It reads; it stops, starts and changes no process.
package process
