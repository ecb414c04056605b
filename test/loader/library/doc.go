// Package library reads the built libvulkan.so.1: its names, its dependencies, and the instructions of its assembly.
package library
