// Package windows tests vkloader's vulkan-1.dll under Wine, in both word sizes: its file, and the chain from a program
// through it and the sample layer to Wine's own driver and lavapipe. It needs the chroot that "make test TARGET=windows"
// makes; without it, it is left out.
package windows
