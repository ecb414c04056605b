package binary

import "bytes"

// Static is what a statically linked program says of itself: no dynamic linker starts it, and none gives it libraries.
type Static struct {
	Names bool // the name of a library is in it: it may open that itself
	Opens bool // its C library can open libraries: musl's cannot in such a program
}

// muslRefuses is what musl's dlopen says in a static program.
const muslRefuses = "Dynamic loading not supported\x00"

// Static reads whether the program is statically linked, and what it has to do with a library; nil when the dynamic linker
// starts it, when it is no ELF file, or when there is no program.
func (l *Linker) Static(library string) *Static {
	p := l.program
	if p == nil || p.err != nil || p.Interp != "" || len(p.Needed) > 0 || p.Soname != "" || l.plugin != nil {
		return nil
	}
	data, err := l.machine.ReadLarge(p.Path)
	if err != nil {
		return nil
	}
	stem, _, _ := bytes.Cut([]byte(library), []byte(".so"))
	return &Static{Names: bytes.Contains(data, append(stem, ".so"...)), Opens: !bytes.Contains(data, []byte(muslRefuses))}
}
