package binary

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"io"
	"strings"
)

// Release reads the release that a library of this project says it is, in its note; "" when it has no such note.
func Release(r io.ReaderAt) string {
	return strings.TrimRight(string(note(r, ".note.vkloader")), "\x00")
}

// BuildID reads the number that the linker gave to a file's contents; "" when it has none.
func BuildID(r io.ReaderAt) string { return hex.EncodeToString(note(r, ".note.gnu.build-id")) }

// note reads what a section with one note says; nothing where there is none.
func note(r io.ReaderAt, name string) []byte {
	f, err := openELF(r)
	if err != nil {
		return nil
	}
	section := f.Section(name)
	if section == nil {
		return nil
	}
	data, err := contents(section)
	if err != nil || len(data) < 12 {
		return nil
	}
	owner, text := f.ByteOrder.Uint32(data), f.ByteOrder.Uint32(data[4:])
	at := 12 + (uint64(owner)+3)&^3
	if at+uint64(text) > uint64(len(data)) {
		return nil
	}
	return data[at : at+uint64(text)]
}

// Constants is the part of an ELF file that its constants are in, as far as its sections say; nil where they do not.
func Constants(file []byte) []byte {
	f, err := openELF(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	section := f.Section(".rodata")
	if section == nil || section.Type == elf.SHT_NOBITS || section.Offset > uint64(len(file)) || section.FileSize > uint64(len(file))-section.Offset {
		return nil
	}
	return file[section.Offset : section.Offset+section.FileSize]
}
