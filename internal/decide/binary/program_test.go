package binary

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"vkloader/internal/decide/machine"
)

func header(class byte, processor uint16) []byte {
	h := make([]byte, 64)
	copy(h, "\x7fELF")
	h[4], h[5], h[6] = class, 1, 1
	binary.LittleEndian.PutUint16(h[16:], 2)
	binary.LittleEndian.PutUint16(h[18:], processor)
	binary.LittleEndian.PutUint32(h[20:], 1)
	if class == 1 {
		binary.LittleEndian.PutUint16(h[40:], 52)
		return h[:52]
	}
	binary.LittleEndian.PutUint16(h[52:], 64)
	return h
}

// windowsHeader is the beginning of a program for Windows.
func windowsHeader(processor uint16) []byte {
	h := make([]byte, 0x200)
	copy(h, "MZ")
	binary.LittleEndian.PutUint32(h[0x3c:], 0x80)
	copy(h[0x80:], "PE\x00\x00")
	binary.LittleEndian.PutUint16(h[0x84:], processor)
	return h
}

// A program's word size is that of its file, of the program for Windows that it is, or of the prefix that Wine gets.
func TestOf(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, data := range map[string][]byte{
		"game32": header(1, 3), "game64": header(2, 62), "script": []byte("#!/bin/sh\n"), "old.exe": windowsHeader(0x14c),
		"new.exe": windowsHeader(0x8664), "wine": header(2, 62),
		"home/.wine/system.reg": []byte("WINE REGISTRY Version 2\n\n#arch=win64\n"),
		".wine/system.reg":      []byte("WINE REGISTRY Version 2\n\n#arch=win32\n"),
		"games/system.reg":      []byte("WINE REGISTRY Version 2\n\n#arch=win32\n"),
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := "HOME=/home"
	for _, c := range []struct {
		name    string
		environ []string
		want    Program
	}{
		{"/game32", nil, Program{32, "a 32-bit program"}}, {"/game64", nil, Program{64, "a 64-bit program"}},
		{"/script", nil, Program{}}, {"/none", nil, Program{}},
		{"/old.exe", nil, Program{32, "a 32-bit program for Windows"}}, {"/new.exe", nil, Program{64, "a 64-bit program for Windows"}},
		{"/wine", []string{home}, Program{64, "Wine with a 64-bit prefix (/home/.wine)"}},
		{"/wine", []string{home, "WINEPREFIX=/games"}, Program{32, "Wine with a 32-bit prefix (/games)"}},
		{"/wine", []string{"WINEPREFIX=/none"}, Program{64, "a 64-bit Wine"}}, {"/wine", []string{"HOME="}, Program{64, "a 64-bit Wine"}},
		{"/wine", nil, Program{64, "a 64-bit Wine"}}, {"/wine", []string{home, "WINEPREFIX=.wine"}, Program{64, "a 64-bit Wine"}},
	} {
		m := &machine.Machine{Root: root, Environ: c.environ}
		if got := ProgramOf(m, c.name); got != c.want {
			t.Errorf("%s with %v: %+v, want %+v", c.name, c.environ, got, c.want)
		}
	}
}
