package dlltest

import (
	"encoding/binary"
	"unicode/utf16"
)

// Versioned returns a library whose resources contain a version and a company. Its exports and resources share one section, so
// there can be only a few exports.
func Versioned(class int, version [4]uint16, company string, names ...string) []byte {
	const at, address = 0x600, 0x1200 // the second half of the section
	le := binary.LittleEndian
	b := Library(class, names...)
	wide := func(to []byte, text string) int {
		units := utf16.Encode([]rune(text + "\x00"))
		for i, unit := range units {
			le.PutUint16(to[2*i:], unit)
		}
		return 2 * len(units)
	}
	directories := 0x58 + int(le.Uint16(b[0x54:])) - 16*8
	le.PutUint32(b[directories+2*8:], address)
	le.PutUint32(b[directories+2*8+4:], 0x200)
	text := b[at:]
	n := (wide(text, "VS_VERSION_INFO") + 3) &^ 3
	le.PutUint32(text[n:], 0xfeef04bd)
	le.PutUint32(text[n+8:], uint32(version[0])<<16|uint32(version[1]))
	le.PutUint32(text[n+12:], uint32(version[2])<<16|uint32(version[3]))
	n += 52
	n += wide(text[n:], "CompanyName")
	wide(text[n+2:], company)
	return b
}
