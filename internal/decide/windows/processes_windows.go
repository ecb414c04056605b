package windows

import (
	"errors"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
)

// Process is a running program with the libraries that it has loaded.
type Process struct {
	PID     uint32
	Name    string // file name of the executable
	Program string // path of the executable; "": unknown
	Class   int    // 32 or 64; 0: not known
	User    uint32 // the last part of the SID of the user; 0: not known
	Rights  facts.Process
	Modules []string // paths of the executable and of its libraries, in the order in which they were loaded
}

// Processes lists the programs that run. hidden counts those that the caller may not inspect.
func Processes() (list []Process, hidden int, err error) {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = windows.CloseHandle(all) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all, &entry) {
		if entry.ProcessID == 0 || entry.ProcessID == 4 { // the kernel
			continue
		}
		p := Process{PID: entry.ProcessID, Name: text(entry.ExeFile[:])}
		modules, err := ModulesOf(p.PID)
		if err != nil {
			hidden++
			continue
		}
		for _, m := range modules {
			p.Modules = append(p.Modules, m.File)
		}
		p.Describe()
		list = append(list, p)
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, 0, err
	}
	return list, hidden, nil
}

// ProcessOf returns the process with a number.
func ProcessOf(pid uint32) (*Process, error) {
	modules, err := ModulesOf(pid)
	if err != nil {
		return nil, err
	}
	p := &Process{PID: pid}
	for _, m := range modules {
		p.Modules = append(p.Modules, m.File)
	}
	p.Describe()
	p.Name = filepath.Base(p.Program)
	return p, nil
}

// moduleTries is the number of attempts to read a list that changes meanwhile.
const moduleTries = 8

// LoadedFile is a file that a process has loaded as code, and its address in the process.
type LoadedFile struct {
	File       string
	Base, Size uint64
}

// ModulesOf lists the executable and the libraries of a process, of both word sizes, in the order in which they were
// loaded.
func ModulesOf(pid uint32) (list []LoadedFile, err error) {
	var modules windows.Handle
	for range moduleTries {
		modules, err = windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPMODULE|windows.TH32CS_SNAPMODULE32, pid)
		if !errors.Is(err, windows.ERROR_BAD_LENGTH) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.CloseHandle(modules) }()
	entry := windows.ModuleEntry32{Size: uint32(unsafe.Sizeof(windows.ModuleEntry32{}))}
	for err = windows.Module32First(modules, &entry); err == nil; err = windows.Module32Next(modules, &entry) {
		list = append(list, LoadedFile{text(entry.ExePath[:]), uint64(entry.ModBaseAddr), uint64(entry.ModBaseSize)})
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, err
	}
	return list, nil
}

// ProgramOf returns the path of a process's executable; "": unknown.
func ProgramOf(process windows.Handle) string {
	path := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(path))
	if windows.QueryFullProcessImageName(process, 0, &path[0], &size) != nil {
		return ""
	}
	return text(path[:size])
}

// Describe fills in the process's own facts.
func (p *Process) Describe() {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, p.PID)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	p.Class = 32
	if System64() && !isWOW64(process) {
		p.Class = 64
	}
	p.Program = ProgramOf(process)
	var token windows.Token
	if windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token) != nil {
		return
	}
	defer func() { _ = token.Close() }()
	p.Rights = of(token)
	if user, err := token.GetTokenUser(); err == nil {
		if count := user.User.Sid.SubAuthorityCount(); count > 0 {
			p.User = user.User.Sid.SubAuthority(uint32(count) - 1)
		}
	}
}
