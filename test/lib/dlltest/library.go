package dlltest

import "encoding/binary"

// Library returns a small PE file for programs of a word size, 32 or 64, with one section and an export table with these names.
func Library(class int, names ...string) []byte {
	const section, address = 0x400, 0x1000
	machine, optional, magic := uint16(0x8664), 240, uint16(0x20b)
	if class == 32 {
		machine, optional, magic = 0x14c, 224, 0x10b
	}
	b := make([]byte, section+0x400)
	le := binary.LittleEndian
	copy(b, "MZ")
	le.PutUint32(b[0x3c:], 0x40)
	copy(b[0x40:], "PE\x00\x00")
	le.PutUint16(b[0x44:], machine)
	le.PutUint16(b[0x46:], 1) // sections
	le.PutUint16(b[0x54:], uint16(optional))
	le.PutUint16(b[0x58:], magic)
	directories := 0x58 + optional - 16*8
	le.PutUint32(b[directories-4:], 16)
	le.PutUint32(b[directories:], address)
	le.PutUint32(b[directories+4:], 40)
	head := b[0x58+optional:]
	copy(head, ".edata")
	le.PutUint32(head[8:], 0x400)
	le.PutUint32(head[12:], address)
	le.PutUint32(head[16:], 0x400)
	le.PutUint32(head[20:], section)
	table := b[section:]
	le.PutUint32(table[24:], uint32(len(names)))
	le.PutUint32(table[32:], address+40)
	text := 40 + 4*len(names)
	for i, name := range names {
		le.PutUint32(table[40+4*i:], uint32(address+text))
		text += copy(table[text:], name) + 1
	}
	return b
}

// Needing returns the file of Library, with an import of one function from each of these libraries.
func Needing(class int, needs []string, names ...string) []byte {
	const section, address, imports = 0x400, 0x1000, 0x200
	b := Library(class, names...)
	le := binary.LittleEndian
	directories := 0x58 + map[int]int{64: 240, 32: 224}[class] - 16*8
	le.PutUint32(b[directories+8:], address+imports)
	le.PutUint32(b[directories+12:], uint32(20*(len(needs)+1)))
	table := b[section+imports:]
	at := 20 * (len(needs) + 1)
	put := func(text string) uint32 {
		where := uint32(address + imports + at)
		at += copy(table[at:], text) + 1
		return where
	}
	for i, name := range needs {
		function := put("\x00\x00f") // a hint, and the name
		at = (at + 7) &^ 7
		thunks := uint32(address + imports + at)
		le.PutUint32(table[at:], function)
		at += 16
		le.PutUint32(table[20*i:], thunks)
		le.PutUint32(table[20*i+12:], put(name))
		le.PutUint32(table[20*i+16:], thunks)
	}
	return b
}
