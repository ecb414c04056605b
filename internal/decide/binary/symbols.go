package binary

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// Symbols are the dynamic symbols of a library: its exports, and the symbols that it needs.
type Symbols struct {
	class    elf.Class
	order    binary.ByteOrder
	table    []byte
	text     string
	versions []byte
	defined  map[string]bool
}

// ReadSymbols reads the table of dynamic symbols of an ELF file; errors are those of ReadELF.
func ReadSymbols(r io.ReaderAt) (*Symbols, error) {
	f, err := openELF(r)
	if err != nil {
		return nil, err
	}
	s := &Symbols{class: f.Class, order: f.ByteOrder}
	table, text, err := section(f, elf.SHT_DYNSYM)
	if err == nil && text != nil {
		s.table = table
		var texts []byte
		texts, err = contents(text)
		s.text = string(texts)
	}
	if versions := f.SectionByType(elf.SHT_GNU_VERSYM); err == nil && versions != nil {
		s.versions, err = contents(versions)
	}
	if err != nil {
		return nil, fmt.Errorf("damaged ELF file: %w", err)
	}
	return s, nil
}

// Entries of the version table: the bits of the version's number, and the number that stands for no version.
const (
	versionNumber = 0x7fff
	versionGlobal = 1
)

// symbol is an entry of the table.
type symbol struct {
	name      string
	bind      elf.SymBind
	defined   bool
	versioned bool
}

// all yields the entries of the table.
func (s *Symbols) all(yield func(symbol) bool) {
	size, infoAt, indexAt := elf.Sym64Size, 4, 6
	if s.class == elf.ELFCLASS32 {
		size, infoAt, indexAt = elf.Sym32Size, 12, 14
	}
	for i := range len(s.table) / size {
		entry := s.table[i*size:]
		found := symbol{bind: elf.ST_BIND(entry[infoAt]),
			defined:   elf.SectionIndex(s.order.Uint16(entry[indexAt:])) != elf.SHN_UNDEF,
			versioned: 2*i+2 <= len(s.versions) && s.order.Uint16(s.versions[2*i:])&versionNumber > versionGlobal}
		if at := uint64(s.order.Uint32(entry)); at < uint64(len(s.text)) {
			rest := s.text[at:]
			rest = rest[:min(len(rest), maxText)]
			if end := strings.IndexByte(rest, 0); end > 0 {
				found.name = rest[:end]
			}
		}
		if !yield(found) {
			return
		}
	}
}

// Exports reports whether the library exports a symbol. A name that is not in the string table needs no search.
func (s *Symbols) Exports(name string) bool {
	if s.defined == nil && strings.Contains(s.text, name+"\x00") {
		s.defined = make(map[string]bool, len(s.table)/elf.Sym64Size)
		for one := range s.all {
			if one.name != "" && one.defined && one.bind != elf.STB_LOCAL {
				s.defined[one.name] = true
			}
		}
	}
	return s.defined[name]
}

// Ending returns an exported symbol whose name ends in a text; "": none.
func (s *Symbols) Ending(text string) string {
	for one := range s.all {
		if one.defined && one.bind != elf.STB_LOCAL && strings.HasSuffix(one.name, text) {
			return one.name
		}
	}
	return ""
}

// Undefined lists the symbols that some other library has to define, except weak ones and those with a version, which
// Requires covers.
func (s *Symbols) Undefined() []string { return s.needs(false) }

// Versioned lists the symbols that need a version of another library.
func (s *Symbols) Versioned() []string { return s.needs(true) }

func (s *Symbols) needs(versioned bool) (list []string) {
	for one := range s.all {
		if one.name != "" && !one.defined && one.bind == elf.STB_GLOBAL && one.versioned == versioned {
			list = append(list, one.name)
		}
	}
	return list
}

// MachineName returns the usual name of the file's processor.
func (l *ELF) MachineName() string {
	name := map[elf.Machine]string{elf.EM_X86_64: "x86-64", elf.EM_386: "x86", elf.EM_AARCH64: "ARM64",
		elf.EM_ARM:   "ARM",
		elf.EM_RISCV: "RISC-V", elf.EM_PPC64: "POWER", elf.EM_LOONGARCH: "LoongArch", elf.EM_S390: "IBM Z",
		elf.EM_MIPS: "MIPS"}[l.Machine]
	return cmp.Or(name, l.Machine.String())
}
