// Package windows has the functions that vulkan-1.dll calls. It is to the DLL what package entry is to the library for
// Linux. It decides nothing.
package windows
