// Package emit generates files from the registry for other parts of the loader: C and assembler lists, the name table,
// the small Vulkan header, Go facts, and the table of hand-written commands. The same input always gives the same
// bytes.
package emit
