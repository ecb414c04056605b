package main

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"strings"
)

// machineCode returns a hash of the parts of an object or a library that have an effect at run time: the loaded
// sections, their relocations, and the names in these. Debug information and build ids are not included. Two files
// with the same hash behave the same.
func machineCode(path string) ([]byte, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	hash := sha256.New()
	symbols, err := file.Symbols()
	if err != nil && file.Type == elf.ET_REL {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, section := range file.Sections {
		relocations := section.Type == elf.SHT_RELA && int(section.Info) < len(file.Sections) &&
			file.Sections[section.Info].Flags&elf.SHF_ALLOC != 0
		if section.Type == elf.SHT_NOTE || section.Flags&elf.SHF_ALLOC == 0 && !relocations {
			continue
		}
		fmt.Fprintf(hash, "%s %d %d\n", section.Name, section.Type, section.Size)
		if section.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := section.Data()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, section.Name, err)
		}
		if file.Type != elf.ET_REL || !relocations {
			hash.Write(data)
			continue
		}
		for at := 0; at+24 <= len(data); at += 24 { // symbols by name: debug information may move their numbers
			info := file.ByteOrder.Uint64(data[at+8:])
			name := ""
			if n := info >> 32; n > 0 && int(n) <= len(symbols) {
				s := symbols[n-1]
				name = s.Name
				if elf.ST_TYPE(s.Info) == elf.STT_SECTION && int(s.Section) < len(file.Sections) {
					name = "section " + file.Sections[s.Section].Name
				}
				if s.Section < elf.SHN_LORESERVE { // of this file
					name = fmt.Sprintf("%s %d", name, s.Value)
				}
			}
			fmt.Fprintf(hash, "%x %d %s %x\n", data[at:at+8], uint32(info), name, data[at+16:at+24])
		}
	}
	return hash.Sum(nil), nil
}

// sameCode reports whether two builds of the same file have the same machine code.
func sameCode(a, b string) (bool, error) {
	one, err := machineCode(a)
	if err != nil {
		return false, err
	}
	other, err := machineCode(b)
	if err != nil {
		return false, err
	}
	return bytes.Equal(one, other), nil
}

// within reports whether a line of C lies in a function; from and to are its first and last line, from 1. It relies on the
// style of the spine: functions begin and end in the first column.
func within(lines []string, line int) (from, to int, ok bool) {
	starts := func(s string) bool {
		return s != "" && !strings.ContainsAny(s[:1], " \t{}#/*") && !strings.HasSuffix(s, ":")
	}
	text := func(n int) string { return strings.TrimSuffix(lines[n-1], "\n") }
	if line < 1 || line > len(lines) {
		return 0, 0, false
	}
	if s := text(line); starts(s) && strings.HasSuffix(s, "}") && strings.Contains(s, ") {") {
		return line, line, true
	}
	for from = line; from > 1 && !starts(text(from)); from-- {
		if from < line && strings.HasPrefix(text(from), "}") {
			return 0, 0, false
		}
	}
	head := from
	for head < len(lines) && !strings.HasSuffix(text(head), "{") && !strings.HasSuffix(text(head), ";") {
		head++
	}
	if !strings.HasSuffix(text(head), ") {") && (text(head) != "{" || head == from) {
		return 0, 0, false
	}
	for to = head; to <= len(lines) && text(to) != "}"; to++ {
	}
	return from, to, to <= len(lines) && line <= to
}
