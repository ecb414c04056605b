package systems

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Quarantine is the extended attribute that macOS gives to downloaded files.
const Quarantine = "com.apple.quarantine"

// approved is the flag in the attribute's first field for a file that the user has opened.
const approved = 0x40

// Quarantined reports whether a file was downloaded, and the user has not yet allowed macOS to open it. A copy on Linux
// has the attribute in the name space "user".
func (s *Foreign) Quarantined(name string) bool {
	at, ok := s.Place(name)
	if !ok || slices.Contains(s.Released, at) {
		return false
	}
	attribute := Quarantine
	if runtime.GOOS != "darwin" {
		attribute = "user." + attribute
	}
	value, err := s.Machine.Attribute(at, attribute)
	if err != nil {
		return false
	}
	field, _, _ := strings.Cut(string(value), ";")
	flags, err := strconv.ParseUint(field, 16, 32)
	return err != nil || flags&approved == 0
}
