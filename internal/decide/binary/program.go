package binary

import (
	"bytes"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// Program is a program's word size, and its description.
type Program struct {
	Class int    // 32 or 64; 0: not known, as of a script
	What  string // in words: "a 32-bit program"
}

// ProgramOf reads a program's file: an ELF file, or a program for Windows, which Wine runs with drivers of its own word
// size.
func ProgramOf(m *machine.Machine, name string) Program {
	f, err := m.Open(name)
	if err != nil {
		return Program{}
	}
	defer f.Close()
	l, err := ReadELF(f)
	if err == nil {
		if base := filepath.Base(name); strings.HasPrefix(base, "wine") {
			return prefixProgram(m, l.Class)
		}
		return programOf(l.Class, "program")
	}
	if errors.Is(err, ErrNotELF) {
		return windows(f)
	}
	return Program{}
}

func programOf(class int, kind string) Program {
	return Program{class, fmt.Sprintf("a %d-bit %s", class, kind)}
}

// windows reads the header of a program for Windows.
func windows(r io.ReaderAt) Program {
	f, err := pe.NewFile(r)
	if err != nil {
		return Program{}
	}
	class := map[uint16]int{pe.IMAGE_FILE_MACHINE_I386: 32, pe.IMAGE_FILE_MACHINE_AMD64: 64}[f.Machine]
	if class == 0 {
		return Program{}
	}
	return programOf(class, "program for Windows")
}

// WinePrefix returns the directory of Wine's prefix; "": unknown. Wine needs an absolute path.
func WinePrefix(m *machine.Machine) string {
	prefix, _ := m.Lookup("WINEPREFIX")
	if home, _ := m.Lookup(variables.Home.Name()); prefix == "" && home != "" {
		prefix = home + "/.wine"
	}
	if !filepath.IsAbs(prefix) {
		return ""
	}
	return prefix
}

// prefixProgram returns the word size that Wine's prefix states, or the program's if it states none.
func prefixProgram(m *machine.Machine, class int) Program {
	prefix := WinePrefix(m)
	registry, _ := m.ReadLarge(prefix + "/system.reg")
	head := registry[:min(len(registry), 1<<10)]
	for _, bits := range []int{32, 64} {
		if bytes.Contains(head, fmt.Append(nil, "#arch=win", bits)) {
			return Program{bits, fmt.Sprintf("Wine with a %d-bit prefix (%s)", bits, prefix)}
		}
	}
	return programOf(class, "Wine")
}
