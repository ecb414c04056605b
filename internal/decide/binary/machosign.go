package binary

import (
	"bytes"
	"encoding/binary"
	"io"
	"path"
	"strings"

	"vkloader/internal/decide/machine"
)

// Signature holds the rules for variables and libraries in the code signature of a part of a Mach-O file.
type Signature struct {
	// the hardened runtime: macOS removes variables of dyld, and loads only libraries of the program's team
	Hardened  bool
	Variables bool // an entitlement keeps variables of dyld

	at, size uint32 // in the part
}

// Numbers of a code signature, from kern/cs_blobs.h of the kernel's published sources. They are big-endian.
const (
	signatureMagic    = 0xfade0cc0
	directoryMagic    = 0xfade0c02
	entitlementsMagic = 0xfade7171
	hardenedFlag      = 0x10000
)

// maxSignature is the number of bytes that are read of a signature.
const maxSignature = 4 << 20

// read reads the signature of a part.
func (s *Signature) read(part io.ReaderAt) {
	if s.size < 12 || s.size > maxSignature {
		return
	}
	blob := make([]byte, s.size)
	if _, err := part.ReadAt(blob, int64(s.at)); err != nil {
		return
	}
	s.parse(blob)
}

// parse reads the blobs of a signature.
func (s *Signature) parse(blob []byte) {
	number := func(at int) uint32 {
		if at < 0 || at+4 > len(blob) {
			return 0
		}
		return binary.BigEndian.Uint32(blob[at:])
	}
	if number(0) != signatureMagic {
		return
	}
	for i := range min(int(number(8)), 64) {
		at := int(number(12 + 8*i + 4))
		switch number(at) {
		case directoryMagic:
			s.Hardened = s.Hardened || number(at+12)&hardenedFlag != 0
		case entitlementsMagic:
			end := at + int(number(at+4))
			if end <= len(blob) && at+8 <= end {
				s.Variables = hasEntitlement(blob[at+8:end], "com.apple.security.cs.allow-dyld-environment-variables")
			}
		}
	}
}

// hasEntitlement reports whether a property list sets an entitlement.
func hasEntitlement(list []byte, name string) bool {
	_, rest, found := bytes.Cut(list, []byte("<key>"+name+"</key>"))
	return found && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("<true/>"))
}

// ofSystem are directories whose programs System Integrity Protection guards.
var ofSystem = []string{"/System/", "/usr/bin/", "/usr/sbin/", "/usr/libexec/", "/bin/", "/sbin/"}

// Protected returns why macOS removes dyld's variables from a program, as the end of a sentence about it; "": it keeps
// them, or that is unknown.
func Protected(m *machine.Machine, program string) string {
	if file, err := m.Open(program); err == nil {
		words := scriptWords(file)
		file.Close()
		if len(words) > 0 && path.IsAbs(words[0]) {
			if why := protection(m, words[0]); why != "" {
				return "is a script for " + words[0] + ", which " + why
			}
			return ""
		}
	}
	return protection(m, program)
}

// protection is Protected for a program that is no script.
func protection(m *machine.Machine, program string) string {
	for _, directory := range ofSystem {
		if strings.HasPrefix(path.Clean(program), directory) {
			return "belongs to macOS"
		}
	}
	file, err := m.Open(program)
	if err != nil {
		return ""
	}
	defer file.Close()
	read, err := ReadMachO(file)
	if err != nil {
		return ""
	}
	for _, p := range read.Parts {
		if p.Hardened && !p.Variables {
			return "has the hardened runtime"
		}
	}
	return ""
}
