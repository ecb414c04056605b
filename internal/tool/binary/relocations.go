package binary

import (
	"debug/elf"
	"io"
	"slices"
)

// jumpSlot is the type of the relocations of calls on a processor: the dynamic linker may look the function up when it is
// called. Every other relocation is made when the library is loaded.
func jumpSlot(machine elf.Machine) (kind uint32, known bool) {
	switch machine {
	case elf.EM_X86_64:
		return uint32(elf.R_X86_64_JMP_SLOT), true
	case elf.EM_386:
		return uint32(elf.R_386_JMP_SLOT), true
	case elf.EM_AARCH64:
		return uint32(elf.R_AARCH64_JUMP_SLOT), true
	}
	return 0, false
}

// atOnce are those of some symbols that the dynamic linker looks up when it loads the library: without one of them, it
// refuses the library. None when that cannot be read.
func (f *File) atOnce(names []string) []string {
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

// readAtOnce gives the names of symbols that relocations name which are no calls.
func readAtOnce(r io.ReaderAt) (map[string]bool, error) {
	buffered := newPages(r)
	defer buffered.close()
	f, err := openELF(buffered)
	if err != nil {
		return nil, err
	}
	call, known := jumpSlot(f.Machine)
	if !known {
		return nil, nil
	}
	symbols, text, err := section(f, elf.SHT_DYNSYM)
	if err != nil {
		return nil, err
	}
	wide := f.Class == elf.ELFCLASS64
	found := map[string]bool{}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA && s.Type != elf.SHT_REL || int(s.Link) >= len(f.Sections) || f.Sections[s.Link].Type != elf.SHT_DYNSYM {
			continue
		}
		data, err := contents(s)
		if err != nil {
			return nil, err
		}
		size := 8
		switch {
		case wide && s.Type == elf.SHT_RELA:
			size = 24
		case wide:
			size = 16
		case s.Type == elf.SHT_RELA:
			size = 12
		}
		for ; len(data) >= size; data = data[size:] {
			index, kind := uint64(0), uint32(0)
			if wide {
				info := f.ByteOrder.Uint64(data[8:])
				index, kind = info>>32, uint32(info)
			} else {
				info := f.ByteOrder.Uint32(data[4:])
				index, kind = uint64(info>>8), info&0xff
			}
			entry := uint64(24)
			if !wide {
				entry = 16
			}
			if index != 0 && kind != call && index < uint64(len(symbols))/entry {
				found[textAt(text, uint64(f.ByteOrder.Uint32(symbols[index*entry:])))] = true
			}
		}
	}
	return found, nil
}
