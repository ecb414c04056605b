package binary

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/binary"
)

func elfBytes(t testing.TB, words string) []byte {
	t.Helper()
	l, err := binary.Parse(strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	return l.Bytes()
}

const sample = "soname=libx.so.1 needed=libc.so.6,libm.so.6 runpath=/a:$ORIGIN/b defines=X_1,X_1.2 exports=vk_icdA,vkB " +
	"imports=memcpy@GLIBC_2.14@libc.so.6,exp@GLIBC_2.29@libm.so.6,plain"

// Files of both word sizes give the same result.
func TestReadELF(t *testing.T) {
	t.Parallel()
	for words, class := range map[string]int{"": 64, "class=32 machine=i386 ": 32, "machine=aarch64 ": 64} {
		l, err := ReadELF(bytes.NewReader(elfBytes(t, words+sample)))
		if err != nil {
			t.Fatal(err)
		}
		want := ELF{Class: class, Machine: l.Machine, Soname: "libx.so.1",
			Needed: []string{"libc.so.6", "libm.so.6"}, RunPath: []string{"/a", "$ORIGIN/b"}, Defines: []string{"X_1", "X_1.2"},
			Requires: []SymbolVersion{{"libc.so.6", "GLIBC_2.14", false}, {"libm.so.6", "GLIBC_2.29", false}}}
		if !reflect.DeepEqual(*l, want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", words, *l, want)
		}
		s, err := ReadSymbols(bytes.NewReader(elfBytes(t, words+sample)))
		if err != nil || !s.Exports("vk_icdA") || !s.Exports("vkB") || s.Exports("plain") || s.Exports("memcpy") ||
			!reflect.DeepEqual(s.Undefined(), []string{"plain"}) {
			t.Errorf("%s: %+v, %v", words, s, err)
		}
	}
}

func TestNotELF(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "#!", strings.Repeat("this is no library\n", 64)} {
		if _, err := ReadELF(strings.NewReader(text)); !errors.Is(err, ErrNotELF) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	whole := elfBytes(t, sample)
	if _, err := ReadELF(bytes.NewReader(whole[:len(whole)/2])); err == nil || errors.Is(err, ErrNotELF) {
		t.Errorf("half a library: %v", err)
	}
}

func FuzzReadELF(f *testing.F) {
	f.Add(elfBytes(f, sample))
	f.Add(elfBytes(f, "class=32 machine=i386 "+sample))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := ReadELF(bytes.NewReader(data)); err == nil && l.Class != 32 && l.Class != 64 {
			t.Errorf("class %d", l.Class)
		}
		if s, err := ReadSymbols(bytes.NewReader(data)); err == nil && len(s.Undefined()) > len(data) {
			t.Error("more symbols than bytes")
		} else if err == nil {
			s.Exports("vkCreateInstance")
		}
	})
}

// For real libraries, the result equals that of the standard library: the defined symbols and the undefined ones. Names that
// differ slightly from a symbol are not found.
func TestSymbolsOfRealLibraries(t *testing.T) {
	t.Parallel()
	tables, names := 0, 0
	for _, pattern := range []string{"/lib/x86_64-linux-gnu/lib[cmz]*.so.*", "/usr/lib/i386-linux-gnu/lib*.so.*", "../../../build/lib*.so.1"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files[:min(len(files), 25)] {
			f, err := elf.Open(path)
			if err != nil {
				continue
			}
			list, err := f.DynamicSymbols()
			f.Close()
			if err != nil {
				continue
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := ReadSymbols(file)
			file.Close()
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			tables++
			defined, wanted := map[string]bool{}, []string(nil)
			for _, one := range list {
				switch bind := elf.ST_BIND(one.Info); {
				case one.Name == "":
				case one.Section != elf.SHN_UNDEF:
					defined[one.Name] = defined[one.Name] || bind != elf.STB_LOCAL
				case bind == elf.STB_GLOBAL && one.VersionIndex.Index() <= 1:
					wanted = append(wanted, one.Name)
				}
			}
			for _, one := range list {
				names++
				for _, name := range []string{one.Name, one.Name + "_"} {
					if got := s.Exports(name); got != defined[name] {
						t.Fatalf("%s: %s is exported: %t", path, name, got)
					}
				}
			}
			if got := s.Undefined(); !slices.Equal(got, wanted) {
				t.Errorf("%s wants\n%s\nthe standard library reads\n%s", path, got, wanted)
			}
		}
	}
	if tables < 5 || names < 1000 {
		t.Errorf("only %d tables with %d names", tables, names)
	}
}
