package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
)

// Symbols are the dynamic symbols of a library, those that others may use and those that it wants of others.
type Symbols struct {
	class    elf.Class
	order    binary.ByteOrder
	table    []byte
	text     []byte
	versions []byte
	hash     []byte // of the GNU form; nil: there is none
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
		s.text, err = contents(text)
	}
	for kind, to := range map[elf.SectionType]*[]byte{elf.SHT_GNU_VERSYM: &s.versions, elf.SHT_GNU_HASH: &s.hash} {
		if one := f.SectionByType(kind); err == nil && one != nil {
			*to, err = contents(one)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("damaged ELF file: %w", err)
	}
	return s, nil
}

// Of an entry of the version table: the bits of the version's number, and the number of symbols without a version.
const (
	versionNumber = 0x7fff
	versionGlobal = 1
)

// symbol is an entry of the table.
type symbol struct {
	name      []byte
	bind      elf.SymBind
	defined   bool
	versioned bool
}

// symbol reads the entry of a number; false after the last.
func (s *Symbols) symbol(i int) (symbol, bool) {
	size, infoAt, indexAt := 24, 4, 6
	if s.class == elf.ELFCLASS32 {
		size, infoAt, indexAt = 16, 12, 14
	}
	if i < 0 || i >= len(s.table)/size {
		return symbol{}, false
	}
	entry := s.table[i*size:]
	found := symbol{bind: elf.ST_BIND(entry[infoAt]), defined: elf.SectionIndex(s.order.Uint16(entry[indexAt:])) != elf.SHN_UNDEF,
		versioned: 2*i+2 <= len(s.versions) && s.order.Uint16(s.versions[2*i:])&versionNumber > versionGlobal}
	if at := uint64(s.order.Uint32(entry)); at < uint64(len(s.text)) {
		rest := s.text[at:]
		rest = rest[:min(len(rest), maxText)]
		if end := bytes.IndexByte(rest, 0); end > 0 {
			found.name = rest[:end]
		}
	}
	return found, true
}

// exported tells whether a symbol is one that others may use.
func (s symbol) exported() bool { return len(s.name) > 0 && s.defined && s.bind != elf.STB_LOCAL }

// Exports tells whether the library defines a symbol for others.
func (s *Symbols) Exports(name string) bool {
	if found, known := s.hashed(name); known {
		return found
	}
	if s.defined == nil {
		s.defined = map[string]bool{}
		for i := 0; ; i++ {
			one, ok := s.symbol(i)
			if !ok {
				break
			}
			if one.exported() {
				s.defined[string(one.name)] = true
			}
		}
	}
	return s.defined[name]
}

// hashed looks a name up in the GNU hash table, as the dynamic linker does; known: there is one.
func (s *Symbols) hashed(name string) (found, known bool) {
	const header = 16
	if len(s.hash) < header {
		return false, false
	}
	word := func(at uint64) uint32 {
		if at+4 > uint64(len(s.hash)) {
			return 0
		}
		return s.order.Uint32(s.hash[at:])
	}
	buckets, first, filter := word(0), word(4), uint64(word(8))
	wordSize := uint64(8)
	if s.class == elf.ELFCLASS32 {
		wordSize = 4
	}
	if buckets == 0 {
		return false, true
	}
	hash := uint32(5381)
	for i := range len(name) {
		hash = hash*33 + uint32(name[i])
	}
	bucketsAt := header + filter*wordSize
	chainAt := bucketsAt + 4*uint64(buckets)
	for i := word(bucketsAt + 4*uint64(hash%buckets)); i >= first && i != 0; i++ {
		at := chainAt + 4*uint64(i-first)
		one, ok := s.symbol(int(i))
		if !ok || at+4 > uint64(len(s.hash)) {
			break
		}
		if word(at)|1 == hash|1 && string(one.name) == name && one.exported() {
			return true, true
		}
		if word(at)&1 != 0 {
			break
		}
	}
	return false, true
}

// Undefined lists the symbols that any other library has to define: not the weak ones, and not those of which a
// version is wanted, for which Requires stands.
func (s *Symbols) Undefined() (list []string) {
	for i := 0; ; i++ {
		one, ok := s.symbol(i)
		if !ok {
			return list
		}
		if len(one.name) > 0 && !one.defined && one.bind == elf.STB_GLOBAL && !one.versioned {
			list = append(list, string(one.name))
		}
	}
}

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
