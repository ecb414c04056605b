package binary

import (
	"bytes"
	"cmp"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// PE is the content of a Windows library's or program's headers.
type PE struct {
	Class   int    // 32 or 64
	Machine string // x86-64, x86, ARM64, ARM, or a number
	Needs   []string
	Version string // the version in its resources, such as 1.4.363.0; "": none
	Company string // the company in its resources; "": none
	Product string // the product in its resources; "": none
	Release string // the product's version in its resources; "": none
	Signer  string // the name in the certificate of its signature, which is not verified; "": it is not signed
	Changed bool   // the file differs from the signed one
	exports []string
}

// Bounds of a damaged or hostile file.
const (
	peExportsMost = 1 << 16
	peNameMost    = 512
	peNeedsMost   = 4096
)

// errNoPEHeader is the error of an object file, which has no optional header.
var errNoPEHeader = errors.New("neither a program nor a library")

// ReadPE reads a PE file. The error says why the file is no PE file, or how it is damaged.
func ReadPE(r io.ReaderAt) (l *PE, err error) {
	f, err := pe.NewFile(r)
	if err != nil {
		return nil, err
	}
	usual := map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "x86-64", pe.IMAGE_FILE_MACHINE_I386: "x86",
		pe.IMAGE_FILE_MACHINE_ARM64: "ARM64", pe.IMAGE_FILE_MACHINE_ARMNT: "ARM"}
	l = &PE{Machine: cmp.Or(usual[f.Machine], fmt.Sprintf("machine %#x", f.Machine))}
	var directories []pe.DataDirectory
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader64:
		l.Class, directories = 64, h.DataDirectory[:]
	case *pe.OptionalHeader32:
		l.Class, directories = 32, h.DataDirectory[:]
	default:
		return nil, errNoPEHeader
	}
	l.Needs = peNeeds(f)
	l.exports = peExports(f, directories[pe.IMAGE_DIRECTORY_ENTRY_EXPORT])
	if resources := directories[pe.IMAGE_DIRECTORY_ENTRY_RESOURCE]; resources.VirtualAddress != 0 {
		l.readVersion(f, resources)
	}
	l.Signer, l.Changed = peSigner(r, directories[pe.IMAGE_DIRECTORY_ENTRY_SECURITY], l.Class)
	return l, nil
}

// Exports reports whether a function is exported by its name.
func (l *PE) Exports(name string) bool { return slices.Contains(l.exports, name) }

// Imports returns the libraries in the import table of a PE file; none for another file.
func Imports(r io.ReaderAt) []string {
	f, err := pe.NewFile(r)
	if err != nil {
		return nil
	}
	return peNeeds(f)
}

// peNeeds returns the libraries in the import table; none if the table is damaged, where the standard library's reader
// may panic.
func peNeeds(f *pe.File) (list []string) {
	defer func() {
		if recover() != nil {
			list = nil
		}
	}()
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return nil
	}
	for _, s := range symbols {
		at := strings.LastIndexByte(s, ':') // SYMBOL:LIBRARY
		if name := s[at+1:]; at >= 0 && !slices.Contains(list, name) && len(list) < peNeedsMost {
			list = append(list, name)
		}
	}
	return list
}

// peAt returns the bytes of a section from a relative address; nil if no section has the address.
func peAt(f *pe.File, address uint32, size int) []byte {
	for _, s := range f.Sections {
		if address < s.VirtualAddress || address-s.VirtualAddress >= s.Size {
			continue
		}
		data := make([]byte, min(size, int(s.Size-(address-s.VirtualAddress))))
		if n, err := s.ReadAt(data, int64(address-s.VirtualAddress)); err != nil && n < len(data) {
			data = data[:n]
		}
		return data
	}
	return nil
}

// peExports returns the names in the export table.
func peExports(f *pe.File, where pe.DataDirectory) (names []string) {
	table := peAt(f, where.VirtualAddress, 40)
	if where.VirtualAddress == 0 || len(table) < 40 {
		return nil
	}
	count := int(min(binary.LittleEndian.Uint32(table[24:]), peExportsMost))
	list := peAt(f, binary.LittleEndian.Uint32(table[32:]), 4*count)
	for ; len(list) >= 4; list = list[4:] {
		text := peAt(f, binary.LittleEndian.Uint32(list), peNameMost)
		if end := slices.Index(text, 0); end > 0 {
			names = append(names, string(text[:end]))
		}
	}
	return names
}

// peResourcesMost bounds the resources that are read for a version.
const peResourcesMost = 1 << 20

// fixedMark begins the fixed part of a version resource.
const fixedMark = 0xfeef04bd

// readVersion reads the version in the file's resources, such as 1.4.363.0, and the names beside it.
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
	l.Company, l.Product, l.Release = resourceText(all, "CompanyName"), resourceText(all, "ProductName"),
		resourceText(all, "ProductVersion")
}

// wideText returns a text as UTF-16 with a final NUL.
func wideText(text string) []byte {
	out, _ := binary.Append(nil, binary.LittleEndian, append(utf16.Encode([]rune(text)), 0)) // numbers have a size
	return out
}

// resourceText returns a text of a version resource by its name. The text follows the name, after padding.
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
