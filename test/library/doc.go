// Package library reads the built libvulkan.so.1 back: its names, what it needs, and the instructions of its assembly.
package library
