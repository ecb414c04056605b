// Package memory tests the allocators that the loader uses, memory leaks, and calls without memory.
package memory
