package binary

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
)

// peResourcesMost bounds the resources that are read for a version.
const peResourcesMost = 1 << 20

// fixedMark begins the fixed part of a version resource.
const fixedMark = 0xfeef04bd

// readVersion takes the version that the file's resources give it, such as 1.4.363.0, and what they name.
func (l *PE) readVersion(f *pe.File, where pe.DataDirectory) {
	all := peAt(f, where.VirtualAddress, int(min(where.Size, peResourcesMost)))
	at := bytes.Index(all, wideText("VS_VERSION_INFO"))
	if at < 0 {
		return
	}
	all = all[at:]
	mark := bytes.Index(all, binary.LittleEndian.AppendUint32(nil, fixedMark))
	if mark < 0 || len(all) < mark+16 {
		return
	}
	high, low := binary.LittleEndian.Uint32(all[mark+8:]), binary.LittleEndian.Uint32(all[mark+12:])
	l.Version = fmt.Sprintf("%d.%d.%d.%d", high>>16, high&0xffff, low>>16, low&0xffff)
	l.Company, l.Product, l.Release = resourceText(all, "CompanyName"), resourceText(all, "ProductName"), resourceText(all, "ProductVersion")
}

// wideText is a text of UTF-16 with the NUL that ends it.
func wideText(text string) (out []byte) {
	for _, unit := range append(utf16.Encode([]rune(text)), 0) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// resourceText is a text of a version resource by its name: it follows the name, after padding.
func resourceText(all []byte, name string) string {
	at := bytes.Index(all, wideText(name))
	if at < 0 {
		return ""
	}
	var units []uint16
	for rest := all[at+2*len(name)+2:]; len(rest) >= 2 && len(units) < peNameMost; rest = rest[2:] {
		switch unit := binary.LittleEndian.Uint16(rest); {
		case unit == 0 && len(units) > 0:
			return string(utf16.Decode(units))
		case unit != 0:
			units = append(units, unit)
		}
	}
	return ""
}
