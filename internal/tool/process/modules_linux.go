package process

import (
	"os"
	"path"
	"strings"

	"vkloader/internal/tool/binary"
)

// loaderName is the file that programs open as the loader.
const loaderName = "libvulkan.so.1"

// loaderStem is how the names of the loader's files begin, and no driver's: theirs go on with an underscore.
const loaderStem = "libvulkan.so"

// isLoader tells whether a file is a Vulkan loader's.
func isLoader(file string) bool { return strings.HasPrefix(path.Base(file), loaderStem) }

// isLibrary tells by its name whether a file is a library.
func isLibrary(file string) bool { return strings.Contains(path.Base(file), ".so") }

func symbolsOf(f *os.File) (*binary.Symbols, error) { return binary.ReadSymbols(f) }

// find is the mapped file that a manifest's library name leads to: the same file, or one of the same name but for the
// version, as an update leaves it behind.
func (p *Process) find(library string) *Mapping {
	if library == "" {
		return nil
	}
	if strings.Contains(library, "/") {
		real, err := p.Machine.Real(library)
		for i, m := range p.Mapped {
			if m.Path == path.Clean(library) || err == nil && m.Path == real {
				return &p.Mapped[i]
			}
		}
	}
	stem := func(name string) string {
		name, _, _ = strings.Cut(path.Base(name), ".so")
		return name
	}
	for i, m := range p.Mapped {
		if isLibrary(m.Path) && stem(m.Path) == stem(library) &&
			(!strings.Contains(library, "/") || path.Dir(m.Path) == path.Dir(path.Clean(library))) {
			return &p.Mapped[i]
		}
	}
	return nil
}
