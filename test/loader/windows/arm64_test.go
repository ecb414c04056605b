package windows

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// imports returns the functions that a DLL imports from the system, without those of the C library, which differs on ARM: "name:library"
// in lower case.
func imports(t *testing.T, file *pe.File) (list []string) {
	t.Helper()
	all, err := file.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one = strings.ToLower(one); !strings.HasSuffix(one, ":msvcrt.dll") && !strings.Contains(one, ":api-ms-win-crt-") {
			list = append(list, one)
		}
	}
	slices.Sort(list)
	return list
}

// exported returns the names in a DLL's export table.
func exported(t *testing.T, file *pe.File) (list []string) {
	t.Helper()
	header := file.OptionalHeader.(*pe.OptionalHeader64)
	at := func(address uint32) []byte {
		for _, s := range file.Sections {
			if data, err := s.Data(); err == nil && address >= s.VirtualAddress && int(address-s.VirtualAddress) < len(data) {
				return data[address-s.VirtualAddress:]
			}
		}
		t.Fatalf("no section has %#x", address)
		return nil
	}
	table := at(header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress)
	names := at(table32(table, 32))
	for i := range table32(table, 24) {
		name, _, _ := bytes.Cut(at(table32(names, int(4*i))), []byte{0})
		list = append(list, string(name))
	}
	slices.Sort(list)
	return list
}

func table32(table []byte, at int) uint32 { return binary.LittleEndian.Uint32(table[at:]) }

// The DLL for Windows on Arm, which no test runs, exports the same functions as that for x64, and imports the same
// from the system.
//
// holds: WIN-002
func TestARM64(t *testing.T) {
	t.Parallel()
	var exports, taken [2][]string
	for i, size := range []string{"x64", "arm64"} {
		path := filepath.Join("../../../build/windows", size, "vulkan-1.dll")
		file, err := os.Open(path)
		if os.IsNotExist(err) {
			t.Skipf("no %s: tools/zig.sh && make TARGET=windows spine && make TARGET=windows/arm64 spine", path)
		} else if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		dll, err := pe.NewFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]uint16{"x64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}[size]; dll.Machine != want {
			t.Errorf("%s is for machine %#x", path, dll.Machine)
		}
		header := dll.OptionalHeader.(*pe.OptionalHeader64)
		const hardened = pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE | pe.IMAGE_DLLCHARACTERISTICS_NX_COMPAT | pe.IMAGE_DLLCHARACTERISTICS_HIGH_ENTROPY_VA
		if header.DllCharacteristics&hardened != hardened {
			t.Errorf("%s has the characteristics %#x", path, header.DllCharacteristics)
		}
		exports[i], taken[i] = exported(t, dll), imports(t, dll)
	}
	if len(exports[0]) < 250 || !slices.Equal(exports[0], exports[1]) {
		t.Errorf("x64 exports %d functions, arm64 %d:\n%q\n%q", len(exports[0]), len(exports[1]), exports[0], exports[1])
	}
	// The compiler's start code for x64 calls a function for the lead bytes of a code page.
	taken[0] = slices.DeleteFunc(taken[0], func(one string) bool { return one == "isdbcsleadbyteex:kernel32.dll" })
	if !slices.Equal(taken[0], taken[1]) {
		t.Errorf("x64 takes %q,\narm64 %q", taken[0], taken[1])
	}
}
