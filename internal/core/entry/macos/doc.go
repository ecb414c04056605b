// Package macos has the functions that libvulkan.1.dylib calls. It does for that library what package entry does for
// Linux's. It decides nothing.
package macos
