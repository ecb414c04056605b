package main

import (
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"fmt"
)

const (
	page          = 4096     // bytes for each hash
	headerSize    = 32       // mach_header_64
	commandSize   = 16       // linkedit_data_command
	codeSignature = 0x1d     // LC_CODE_SIGNATURE
	blobSize      = 20       // the index of the signature, with one entry
	directorySize = 88       // CodeDirectory of version 0x20400
	linkerSigned  = 0x2_0002 // CS_ADHOC and CS_LINKER_SIGNED: codesign and install_name_tool may replace the signature
)

// sign returns a file with an ad-hoc signature, in the format of xnu's cs_blobs.h: a load command, and at the end of
// the file an index with one code directory, which has a SHA-256 of each page. A file that has a signature is returned
// unchanged.
func sign(content []byte, f *macho.File, identifier string) ([]byte, error) {
	le, end := binary.LittleEndian, headerSize
	var links int // where the command of the last segment is
	for _, l := range f.Loads {
		raw := l.Raw()
		if le.Uint32(raw) == codeSignature {
			return content, nil
		}
		if segment, ok := l.(*macho.Segment); ok && segment.Name == "__LINKEDIT" {
			links = end
		}
		end += len(raw)
	}
	text, last := f.Segment("__TEXT"), f.Segment("__LINKEDIT")
	if text == nil || last == nil || last.Offset+last.Filesz != uint64(len(content)) {
		return nil, fmt.Errorf("__LINKEDIT is not the end of the file")
	}
	for _, s := range f.Sections {
		if s.Offset != 0 && int(s.Offset) < end+commandSize {
			return nil, fmt.Errorf("no room for the signature's load command")
		}
	}
	content = append([]byte{}, content...)
	content = append(content, make([]byte, -len(content)&15)...)
	limit := len(content)
	pages := (limit + page - 1) / page
	hashes := directorySize + len(identifier) + 1
	size := blobSize + hashes + pages*sha256.Size
	le.PutUint32(content[16:], le.Uint32(content[16:])+1)
	le.PutUint32(content[20:], le.Uint32(content[20:])+commandSize)
	for i, n := range []int{codeSignature, commandSize, limit, size} {
		le.PutUint32(content[end+4*i:], uint32(n))
	}
	linked := uint64(limit+size) - last.Offset
	le.PutUint64(content[links+32:], (linked+1<<align-1)&^(1<<align-1)) // its size in memory
	le.PutUint64(content[links+48:], linked)

	var out []byte
	words := func(list ...int) {
		for _, n := range list {
			out = binary.BigEndian.AppendUint32(out, uint32(n))
		}
	}
	words(0xfade0cc0, size, 1, 0, blobSize)
	words(0xfade0c02, size-blobSize, 0x20400, linkerSigned, hashes, directorySize, 0, pages, limit, sha256.Size<<24|
		2<<16|12)
	words(0, 0, 0, 0, 0, 0) // no scattered pages, no team, files below 4 GB
	kind := uint64(0)
	if f.Type == macho.TypeExec {
		kind = 1 // CS_EXECSEG_MAIN_BINARY
	}
	for _, n := range []uint64{text.Offset, text.Filesz, kind} {
		out = binary.BigEndian.AppendUint64(out, n)
	}
	out = append(append(out, identifier...), 0)
	for at := 0; at < limit; at += page {
		hash := sha256.Sum256(content[at:min(at+page, limit)])
		out = append(out, hash[:]...)
	}
	return append(content, out...), nil
}
