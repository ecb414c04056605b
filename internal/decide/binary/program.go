package binary

import (
	"bytes"
	"debug/pe"
	"errors"
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
	words := map[int]string{32: "a 32-bit ", 64: "a 64-bit "}
	return Program{class, words[class] + kind}
}

// windows reads the header of a program for Windows.
func windows(r io.ReaderAt) Program {
	f, err := pe.NewFile(r)
	if err != nil {
		return Program{}
	}
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_I386:
		return programOf(32, "program for Windows")
	case pe.IMAGE_FILE_MACHINE_AMD64:
		return programOf(64, "program for Windows")
	}
	return Program{}
}

// prefixProgram returns the word size that Wine's prefix states, or the program's if it states none. Wine needs an
// absolute path.
func prefixProgram(m *machine.Machine, class int) Program {
	prefix, _ := m.Lookup("WINEPREFIX")
	if home, _ := m.Lookup(variables.Home.Name()); prefix == "" && home != "" {
		prefix = home + "/.wine"
	}
	if !filepath.IsAbs(prefix) {
		return programOf(class, "Wine")
	}
	registry, err := m.ReadLarge(prefix + "/system.reg")
	if err == nil {
		head := registry[:min(len(registry), 1<<10)]
		for kind, bits := range map[string]int{"#arch=win32": 32, "#arch=win64": 64} {
			if bytes.Contains(head, []byte(kind)) {
				return Program{bits, map[int]string{32: "Wine with a 32-bit prefix (",
					64: "Wine with a 64-bit prefix ("}[bits] + prefix + ")"}
			}
		}
	}
	return programOf(class, "Wine")
}
