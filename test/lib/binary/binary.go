package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Import is an undefined symbol.
type Import struct {
	Name             string
	Version, Library string // the library of Version; both are set, or neither
}

// Behaviour of code, where the machine is x86.
type Behaviour string

// Behaviours.
const (
	Returns Behaviour = "return" // 0
	Hangs   Behaviour = "hang"   // for ever
	Crashes Behaviour = "crash"  // by an illegal instruction
)

// Library describes a shared object.
type Library struct {
	Class   elf.Class   // elf.ELFCLASS64 when not given
	Machine elf.Machine // elf.EM_X86_64 when not given
	Soname  string
	RunPath string
	RPath   string
	Needed  []string
	Defines []string // versions of its symbols
	Imports []Import
	Data    int // the number of data imports, which come first; the dynamic linker resolves them at load time
	Exports []string
	Code    Behaviour // of the exported functions
	Init    Behaviour // behaviour of the initializer; "": no initializer
	Release string    // vkloader's release in a note; "": no note
	Interp  string    // the dynamic linker of a program; "": a library
	Texts   []string  // string constants
}

var machines = map[string]elf.Machine{
	"x86_64": elf.EM_X86_64, "i386": elf.EM_386, "aarch64": elf.EM_AARCH64, "arm": elf.EM_ARM, "riscv64": elf.EM_RISCV,
	"ppc64le": elf.EM_PPC64, "mips64el": elf.EM_MIPS, "loongarch64": elf.EM_LOONGARCH, "armhf": elf.EM_ARM, "armel": elf.EM_ARM,
}

// Parse reads a library from words: class=32|64 machine=NAME of a little-endian machine soname=NAME
// runpath=PATH rpath=PATH needed=NAME,... defines=VERSION,... exports=NAME,... imports=NAME[@VERSION@LIBRARY],... (functions),
// data=NAME,... (imports that are no functions, before others), code=return|hang|crash,
// init=return|hang|crash, release=TEXT, interp=PATH and texts=TEXT,... with %20 for a space.
func Parse(words []string) (*Library, error) {
	l := &Library{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not NAME=VALUE", word)
		}
		switch name {
		case "class":
			l.Class = map[string]elf.Class{"32": elf.ELFCLASS32, "64": elf.ELFCLASS64}[value]
			ok = l.Class != 0
		case "machine":
			l.Machine, ok = machines[value]
		case "soname":
			l.Soname = value
		case "runpath":
			l.RunPath = value
		case "rpath":
			l.RPath = value
		case "defines":
			l.Defines = strings.Split(value, ",")
		case "needed":
			l.Needed = strings.Split(value, ",")
		case "exports":
			l.Exports = strings.Split(value, ",")
		case "imports":
			for _, text := range strings.Split(value, ",") {
				part := strings.Split(text, "@")
				if len(part) == 1 {
					part = append(part, "", "")
				}
				if len(part) != 3 {
					return nil, fmt.Errorf("%q is not NAME@VERSION@LIBRARY", text)
				}
				l.Imports = append(l.Imports, Import{part[0], part[1], part[2]})
			}
		case "data":
			for _, name := range strings.Split(value, ",") {
				l.Imports = slices.Insert(l.Imports, l.Data, Import{Name: name})
				l.Data++
			}
		case "code":
			l.Code = Behaviour(value)
			_, ok = offsets[l.Code]
		case "init":
			l.Init = Behaviour(value)
			_, ok = offsets[l.Init]
		case "release":
			l.Release = value
		case "interp":
			l.Interp = value
		case "texts":
			l.Texts = strings.Split(strings.ReplaceAll(value, "%20", " "), ",")
		default:
			ok = false
		}
		if !ok {
			return nil, fmt.Errorf("%q is not known", word)
		}
	}
	return l, nil
}

// code is the machine code of every library; offsets are the starts of the behaviours in it.
var (
	code    = []byte{0x31, 0xc0, 0xc3, 0x90, 0xeb, 0xfe, 0x90, 0x90, 0x0f, 0x0b, 0x90, 0x90}
	offsets = map[Behaviour]uint64{"": 0, Returns: 0, Hangs: 4, Crashes: 8}
)

const page = 0x1000

// section is a section of the file.
type section struct {
	name           string
	kind           elf.SectionType
	flags          elf.SectionFlag
	link, info     uint32
	align, entry   uint64
	content        []byte
	address, where uint64
}

// image is a file under construction.
type image struct {
	wide    bool
	strings bytes.Buffer // .dynstr
	at      map[string]uint64
}

// text adds a string to .dynstr and returns its offset.
func (m *image) text(s string) uint64 {
	if at, ok := m.at[s]; ok {
		return at
	}
	at := uint64(m.strings.Len())
	m.strings.WriteString(s + "\x00")
	m.at[s] = at
	return at
}

// word appends a number as wide as an address.
func (m *image) word(b []byte, v uint64) []byte {
	if m.wide {
		return binary.LittleEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(v))
}

func (m *image) size(wide, narrow uint64) uint64 {
	if m.wide {
		return wide
	}
	return narrow
}

// Bytes writes the file.
func (l *Library) Bytes() []byte {
	class, machine := l.Class, l.Machine
	if class == 0 {
		class = elf.ELFCLASS64
	}
	if machine == 0 {
		machine = elf.EM_X86_64
	}
	m := &image{wide: class == elf.ELFCLASS64, at: map[string]uint64{}}
	m.text("")
	indices, versionNeeds, needCount := l.versions(m)
	definitions := l.definitions(m)
	count := 1 + len(l.Imports) + len(l.Exports)
	sections := []*section{
		{},
		{name: ".hash", kind: elf.SHT_HASH, flags: elf.SHF_ALLOC, link: 2, align: 8, entry: 4},
		{name: ".dynsym", kind: elf.SHT_DYNSYM, flags: elf.SHF_ALLOC, link: 3, info: 1, align: 8, entry: m.size(24, 16)},
		{name: ".dynstr", kind: elf.SHT_STRTAB, flags: elf.SHF_ALLOC, align: 1},
		{name: ".gnu.version", kind: elf.SHT_GNU_VERSYM, flags: elf.SHF_ALLOC, link: 2, align: 2, entry: 2},
		{name: ".gnu.version_r", kind: elf.SHT_GNU_VERNEED, flags: elf.SHF_ALLOC, link: 3, info: needCount, align: 8,
			content: versionNeeds},
		{name: ".text", kind: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, align: 16, content: code},
		{name: ".gnu.version_d", kind: elf.SHT_GNU_VERDEF, flags: elf.SHF_ALLOC, link: 3,
			info: uint32(len(definitions)) / 28, align: 8, content: definitions},
		{name: ".dynamic", kind: elf.SHT_DYNAMIC, flags: elf.SHF_ALLOC | elf.SHF_WRITE, link: 3, align: page,
			entry: m.size(16, 8)},
		{name: ".shstrtab", kind: elf.SHT_STRTAB, align: 1},
	}
	symbols, versions, dynamic, names := sections[2], sections[4], sections[8], sections[9]
	if l.Release != "" { // the names come last
		sections = slices.Insert(sections, 9, &section{name: ".note.vkloader", kind: elf.SHT_NOTE, align: 4, content: l.note()})
	}
	if l.Data > 0 {
		sections = slices.Insert(sections, 9, &section{name: ".rela.dyn", kind: elf.SHT_RELA, link: 2, align: 8, entry: m.size(24, 12), content: l.relocations(m)})
	}
	constants := []byte{0}
	for _, text := range append([]string{l.Interp}, l.Texts...) {
		constants = append(constants, text+"\x00"...)
	}
	rodata := &section{name: ".rodata", kind: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC, align: 1, content: constants}
	headersCount := uint64(4)
	if len(constants) > 2 {
		sections = slices.Insert(sections, 9, rodata)
	}
	if l.Interp != "" {
		headersCount++
	}
	sections[1].content = hashTable(count)
	symbols.content = make([]byte, uint64(count)*symbols.entry)
	for _, i := range indices {
		versions.content = binary.LittleEndian.AppendUint16(versions.content, i)
	}
	// Addresses depend on the sizes of the tables, so the tables are made twice.
	l.symbols(m, 0)
	dynamic.content = l.dynamic(m, sections)
	sections[3].content = m.strings.Bytes()
	for _, s := range sections {
		names.content = append(names.content, s.name+"\x00"...)
	}
	place := m.size(64, 52) + headersCount*m.size(56, 32)
	for _, s := range sections[1:] {
		place = (place + s.align - 1) / s.align * s.align
		s.where = place
		if s.flags&elf.SHF_ALLOC != 0 {
			s.address = place
		}
		place += uint64(len(s.content))
	}
	symbols.content = l.symbols(m, sections[6].address)
	dynamic.content = l.dynamic(m, sections)
	headers := (place + 7) / 8 * 8

	file := make([]byte, headers)
	copy(file, m.header(class, machine, headers, headersCount, len(sections)))
	end := sections[6].where + uint64(len(code))
	programs := m.program(elf.PT_LOAD, elf.PF_R|elf.PF_X, 0, end, page)
	programs = append(programs, m.program(elf.PT_LOAD, elf.PF_R|elf.PF_W, dynamic.where, uint64(len(dynamic.content)), page)...)
	programs = append(programs, m.program(elf.PT_DYNAMIC, elf.PF_R|elf.PF_W, dynamic.where, uint64(len(dynamic.content)), 8)...)
	programs = append(programs, m.program(elf.PT_GNU_STACK, elf.PF_R|elf.PF_W, 0, 0, 8)...) // without it, the stack is executable
	if l.Interp != "" {
		programs = append(programs, m.program(elf.PT_INTERP, elf.PF_R, rodata.where+1, uint64(len(l.Interp)+1), 1)...)
	}
	copy(file[m.size(64, 52):], programs)
	offset := uint32(0)
	for _, s := range sections {
		copy(file[s.where:], s.content)
		file = append(file, m.section(s, offset)...)
		offset += uint32(len(s.name)) + 1
	}
	return file
}

// versions returns the version index of each symbol, and .gnu.version_r.
func (l *Library) versions(m *image) (indices []uint16, needs []byte, count uint32) {
	type need struct {
		library  string
		versions []string
	}
	var list []need
	for _, i := range l.Imports {
		if i.Version == "" {
			continue
		}
		at := slices.IndexFunc(list, func(n need) bool { return n.library == i.Library })
		if at < 0 {
			at = len(list)
			list = append(list, need{library: i.Library})
		}
		if !slices.Contains(list[at].versions, i.Version) {
			list[at].versions = append(list[at].versions, i.Version)
		}
	}
	number, numbers := uint16(2), map[[2]string]uint16{}
	little := binary.LittleEndian
	for k, n := range list {
		next := uint32(0)
		if k+1 < len(list) {
			next = uint32(16 + 16*len(n.versions))
		}
		needs = little.AppendUint16(needs, 1)
		needs = little.AppendUint16(needs, uint16(len(n.versions)))
		needs = little.AppendUint32(needs, uint32(m.text(n.library)))
		needs = little.AppendUint32(needs, 16)
		needs = little.AppendUint32(needs, next)
		for j, version := range n.versions {
			next = 0
			if j+1 < len(n.versions) {
				next = 16
			}
			numbers[[2]string{n.library, version}] = number
			needs = little.AppendUint32(needs, hash(version))
			needs = little.AppendUint16(needs, 0)
			needs = little.AppendUint16(needs, number)
			needs = little.AppendUint32(needs, uint32(m.text(version)))
			needs = little.AppendUint32(needs, next)
			number++
		}
	}
	indices = []uint16{0}
	for _, i := range l.Imports {
		index := uint16(1)
		if i.Version != "" {
			index = numbers[[2]string{i.Library, i.Version}]
		}
		indices = append(indices, index)
	}
	for range l.Exports {
		indices = append(indices, 1)
	}
	return indices, needs, uint32(len(list))
}

// definitions returns .gnu.version_d: the file's own entry, and one for each version.
func (l *Library) definitions(m *image) (b []byte) {
	if len(l.Defines) == 0 {
		return nil
	}
	little := binary.LittleEndian
	for i, name := range append([]string{l.Soname}, l.Defines...) {
		flags, next := uint16(0), uint32(28)
		if i == 0 {
			flags = uint16(1) // VER_FLG_BASE
		}
		if i == len(l.Defines) {
			next = 0
		}
		for _, v := range []uint16{1, flags, uint16(1 + i), 1} {
			b = little.AppendUint16(b, v)
		}
		for _, v := range []uint32{hash(name), 20, next, uint32(m.text(name)), 0} {
			b = little.AppendUint32(b, v)
		}
	}
	return b
}

// relocations returns the relocations of data imports.
func (l *Library) relocations(m *image) (b []byte) {
	const globDat = 6 // of x86-64 and of i386
	for i := range l.Data {
		symbol := uint64(i + 1)
		b = m.word(b, 0)
		b = m.word(b, symbol<<m.size(32, 8)|globDat)
		b = m.word(b, 0)
	}
	return b
}

// note returns the note of a release: sizes, type, owner and text, each padded to a multiple of four bytes.
func (l *Library) note() (b []byte) {
	const owner = "vkloader\x00\x00\x00\x00"
	for _, v := range []uint32{9, uint32(len(l.Release) + 1), 1} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(append(append(b, owner...), l.Release...), make([]byte, 4-len(l.Release)%4)...)
}

// hash returns the System V hash of a name.
func hash(name string) uint32 {
	h := uint32(0)
	for _, c := range []byte(name) {
		h = h<<4 + uint32(c)
		h ^= h >> 24 & 0xf0
	}
	return h & 0x0fffffff
}

// hashTable returns a hash table with one bucket for all symbols.
func hashTable(count int) []byte {
	table := []uint32{1, uint32(count), 0}
	if count > 1 {
		table[2] = 1
	}
	for i := range count {
		next := uint32(0)
		if i > 0 && i+1 < count {
			next = uint32(i + 1)
		}
		table = append(table, next)
	}
	var b []byte
	for _, v := range table {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// symbols returns .dynsym, for code at an address.
func (l *Library) symbols(m *image, text uint64) []byte {
	b := make([]byte, m.size(24, 16))
	add := func(name string, value, size uint64, section uint16) {
		const globalFunction = byte(elf.STB_GLOBAL)<<4 | byte(elf.STT_FUNC)
		little := binary.LittleEndian
		b = little.AppendUint32(b, uint32(m.text(name)))
		if m.wide {
			b = little.AppendUint16(append(b, globalFunction, 0), section)
			b = little.AppendUint64(little.AppendUint64(b, value), size)
			return
		}
		b = little.AppendUint32(little.AppendUint32(b, uint32(value)), uint32(size))
		b = little.AppendUint16(append(b, globalFunction, 0), section)
	}
	for _, i := range l.Imports {
		add(i.Name, 0, 0, 0)
	}
	for _, name := range l.Exports {
		add(name, text+offsets[l.Code], 4, 6)
	}
	return b
}

// dynamic is .dynamic.
func (l *Library) dynamic(m *image, sections []*section) (b []byte) {
	add := func(tag elf.DynTag, value uint64) { b = m.word(m.word(b, uint64(tag)), value) }
	for _, name := range l.Needed {
		add(elf.DT_NEEDED, m.text(name))
	}
	if l.Soname != "" {
		add(elf.DT_SONAME, m.text(l.Soname))
	}
	if l.RunPath != "" {
		add(elf.DT_RUNPATH, m.text(l.RunPath))
	}
	if l.RPath != "" {
		add(elf.DT_RPATH, m.text(l.RPath))
	}
	if l.Init != "" {
		add(elf.DT_INIT, sections[6].address+offsets[l.Init])
	}
	add(elf.DT_HASH, sections[1].address)
	add(elf.DT_SYMTAB, sections[2].address)
	add(elf.DT_SYMENT, sections[2].entry)
	add(elf.DT_STRTAB, sections[3].address)
	add(elf.DT_STRSZ, uint64(m.strings.Len()))
	if sections[5].info > 0 {
		add(elf.DT_VERSYM, sections[4].address)
		add(elf.DT_VERNEED, sections[5].address)
		add(elf.DT_VERNEEDNUM, uint64(sections[5].info))
	}
	if sections[7].info > 0 {
		add(elf.DT_VERDEF, sections[7].address)
		add(elf.DT_VERDEFNUM, uint64(sections[7].info))
	}
	add(elf.DT_NULL, 0)
	return b
}

// header returns the ELF header.
func (m *image) header(class elf.Class, machine elf.Machine, sections, programs uint64, count int) []byte {
	b := append([]byte(elf.ELFMAG), byte(class), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT), 0, 0, 0, 0, 0, 0, 0, 0, 0)
	little := binary.LittleEndian
	b = little.AppendUint16(b, uint16(elf.ET_DYN))
	b = little.AppendUint16(b, uint16(machine))
	b = little.AppendUint32(b, uint32(elf.EV_CURRENT))
	b = m.word(m.word(m.word(b, 0), m.size(64, 52)), sections)
	b = little.AppendUint32(b, 0)
	for _, v := range []uint64{m.size(64, 52), m.size(56, 32), programs, m.size(64, 40), uint64(count), uint64(count - 1)} {
		b = little.AppendUint16(b, uint16(v))
	}
	return b
}

// program returns a program header for a range that is mapped as it is in the file.
func (m *image) program(kind elf.ProgType, flags elf.ProgFlag, where, size, align uint64) []byte {
	little := binary.LittleEndian
	b := little.AppendUint32(nil, uint32(kind))
	if m.wide {
		b = little.AppendUint32(b, uint32(flags))
	}
	for _, v := range []uint64{where, where, where, size, size} {
		b = m.word(b, v)
	}
	if !m.wide {
		b = little.AppendUint32(b, uint32(flags))
	}
	return m.word(b, align)
}

// section is a section header.
func (m *image) section(s *section, name uint32) []byte {
	little := binary.LittleEndian
	b := little.AppendUint32(little.AppendUint32(nil, name), uint32(s.kind))
	for _, v := range []uint64{uint64(s.flags), s.address, s.where, uint64(len(s.content))} {
		b = m.word(b, v)
	}
	b = little.AppendUint32(little.AppendUint32(b, s.link), s.info)
	return m.word(m.word(b, s.align), s.entry)
}
