package binary

import (
	"debug/elf"
	"io"
	"slices"

	"vkloader/internal/machines"
)

// wordSize returns the bits of a word in files of a class.
func wordSize(class elf.Class) int {
	if class == elf.ELFCLASS32 {
		return 32
	}
	return 64
}

// immediateSymbols returns those of the names that the dynamic linker resolves while it loads the library. Loading
// fails if one of them is undefined. atOnce returns none if the relocations cannot be read.
func (f *File) immediateSymbols(names []string) []string {
	handle, err := f.linker.machine.Open(f.Path)
	if err != nil {
		return nil
	}
	defer handle.Close()
	wanted, err := readAtOnce(handle)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !wanted[name] })
}

// readAtOnce returns the symbols of relocations that are no calls. The dynamic linker may resolve a called function at
// the call, and any other symbol only when it loads the library.
func readAtOnce(r io.ReaderAt) (map[string]bool, error) {
	buffered := newPages(r)
	defer buffered.close()
	f, err := openELF(buffered)
	if err != nil {
		return nil, err
	}
	rows := machines.OfFiles(f.Machine, wordSize(f.Class))
	if len(rows) == 0 || rows[0].Calls == 0 {
		return nil, nil
	}
	symbols, text, err := section(f, elf.SHT_DYNSYM)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA && s.Type != elf.SHT_REL || int(s.Link) >= len(f.Sections) ||
			f.Sections[s.Link].Type != elf.SHT_DYNSYM {
			continue
		}
		data, err := contents(s)
		if err != nil {
			return nil, err
		}
		// An entry begins with an offset and the symbol's number with the type; only Rela has a third word.
		word, symbol, split := 8, elf.Sym64Size, 32
		if f.Class == elf.ELFCLASS32 {
			word, symbol, split = 4, elf.Sym32Size, 8
		}
		size := 2 * word
		if s.Type == elf.SHT_RELA {
			size += word
		}
		for ; len(data) >= size; data = data[size:] {
			info := wordAt(f, data[word:])
			at, kind := info>>split*uint64(symbol), uint32(info&(1<<split-1))
			if at != 0 && kind != rows[0].Calls && at+uint64(symbol) <= uint64(len(symbols)) {
				found[textAt(text, uint64(f.ByteOrder.Uint32(symbols[at:])))] = true
			}
		}
	}
	return found, nil
}
