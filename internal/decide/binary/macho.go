package binary

import (
	"debug/macho"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MachO is a program or library of macOS: one part for each processor.
type MachO struct{ Parts []MachOPart }

// MachOPart is the part of a Mach-O file for one processor.
type MachOPart struct {
	Machine string // x86-64, arm64, or the name of another processor
	Class   int    // 32 or 64
	Library bool   // it can be loaded into a program
	Version string // the library's current version; "": it has none
	Release string // vkloader's release, if the file is its library; "": another maker's
	Signature
	exports []string
	symbols bool // the names of the exports are known
}

// Processors of macOS.
const (
	X86 = "x86-64"
	ARM = "arm64"
)

// ErrNotMachO is the error of a file that is not for macOS.
var ErrNotMachO = errors.New("not a Mach-O file")

// ReadMachO reads the headers and the symbols of a Mach-O file.
func ReadMachO(r io.ReaderAt) (*MachO, error) {
	if fat, err := macho.NewFatFile(r); err == nil {
		m := &MachO{}
		for _, a := range fat.Arches {
			p := machOPart(a.File)
			p.Signature.read(io.NewSectionReader(r, int64(a.Offset), int64(a.Size)))
			m.Parts = append(m.Parts, p)
		}
		return m, nil
	}
	f, err := macho.NewFile(r)
	if err != nil {
		return nil, ErrNotMachO
	}
	p := machOPart(f)
	p.Signature.read(r)
	return &MachO{Parts: []MachOPart{p}}, nil
}

// machOPart describes one part.
func machOPart(f *macho.File) MachOPart {
	p := MachOPart{Machine: machOMachine(f.Cpu), Class: 64, Library: f.Type == macho.TypeDylib ||
		f.Type == macho.TypeBundle}
	if f.Magic == macho.Magic32 {
		p.Class = 32
	}
	for _, l := range f.Loads {
		p.load(f, l.Raw())
	}
	if section := f.Section("__vkloader"); section != nil && section.Size < 64 {
		text, _ := section.Data()
		p.Release = strings.TrimRight(string(text), "\x00")
	}
	if f.Symtab == nil {
		return p
	}
	const external, kind = 0x01, 0x0e // N_EXT and N_TYPE of mach-o/nlist.h
	p.symbols = true
	for _, s := range f.Symtab.Syms {
		if name, is := strings.CutPrefix(s.Name, "_"); is && s.Type&external != 0 && s.Type&kind != 0 {
			p.exports = append(p.exports, name)
		}
	}
	slices.Sort(p.exports)
	return p
}

// Load commands of mach-o/loader.h.
const (
	idDylib       = 0x0d
	codeSignature = 0x1d
)

// load reads a load command that package macho does not.
func (p *MachOPart) load(f *macho.File, raw []byte) {
	if len(raw) < 8 {
		return
	}
	switch f.ByteOrder.Uint32(raw) {
	case idDylib:
		if len(raw) >= 24 {
			v := f.ByteOrder.Uint32(raw[16:])
			p.Version = fmt.Sprintf("%d.%d.%d", v>>16, v>>8&0xff, v&0xff)
		}
	case codeSignature:
		if len(raw) >= 16 {
			p.at, p.size = f.ByteOrder.Uint32(raw[8:]), f.ByteOrder.Uint32(raw[12:])
		}
	}
}

// machOMachine names a processor.
func machOMachine(cpu macho.Cpu) string {
	switch cpu {
	case macho.CpuAmd64:
		return X86
	case macho.CpuArm64:
		return ARM
	case macho.Cpu386:
		return "i386"
	}
	return strings.ToLower(strings.TrimPrefix(cpu.String(), "Cpu"))
}

// Machines returns the names of the processors, in the order of the parts.
func (m *MachO) Machines() (list []string) {
	for i := range m.Parts {
		list = append(list, m.Parts[i].Machine)
	}
	return list
}

// Exports reports whether any part exports a function.
func (m *MachO) Exports(name string) bool {
	return slices.ContainsFunc(m.Parts, func(p MachOPart) bool {
		_, found := slices.BinarySearch(p.exports, name)
		return found
	})
}

// Symbols reports whether the names of the exports of every part are known.
func (m *MachO) Symbols() bool {
	return !slices.ContainsFunc(m.Parts, func(p MachOPart) bool { return !p.symbols })
}
