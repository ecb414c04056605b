// Package windows is what vulkan-1.dll calls, as package entry is what the library for Linux does. It decides nothing.
package windows
