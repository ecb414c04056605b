package binary

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"slices"
)

// MachO describes a part of a file for macOS.
type MachO struct {
	Machine      string // x86-64, arm64 or i386
	Program      bool   // a program; false: a library
	Exports      []string
	NoSymbols    bool   // without a symbol table
	Hardened     bool   // signed with the flag of the hardened runtime
	Entitlements string // a property list in its signature; "": none
}

// Mach returns a Mach-O file with one part, or a universal file with several.
func Mach(parts ...MachO) []byte {
	if len(parts) == 1 {
		return parts[0].bytes()
	}
	const align = 4096
	var head, body bytes.Buffer
	put(&head, binary.BigEndian, uint32(macho.MagicFat), uint32(len(parts)))
	for _, p := range parts {
		data := p.bytes()
		data = append(data, make([]byte, -len(data)&(align-1))...)
		put(&head, binary.BigEndian, uint32(p.cpu()), uint32(0), uint32(align+body.Len()), uint32(len(data)), uint32(12))
		body.Write(data)
	}
	return slices.Concat(head.Bytes(), make([]byte, align-head.Len()), body.Bytes())
}

func put(to *bytes.Buffer, order binary.ByteOrder, values ...any) {
	for _, v := range values {
		_ = binary.Write(to, order, v) // a buffer never fails for values of a fixed size
	}
}

func (p *MachO) cpu() macho.Cpu {
	return map[string]macho.Cpu{"x86-64": macho.CpuAmd64, "arm64": macho.CpuArm64, "i386": macho.Cpu386}[p.Machine]
}

// bytes returns the part: its header, the load commands of symbols and signature, then the symbols and the signature.
func (p *MachO) bytes() []byte {
	little := binary.LittleEndian
	head := macho.FileHeader{Magic: macho.Magic64, Cpu: p.cpu(), Type: macho.TypeDylib}
	size := 32
	if p.Machine == "i386" {
		head.Magic, size = macho.Magic32, 28
	}
	if p.Program {
		head.Type = macho.TypeExec
	}
	signature := p.signature()
	if !p.NoSymbols {
		head.Ncmd, head.Cmdsz = 1, 24
	}
	if signature != nil {
		head.Ncmd, head.Cmdsz = head.Ncmd+1, head.Cmdsz+16
	}
	var symbols, names bytes.Buffer
	names.WriteByte(0)
	for _, name := range p.Exports {
		if size == 28 {
			put(&symbols, little, uint32(names.Len()), uint8(0x0f), uint8(1), uint16(0), uint32(0))
		} else {
			put(&symbols, little, uint32(names.Len()), uint8(0x0f), uint8(1), uint16(0), uint64(0))
		}
		names.WriteString("_" + name + "\x00")
	}
	var out bytes.Buffer
	put(&out, little, head)
	out.Write(make([]byte, size-out.Len()))
	at := size + int(head.Cmdsz)
	if !p.NoSymbols {
		put(&out, little, uint32(2), uint32(24), uint32(at), uint32(len(p.Exports)), uint32(at+symbols.Len()), uint32(names.Len()))
	}
	if signature != nil {
		put(&out, little, uint32(0x1d), uint32(16), uint32(at+symbols.Len()+names.Len()), uint32(len(signature)))
	}
	return slices.Concat(out.Bytes(), symbols.Bytes(), names.Bytes(), signature)
}

// signature returns the blobs of a code signature; nil for a part without one.
func (p *MachO) signature() []byte {
	if !p.Hardened && p.Entitlements == "" {
		return nil
	}
	var out bytes.Buffer
	flags := uint32(2) // of an ad-hoc signature
	if p.Hardened {
		flags |= 0x10000
	}
	list := []byte(p.Entitlements)
	put(&out, binary.BigEndian, uint32(0xfade0cc0), uint32(28+16+8+len(list)), uint32(2), uint32(0), uint32(28), uint32(5), uint32(44))
	put(&out, binary.BigEndian, uint32(0xfade0c02), uint32(16), uint32(0x20400), flags)
	put(&out, binary.BigEndian, uint32(0xfade7171), uint32(8+len(list)))
	out.Write(list)
	return out.Bytes()
}
