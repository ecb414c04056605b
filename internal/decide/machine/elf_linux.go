package machine

// ELF reports whether the libraries of the running system are ELF files. The tool knows only the rules of dynamic
// linkers for ELF.
const ELF = true
