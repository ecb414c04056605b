package systems

import (
	"os"

	"vkloader/internal/decide/windows"
)

// Views returns the word sizes of programs that Windows runs: a 32-bit system has only 32-bit programs.
func (s *Foreign) Views() []string {
	if s.Bits == "32" && !s.wow64() &&
		(s.Keys == nil || len(s.Keys.Below(`HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node`)) == 0) {
		return []string{"32"}
	}
	return []string{"64", "32"}
}

// For returns the machine as seen by programs of a word size.
func (s *Foreign) For(bits string) *Foreign {
	seen := *s
	seen.Bits = bits
	seen.Decide()
	return &seen
}

// Open opens a file by its path on the machine.
func (s *Foreign) Open(name string) (*os.File, error) {
	at, ok := s.Place(name)
	if !ok {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	return s.Machine.Open(at)
}

// Directories returns the directories in which Windows searches for libraries, after the program's own.
func (s *Foreign) Directories() []string {
	if s.Bits == "32" && s.wow64() {
		return []string{`C:\Windows\SysWOW64`, `C:\Windows`}
	}
	return []string{`C:\Windows\System32`, `C:\Windows`}
}

// wow64 reports whether 32-bit programs have a separate directory of system libraries.
func (s *Foreign) wow64() bool {
	_, ok := s.at(`C:\Windows\SysWOW64`)
	return ok
}

// Place returns the location of a path in the given files; at has the rules. On 64-bit Windows, 32-bit programs get
// another directory for System32.
func (s *Foreign) Place(name string) (string, bool) {
	if s.windows() && s.Bits == "32" && s.HasFiles() && s.wow64() {
		name = windows.Redirected(name)
	}
	return s.at(name)
}
