package cdi

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// page is the largest size of a page for the processors that drivers are known of: segments lie at multiples of it.
const page = 0x10000

// text is a table of strings as ELF files have them.
type text struct{ bytes.Buffer }

// at adds a string, and gives its place.
func (t *text) at(s string) uint64 {
	if t.Len() == 0 {
		t.WriteByte(0)
	}
	place := t.Len()
	t.WriteString(s + "\x00")
	return uint64(place)
}

// section is a part of a stub, with what its header says.
type section struct {
	name  string
	kind  elf.SectionType
	flags elf.SectionFlag
	link  uint32
	info  uint32
	entry uint64
	align uint64
	data  []byte
	at    uint64
}

// word is a number of the class's size.
func word(wide bool, values ...uint64) []byte {
	var out []byte
	for _, v := range values {
		if wide {
			out = binary.LittleEndian.AppendUint64(out, v)
		} else {
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		}
	}
	return out
}

// stub returns a shared library without code. It needs libraries by their paths, and names a directory in DT_RPATH, in which
// the dynamic linker also finds the dependencies and run-time libraries of these. dlsym on it finds their symbols. So a
// library works in a container that has none of them in a directory of the dynamic linker.
//
// The whole file is one segment that may be written: the C library changes addresses in the dynamic section.
func stub(wide bool, machine elf.Machine, needed []string, directory string) []byte {
	names, sections := &text{}, &text{}
	head, program, header, pair, symbol := uint64(52), uint64(32), uint64(40), uint64(8), uint64(16)
	if wide {
		head, program, header, pair, symbol = 64, 56, 64, 16, 24
	}
	var dynamic []uint64
	for _, library := range needed {
		dynamic = append(dynamic, uint64(elf.DT_NEEDED), names.at(library))
	}
	dynamic = append(dynamic, uint64(elf.DT_RPATH), names.at(directory))
	const places = 6       // pairs that follow
	parts := []section{{}, // the first header is empty
		{name: ".hash", kind: elf.SHT_HASH, link: 2, align: 8, entry: 4, data: word(false, 1, 1, 0, 0)},
		{name: ".dynsym", kind: elf.SHT_DYNSYM, link: 3, info: 1, align: 8, entry: symbol, data: make([]byte, symbol)},
		{name: ".dynstr", kind: elf.SHT_STRTAB, align: 1, data: names.Bytes()},
		{name: ".dynamic", kind: elf.SHT_DYNAMIC, flags: elf.SHF_WRITE, link: 3, align: 8, entry: pair,
			data: make([]byte, pair*uint64(len(dynamic)/2+places))},
		{name: ".shstrtab", kind: elf.SHT_STRTAB, align: 1},
	}
	var labels []uint64
	for i := range parts {
		labels = append(labels, sections.at(parts[i].name))
	}
	parts[5].data = sections.Bytes()
	const segments = 3
	end := head + segments*program
	for i := 1; i < len(parts); i++ {
		end = (end + 7) &^ 7
		parts[i].at = end
		end += uint64(len(parts[i].data))
	}
	table := (end + 7) &^ 7
	dynamic = append(dynamic, uint64(elf.DT_HASH), parts[1].at, uint64(elf.DT_SYMTAB), parts[2].at, uint64(elf.DT_SYMENT), symbol,
		uint64(elf.DT_STRTAB), parts[3].at, uint64(elf.DT_STRSZ), uint64(names.Len()), uint64(elf.DT_NULL), 0)
	parts[4].data = word(wide, dynamic...)

	out := make([]byte, table, table+uint64(len(parts))*header)
	class := elf.ELFCLASS32
	if wide {
		class = elf.ELFCLASS64
	}
	copy(out, append([]byte(elf.ELFMAG), byte(class), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)))
	little := binary.LittleEndian
	little.PutUint16(out[16:], uint16(elf.ET_DYN))
	little.PutUint16(out[18:], uint16(machine))
	little.PutUint32(out[20:], uint32(elf.EV_CURRENT))
	rest := append(word(wide, 0, head, table), 0, 0, 0, 0) // entry, segments, sections; flags
	for _, n := range []uint64{head, program, segments, header, uint64(len(parts)), 5} {
		rest = little.AppendUint16(rest, uint16(n))
	}
	copy(out[24:], rest)
	at := head
	for _, s := range []struct {
		kind              elf.ProgType
		flags             elf.ProgFlag
		at, length, align uint64
	}{{elf.PT_LOAD, elf.PF_R | elf.PF_W, 0, table, page}, {elf.PT_DYNAMIC, elf.PF_R | elf.PF_W, parts[4].at, uint64(len(parts[4].data)), 8},
		{elf.PT_GNU_STACK, elf.PF_R | elf.PF_W, 0, 0, 16}} {
		var entry []byte
		if wide {
			entry = append(word(false, uint64(s.kind), uint64(s.flags)), word(true, s.at, s.at, s.at, s.length, s.length, s.align)...)
		} else {
			entry = word(false, uint64(s.kind), s.at, s.at, s.at, s.length, s.length, uint64(s.flags), s.align)
		}
		at += uint64(copy(out[at:], entry))
	}
	for i := range parts {
		s := &parts[i]
		copy(out[s.at:], s.data)
		flags := s.flags
		if i > 0 && i < 5 {
			flags |= elf.SHF_ALLOC
		}
		address := s.at
		if flags == 0 {
			address = 0
		}
		out = append(out, word(false, labels[i], uint64(s.kind))...)
		out = append(out, word(wide, uint64(flags), address, s.at, uint64(len(s.data)))...)
		out = append(out, word(false, uint64(s.link), uint64(s.info))...)
		out = append(out, word(wide, s.align, s.entry)...)
	}
	return out
}
