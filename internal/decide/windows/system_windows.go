package windows

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
)

// System64 reports whether the system runs 64-bit programs.
func System64() bool { return strconv.IntSize == 64 || isWOW64(windows.CurrentProcess()) }

func isWOW64(process windows.Handle) bool {
	var is bool
	return windows.IsWow64Process(process, &is) == nil && is
}

// Own returns the rights of this process.
func Own() facts.Process {
	p := of(windows.GetCurrentProcessToken())
	p.WOW64 = isWOW64(windows.CurrentProcess())
	return p
}

// of returns the integrity level of a token (WIN-051, WIN-058).
func of(token windows.Token) (p facts.Process) {
	var size uint32
	_ = windows.GetTokenInformation(token, windows.TokenIntegrityLevel, nil, 0, &size)
	if size == 0 {
		return p
	}
	block := make([]uint64, (size+7)/8)
	if windows.GetTokenInformation(token, windows.TokenIntegrityLevel, (*byte)(unsafe.Pointer(&block[0])), size,
		&size) != nil {
		return p
	}
	sid := (*windows.Tokenmandatorylabel)(unsafe.Pointer(&block[0])).Label.Sid
	if count := sid.SubAuthorityCount(); count > 0 {
		p.Known, p.Level = true, sid.SubAuthority(uint32(count)-1)
	}
	return p
}

var (
	kernel32      = windows.NewLazySystemDLL("kernel32.dll")
	packagesOf    = kernel32.NewProc("GetPackagesByPackageFamily")
	pathOfPackage = kernel32.NewProc("GetPackagePathByFullName")
)

// Packages returns the directories of a family's app packages (WIN-044, WIN-046).
func Packages(family string) (paths []string) {
	wide, err := windows.UTF16PtrFromString(family)
	if err != nil || packagesOf.Find() != nil || pathOfPackage.Find() != nil {
		return nil
	}
	var count, length uint32
	result, _, _ := packagesOf.Call(pointer(wide), pointer(&count), 0, pointer(&length), 0)
	if windows.Errno(result) != windows.ERROR_INSUFFICIENT_BUFFER || count == 0 || length == 0 {
		return nil
	}
	names, buffer := make([]*uint16, count), make([]uint16, length)
	if result, _, _ = packagesOf.Call(pointer(wide), pointer(&count), pointer(&names[0]), pointer(&length),
		pointer(&buffer[0])); result != 0 {
		return nil
	}
	for _, name := range names[:min(int(count), len(names))] {
		var path [maxPath]uint16 // a longer path is left out (WIN-046)
		room := uint32(len(path))
		if result, _, _ := pathOfPackage.Call(pointer(name), pointer(&room), pointer(&path[0])); result == 0 {
			paths = append(paths, text(path[:]))
		}
	}
	return paths
}

// SystemDirectory returns the directory of the system's libraries for a word size; a 32-bit program on a 64-bit system
// has a separate one.
func SystemDirectory(bits string) string {
	if bits == "32" && System64() {
		if directory, err := windows.GetSystemWindowsDirectory(); err == nil {
			return directory + `\SysWOW64`
		}
	}
	directory, err := windows.GetSystemDirectory()
	if err != nil {
		return `C:\Windows\System32`
	}
	if strconv.IntSize == 32 && bits == "64" { // the name of that directory for 32-bit programs
		if windowsDirectory, err := windows.GetSystemWindowsDirectory(); err == nil {
			return windowsDirectory + `\Sysnative`
		}
	}
	return directory
}
