package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"vkloader/internal/machines"
)

// ELF is the content of an ELF file's headers.
type ELF struct {
	Class   int         // word size: 32 or 64
	Machine elf.Machine // the processor that the file is for
	Interp  string      // the dynamic linker that a program asks for (PT_INTERP); "": none

	Soname    string
	Needed    []string
	RPath     []string // elements of DT_RPATH, as written
	RunPath   []string // elements of DT_RUNPATH, as written
	NoDefault bool     // linked with -z nodefaultlib
	BindNow   bool     // all functions are resolved when the file is loaded

	Requires []SymbolVersion
	Defines  []string // versions of symbols that it defines, without the file's own entry
}

// SymbolVersion is a version of symbols that another library has to define.
type SymbolVersion struct {
	File    string // the needed library's name
	Version string
	Weak    bool // without it the dynamic linker only warns
}

// ErrNotELF is the error of a file that is something else.
var ErrNotELF = errors.New("not an ELF file")

// maxTable is the size of the largest table that is read, in bytes. A larger table counts as damage.
const maxTable = 64 << 20

// openELF reads the file's header and its list of sections.
func openELF(r io.ReaderAt) (*elf.File, error) {
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil && err != io.EOF {
		return nil, err
	} else if string(magic[:]) != elf.ELFMAG {
		return nil, ErrNotELF
	}
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("damaged ELF file: %w", err)
	}
	return f, nil
}

// ReadELF reads an ELF file, without its symbols. The error names the fault of the file; it wraps ErrNotELF for another
// format. The reader may be closed afterwards.
func ReadELF(r io.ReaderAt) (*ELF, error) {
	buffered := newPages(r)
	defer buffered.close()
	f, err := openELF(buffered)
	if err != nil {
		return nil, err
	}
	l := &ELF{Machine: f.Machine, Class: wordSize(f.Class)}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz <= maxText {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err == nil {
				l.Interp, _, _ = strings.Cut(string(name), "\x00")
			}
		}
	}
	for _, read := range []func(*elf.File) error{l.readDynamic, l.readVersions} {
		if err := read(f); err != nil {
			return nil, fmt.Errorf("damaged ELF file: %w", err)
		}
	}
	return l, nil
}

// section returns the data of the first section of a type, and the string table that it links to.
func section(f *elf.File, kind elf.SectionType) (data []byte, text *elf.Section, err error) {
	found := f.SectionByType(kind)
	if found == nil {
		return nil, nil, nil
	}
	if data, err = contents(found); err != nil {
		return nil, nil, err
	}
	if found.Link == 0 || int(found.Link) >= len(f.Sections) || f.Sections[found.Link].Type != elf.SHT_STRTAB {
		return nil, nil, fmt.Errorf("section %s has no texts", found.Name)
	}
	if text = f.Sections[found.Link]; text.Size > maxTable {
		return nil, nil, fmt.Errorf("section %s has an impossible size", text.Name)
	}
	return data, text, nil
}

func contents(s *elf.Section) ([]byte, error) {
	if s.Size > maxTable || s.Type == elf.SHT_NOBITS {
		return nil, fmt.Errorf("section %s has an impossible size", s.Name)
	}
	return s.Data()
}

// maxText is the length of the longest name that is read, in bytes. A longer name counts as damage.
const maxText = 1 << 12

// textAt returns the text at an offset of a string table; "" for an offset outside the table, and for a text without an
// end.
func textAt(table *elf.Section, offset uint64) string {
	if table == nil || offset >= table.Size {
		return ""
	}
	var first [64]byte // long enough for nearly all names
	for part := first[:]; ; part = make([]byte, maxText) {
		n, _ := table.ReadAt(part, int64(offset))
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(part[:end])
		}
		if n < len(first) || len(part) == maxText {
			return ""
		}
	}
}

func (l *ELF) readDynamic(f *elf.File) error {
	data, text, err := section(f, elf.SHT_DYNAMIC)
	if err != nil {
		return err
	}
	word := l.Class / 8
	for ; len(data) >= 2*word; data = data[2*word:] {
		tag, value := elf.DynTag(wordAt(f, data)), wordAt(f, data[word:])
		switch tag {
		case elf.DT_NULL:
			return nil
		case elf.DT_SONAME:
			l.Soname = textAt(text, value)
		case elf.DT_NEEDED:
			l.Needed = append(l.Needed, textAt(text, value))
		case elf.DT_RPATH:
			l.RPath = elements(textAt(text, value))
		case elf.DT_RUNPATH:
			l.RunPath = elements(textAt(text, value))
		case elf.DT_BIND_NOW:
			l.BindNow = true
		case elf.DT_FLAGS:
			l.BindNow = l.BindNow || elf.DynFlag(value)&elf.DF_BIND_NOW != 0
		case elf.DT_FLAGS_1:
			l.NoDefault = elf.DynFlag1(value)&elf.DF_1_NODEFLIB != 0
			l.BindNow = l.BindNow || elf.DynFlag1(value)&elf.DF_1_NOW != 0
		}
	}
	return nil
}

// wordAt reads a word of the file's size.
func wordAt(f *elf.File, at []byte) uint64 {
	if f.Class == elf.ELFCLASS64 {
		return f.ByteOrder.Uint64(at)
	}
	return uint64(f.ByteOrder.Uint32(at))
}

func elements(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ":")
}

// Layout of version tables, the same in both classes.
const (
	needSize, needAuxSize = 16, 16
	defSize, defAuxSize   = 20, 8
	versionBase, weak     = 1, 2 // flags
	maxVersions           = 1 << 12
)

var errVersions = errors.New("impossibly many versions of symbols")

// readVersions reads needed versions (SHT_GNU_VERNEED) and defined ones (SHT_GNU_VERDEF). Both are chains of records
// with offsets to the next; a step never goes back, so that a damaged file ends the loop.
func (l *ELF) readVersions(f *elf.File) error {
	data, text, err := section(f, elf.SHT_GNU_VERNEED)
	if err != nil {
		return err
	}
	order := f.ByteOrder
	for at := range chain(order, data, 0, needSize, 12) {
		count, file := order.Uint16(data[at+2:]), textAt(text, uint64(order.Uint32(data[at+4:])))
		for aux := range chain(order, data, at+uint64(order.Uint32(data[at+8:])), needAuxSize, 12) {
			if count == 0 {
				break
			}
			count--
			l.Requires = append(l.Requires, SymbolVersion{file, textAt(text, uint64(order.Uint32(data[aux+8:]))),
				order.Uint16(data[aux+4:])&weak != 0})
			if len(l.Requires) > maxVersions {
				return errVersions
			}
		}
	}
	if data, text, err = section(f, elf.SHT_GNU_VERDEF); err != nil {
		return err
	}
	for at := range chain(order, data, 0, defSize, 16) {
		aux := at + uint64(order.Uint32(data[at+12:]))
		if order.Uint16(data[at+2:])&versionBase == 0 && aux+defAuxSize <= uint64(len(data)) {
			l.Defines = append(l.Defines, textAt(text, uint64(order.Uint32(data[aux:]))))
		}
		if len(l.Defines) > maxVersions {
			return errVersions
		}
	}
	return nil
}

// chain yields the offsets of records of a size, the first at from. Each has the distance to the next one at an offset.
func chain(order binary.ByteOrder, data []byte, from, size, next uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		step := uint64(1)
		for at := from; step != 0 && at+size <= uint64(len(data)) && yield(at); at += step {
			step = uint64(order.Uint32(data[at+next:]))
		}
	}
}

// Machine is the processor that a file is for.
type Machine = elf.Machine

// Processor returns the processor of the programs with a word size (32 or 64) that this machine runs; x86's if the
// machine runs none, or is no Linux machine.
func Processor(class int) Machine {
	if m, known := machines.Running(class); known {
		return m.ELF
	}
	if class == 32 {
		return elf.EM_386
	}
	return elf.EM_X86_64
}

// IsLoader reports whether a library with this SONAME is a Vulkan loader, which can be neither driver nor layer
// (DRV-046).
func IsLoader(soname string) bool {
	return soname == "libvulkan.so.1" || soname == "libvulkan.1.dylib" || soname == "vulkan-1.dll"
}

// Static describes a statically linked program: no dynamic linker starts it, and none loads its libraries.
type Static struct {
	Names bool // the file contains the library's name: the program may open it
	Opens bool // its C library can open libraries: musl's cannot in a static program
}

// muslRefuses is what musl's dlopen says in a static program.
const muslRefuses = "Dynamic loading not supported\x00"

// Static describes how a statically linked program can use a library. It returns nil if there is no program, if the
// file is no ELF program, if a dynamic linker starts it, and for a script.
func (l *Linker) Static(library string) *Static {
	p := l.program
	if p == nil || p.err != nil || l.script || p.Interp != "" || len(p.Needed) > 0 || p.Soname != "" {
		return nil
	}
	data := l.Text(p.Path)
	if data == nil {
		return nil
	}
	stem, _, _ := bytes.Cut([]byte(library), []byte(".so"))
	return &Static{Names: bytes.Contains(data, append(stem, ".so"...)),
		Opens: !bytes.Contains(data, []byte(muslRefuses))}
}
