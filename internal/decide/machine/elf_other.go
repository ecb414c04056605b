//go:build !linux

package machine

// ELF reports whether the libraries of the running system are ELF files, whose linker's rules the tool knows.
const ELF = false
