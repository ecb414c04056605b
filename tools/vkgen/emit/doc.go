// Package emit writes what the other parts of the loader use of the registry: C and assembler lists, the name table,
// the small Vulkan header, Go facts, and the table of hand-written commands. The same input always gives the same
// bytes.
package emit
