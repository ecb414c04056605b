package binary

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vkloader/test/binary"
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

// Both classes say the same.
func TestReadELF(t *testing.T) {
	t.Parallel()
	for words, class := range map[string]int{"": 64, "class=32 machine=i386 ": 32, "machine=aarch64 ": 64} {
		l, err := ReadELF(bytes.NewReader(elfBytes(t, words+sample)))
		if err != nil {
			t.Fatal(err)
		}
		want := ELF{Class: class, Machine: l.Machine, Type: l.Type, Soname: "libx.so.1",
			Needed: []string{"libc.so.6", "libm.so.6"}, RunPath: []string{"/a", "$ORIGIN/b"}, Defines: []string{"X_1", "X_1.2"},
			Requires: []Requirement{{"libc.so.6", "GLIBC_2.14", false}, {"libm.so.6", "GLIBC_2.29", false}}}
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

// The hash table of a library and the list of its symbols say the same: of names that it defines, that it wants, and
// that are near.
func TestHashedSymbols(t *testing.T) {
	t.Parallel()
	tables, names := 0, 0
	for _, pattern := range []string{"/lib/x86_64-linux-gnu/lib[cmz]*.so.*", "/usr/lib/i386-linux-gnu/lib*.so.*", "../../../build/lib*.so.1"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files[:min(len(files), 25)] {
			f, err := os.Open(path)
			if err != nil {
				continue
			}
			s, err := ReadSymbols(f)
			f.Close()
			if err != nil || s.hash == nil {
				continue
			}
			tables++
			listed := *s
			listed.hash = nil
			for i := 0; ; i++ {
				one, ok := s.symbol(i)
				if !ok {
					break
				}
				names++
				for _, name := range []string{string(one.name), string(one.name) + "_"} {
					if got, want := s.Exports(name), listed.Exports(name); got != want {
						t.Fatalf("%s: %s by its hash %t, in the list %t", path, name, got, want)
					}
				}
			}
		}
	}
	if tables < 5 || names < 1000 {
		t.Errorf("only %d tables with %d names", tables, names)
	}
}
