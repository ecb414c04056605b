package windows

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// layout has the offsets that lead to a process's variables: the process's block has the address of its parameters, and
// these have the address of the variables.
type layout struct {
	size                    int // bytes in an address
	parameters, environment uint64
}

var layouts = map[int]layout{32: {4, 0x10, 0x48}, 64: {8, 0x20, 0x80}}

const (
	environmentMax = 1 << 20 // bytes of a block of variables that are read
	page           = 4096
)

// EnvironmentOf returns the present variables of a process, as NAME=VALUE.
func EnvironmentOf(pid uint32) ([]string, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_INFORMATION|windows.PROCESS_VM_READ, false, pid)
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	block, class, err := blockOf(process)
	if err != nil {
		return nil, err
	}
	in := layouts[class]
	parameters, err := address(process, block+in.parameters, in.size)
	if err != nil {
		return nil, err
	}
	at, err := address(process, parameters+in.environment, in.size)
	if err != nil {
		return nil, err
	}
	text, err := variablesAt(process, at)
	if err != nil {
		return nil, err
	}
	return pairs(text), nil
}

// blockOf returns the address of the process's block, for programs of its word size.
func blockOf(process windows.Handle) (block uint64, class int, err error) {
	own, wow := strconv.IntSize, isWOW64(process)
	if own == 32 && System64() && !wow {
		return 0, 0, errors.New("a 32-bit tool cannot read the variables of a 64-bit process")
	}
	if own == 64 && wow {
		var of32 uintptr
		err = windows.NtQueryInformationProcess(process, windows.ProcessWow64Information, unsafe.Pointer(&of32),
			uint32(unsafe.Sizeof(of32)), nil)
		return uint64(of32), 32, err
	}
	var basic windows.PROCESS_BASIC_INFORMATION
	err = windows.NtQueryInformationProcess(process, windows.ProcessBasicInformation, unsafe.Pointer(&basic),
		uint32(unsafe.Sizeof(basic)), nil)
	return uint64(uintptr(unsafe.Pointer(basic.PebBaseAddress))), own, err
}

func address(process windows.Handle, at uint64, size int) (uint64, error) {
	var data [8]byte
	if err := windows.ReadProcessMemory(process, uintptr(at), &data[0], uintptr(size), nil); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(data[:]), nil
}

// variablesAt reads a block of variables up to the empty text at its end. Its size is unknown, so it reads one page
// after the other.
func variablesAt(process windows.Handle, at uint64) ([]uint16, error) {
	var text []uint16
	for len(text) < environmentMax/2 {
		data := make([]byte, page-at%page)
		if err := windows.ReadProcessMemory(process, uintptr(at), &data[0], uintptr(len(data)), nil); err != nil {
			return nil, err
		}
		at += uint64(len(data))
		for i := 0; i+1 < len(data); i += 2 {
			text = append(text, binary.LittleEndian.Uint16(data[i:]))
			if n := len(text); text[n-1] == 0 && (n == 1 || text[n-2] == 0) {
				return text, nil
			}
		}
	}
	return nil, errors.New("the block of its variables has no end")
}

// pairs returns the variables of a block, except those of drives, whose names begin with "=".
func pairs(text []uint16) (list []string) {
	for pair := range strings.SplitSeq(string(utf16.Decode(text)), "\x00") {
		if pair != "" && pair[0] != '=' {
			list = append(list, pair)
		}
	}
	return list
}
