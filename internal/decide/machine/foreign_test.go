package machine

import (
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"vkloader/internal/core/facts"
)

// Libraries of both word sizes of a machine are foreign to each other and to other machines.
func TestWrongMachine(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the table below is that of x86-64")
	}
	root := t.TempDir()
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ofELF := func(class elf.Class, data elf.Data, machine elf.Machine) []byte {
		head := make([]byte, 64)
		copy(head, elf.ELFMAG)
		head[elf.EI_CLASS], head[elf.EI_DATA] = byte(class), byte(data)
		binary.LittleEndian.PutUint16(head[18:], uint16(machine))
		return head
	}
	ofPE := func(machine uint16, at uint32) []byte {
		head := make([]byte, 8192)
		copy(head, "MZ")
		binary.LittleEndian.PutUint32(head[60:], at)
		copy(head[min(at, 8000):], "PE\x00\x00")
		binary.LittleEndian.PutUint16(head[min(at, 8000)+4:], machine)
		return head
	}
	for _, c := range []struct {
		name                       string
		content                    []byte
		wide, narrow               bool // foreign to a 64-bit program, and to a 32-bit program
		windowsWide, windowsNarrow bool
	}{
		{"x86-64.so", ofELF(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_X86_64), false, true, false, false},
		{"i386.so", ofELF(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.EM_386), true, false, false, false},
		{"x32.so", ofELF(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.EM_X86_64), true, true, false, false},
		{"arm64.so", ofELF(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_AARCH64), true, true, false, false},
		{"big.so", ofELF(elf.ELFCLASS64, elf.ELFDATA2MSB, elf.EM_X86_64), true, true, false, false},
		{"no-class.so", ofELF(elf.ELFCLASSNONE, elf.ELFDATA2LSB, elf.EM_386), true, true, false, false},
		{"x64.dll", ofPE(pe.IMAGE_FILE_MACHINE_AMD64, 128), false, false, false, true},
		{"x86.dll", ofPE(pe.IMAGE_FILE_MACHINE_I386, 128), false, false, true, false},
		{"arm64.dll", ofPE(pe.IMAGE_FILE_MACHINE_ARM64, 128), false, false, true, true},
		{"end.dll", ofPE(pe.IMAGE_FILE_MACHINE_ARM64, 4090), false, false, true, true},
		{"behind.dll", ofPE(pe.IMAGE_FILE_MACHINE_ARM64, 4091), false, false, false, false},
		{"nowhere.dll", ofPE(pe.IMAGE_FILE_MACHINE_ARM64, 0xffffffff), false, false, false, false},
	} {
		write(c.name, c.content)
		own := func(class int) bool {
			var source facts.Provider = &Source{Machine: Machine{Root: root}, Class: class}
			return source.WrongMachine("/" + c.name)
		}
		windows := func(class int) bool {
			return (&Source{Machine: Machine{Root: root}}).WrongWindowsMachine("/"+c.name, class)
		}
		if runtime.GOOS != "windows" && (own(64) != c.wide || own(0) != c.wide || own(32) != c.narrow) {
			t.Errorf("%s: foreign to 64 bits %v, to 32 bits %v", c.name, own(64), own(32))
		}
		if windows(64) != c.windowsWide || windows(32) != c.windowsNarrow {
			t.Errorf("%s: foreign to Windows of 64 bits %v, of 32 bits %v", c.name, windows(64), windows(32))
		}
	}
}
