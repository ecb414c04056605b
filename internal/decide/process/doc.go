// Package process examines running programs, on Linux through /proc: their user, environment, root, rights and word
// size, and which Vulkan loader, drivers and layers are mapped into it. It reads; it stops, starts and changes no
// process.
package process
