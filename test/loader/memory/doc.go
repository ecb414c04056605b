// Package memory tests the allocators of the loader's memory, that no memory is lost, and the behavior without memory.
package memory
