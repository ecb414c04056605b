package binary

import (
	"debug/elf"
	"fmt"
	"io"
)

// Symbols are the dynamic symbols of a library, those that others may use and those that it wants of others.
type Symbols struct {
	defined   map[string]bool
	undefined []string
}

// ReadSymbols reads the table of dynamic symbols of an ELF file; errors are those of ReadELF.
func ReadSymbols(r io.ReaderAt) (*Symbols, error) {
	f, err := openELF(r)
	if err != nil {
		return nil, err
	}
	_, table, text, err := section(f, elf.SHT_DYNSYM)
	var versions []byte
	if s := f.SectionByType(elf.SHT_GNU_VERSYM); err == nil && s != nil {
		versions, err = contents(s)
	}
	if err != nil {
		return nil, fmt.Errorf("damaged ELF file: %w", err)
	}
	s := &Symbols{defined: map[string]bool{}}
	size, infoAt, indexAt := 24, 4, 6
	if f.Class == elf.ELFCLASS32 {
		size, infoAt, indexAt = 16, 12, 14
	}
	for i := 0; len(table) >= size; i, table = i+1, table[size:] {
		name := textAt(text, uint64(f.ByteOrder.Uint32(table)))
		bind := elf.ST_BIND(table[infoAt])
		versioned := 2*i+2 <= len(versions) && f.ByteOrder.Uint16(versions[2*i:])&versionNumber > versionGlobal
		switch {
		case name == "" || bind == elf.STB_LOCAL:
		case elf.SectionIndex(f.ByteOrder.Uint16(table[indexAt:])) != elf.SHN_UNDEF:
			s.defined[name] = true
		case bind == elf.STB_GLOBAL && !versioned:
			s.undefined = append(s.undefined, name)
		}
	}
	return s, nil
}

// Of an entry of the version table: the bits of the version's number, and the number of symbols without a version.
const (
	versionNumber = 0x7fff
	versionGlobal = 1
)

// Exports tells whether the library defines a symbol for others.
func (s *Symbols) Exports(name string) bool { return s.defined[name] }

// Undefined lists the symbols that any other library has to define: not the weak ones, and not those of which a
// version is wanted, for which Requires stands.
func (s *Symbols) Undefined() []string { return s.undefined }

// MachineName is the usual name of the file's processor.
func (l *ELF) MachineName() string {
	switch l.Machine {
	case elf.EM_X86_64:
		return "x86-64"
	case elf.EM_386:
		return "x86"
	case elf.EM_AARCH64:
		return "ARM64"
	case elf.EM_ARM:
		return "ARM"
	case elf.EM_RISCV:
		return "RISC-V"
	case elf.EM_PPC64:
		return "POWER"
	case elf.EM_LOONGARCH:
		return "LoongArch"
	case elf.EM_S390:
		return "IBM Z"
	case elf.EM_MIPS:
		return "MIPS"
	}
	return l.Machine.String()
}
