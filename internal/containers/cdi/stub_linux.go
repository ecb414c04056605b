package cdi

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"vkloader/internal/machines"
)

// page is the largest page size of any supported processor; segments are aligned to it.
const page = 0x10000

// text is a string table of an ELF file.
type text struct{ bytes.Buffer }

// at adds a string, and returns its offset.
func (t *text) at(s string) uint64 {
	if t.Len() == 0 {
		t.WriteByte(0)
	}
	place := t.Len()
	t.WriteString(s + "\x00")
	return uint64(place)
}

// section is a part of a stub, with the fields of its header.
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

// order returns the byte order of a machine.
func order(of machines.Machine) binary.AppendByteOrder {
	if of.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// numbers returns numbers of 64 or 32 bits in a byte order.
func numbers(order binary.AppendByteOrder, wide bool, values ...uint64) []byte {
	var out []byte
	for _, v := range values {
		if wide {
			out = order.AppendUint64(out, v)
		} else {
			out = order.AppendUint32(out, uint32(v))
		}
	}
	return out
}

// stub returns a shared library without code. It needs libraries by their paths, and has a directory in DT_RPATH, where
// the dynamic linker finds their dependencies and run-time libraries. dlsym on the stub finds the symbols of these
// libraries. So a library works in a container in which no directory of the dynamic linker has it.
//
// The whole file is one segment that may be written: the C library changes addresses in the dynamic section.
func stub(of machines.Machine, needed []string, directory string) []byte {
	wide := of.Bits == 64
	word := func(wide bool, values ...uint64) []byte { return numbers(order(of), wide, values...) }
	names, sections := &text{}, &text{}
	head, program, header, pair, symbol := uint64(52), uint64(32), uint64(40), uint64(8), uint64(16)
	if wide {
		head, program, header, pair, symbol = 64, 56, 64, 16, 24
	}
	hash := uint64(4)
	if of.ELF == elf.EM_S390 && wide { // the hash tables of s390x, alone in the table of machines, have 64-bit numbers
		hash = 8
	}
	var dynamic []uint64
	for _, library := range needed {
		dynamic = append(dynamic, uint64(elf.DT_NEEDED), names.at(library))
	}
	dynamic = append(dynamic, uint64(elf.DT_RPATH), names.at(directory))
	const places = 6       // number of the pairs below
	parts := []section{{}, // the first header is empty
		{name: ".hash", kind: elf.SHT_HASH, link: 2, align: 8, entry: hash, data: word(hash == 8, 1, 1, 0, 0)},
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
	dynamic = append(dynamic, uint64(elf.DT_HASH), parts[1].at, uint64(elf.DT_SYMTAB), parts[2].at,
		uint64(elf.DT_SYMENT), symbol,
		uint64(elf.DT_STRTAB), parts[3].at, uint64(elf.DT_STRSZ), uint64(names.Len()), uint64(elf.DT_NULL), 0)
	parts[4].data = word(wide, dynamic...)

	out := make([]byte, table, table+uint64(len(parts))*header)
	class := elf.ELFCLASS32
	if wide {
		class = elf.ELFCLASS64
	}
	data := elf.ELFDATA2LSB
	if of.BigEndian {
		data = elf.ELFDATA2MSB
	}
	half := order(of).AppendUint16
	first := append([]byte(elf.ELFMAG), byte(class), byte(data), byte(elf.EV_CURRENT), 0, 0, 0, 0, 0, 0, 0, 0, 0)
	first = half(half(first, uint16(elf.ET_DYN)), uint16(of.ELF))
	// entry, segments, sections
	first = append(append(first, word(false, uint64(elf.EV_CURRENT))...), word(wide, 0, head, table)...)
	first = append(first, word(false, uint64(of.Flags))...)
	for _, n := range []uint64{head, program, segments, header, uint64(len(parts)), 5} {
		first = half(first, uint16(n))
	}
	copy(out, first)
	at := head
	for _, s := range []struct {
		kind              elf.ProgType
		flags             elf.ProgFlag
		at, length, align uint64
	}{{elf.PT_LOAD, elf.PF_R | elf.PF_W, 0, table, page},
		{elf.PT_DYNAMIC, elf.PF_R | elf.PF_W, parts[4].at, uint64(len(parts[4].data)), 8},
		{elf.PT_GNU_STACK, elf.PF_R | elf.PF_W, 0, 0, 16}} {
		var entry []byte
		if wide {
			entry = append(word(false, uint64(s.kind), uint64(s.flags)),
				word(true, s.at, s.at, s.at, s.length, s.length, s.align)...)
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
