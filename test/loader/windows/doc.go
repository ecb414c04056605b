// Package windows tests vkloader's vulkan-1.dll with Wine, in both word sizes: its file, and the chain from a program through it and the
// sample layer to Wine's driver and lavapipe. It needs the chroot of "make test TARGET=windows", and is skipped without it.
package windows
