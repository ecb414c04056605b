package elf

import (
	"io"
	"strings"
)

// Release reads the release that a library of this project says it is, in its note; "" when it has no such note.
func Release(r io.ReaderAt) string {
	f, err := open(r)
	if err != nil {
		return ""
	}
	section := f.Section(".note.vkloader")
	if section == nil {
		return ""
	}
	data, err := contents(section)
	if err != nil || len(data) < 12 {
		return ""
	}
	owner, text := f.ByteOrder.Uint32(data), f.ByteOrder.Uint32(data[4:])
	at := 12 + (uint64(owner)+3)&^3
	if at+uint64(text) > uint64(len(data)) {
		return ""
	}
	return strings.TrimRight(string(data[at:at+uint64(text)]), "\x00")
}
