//go:build unix

package machine

import (
	"io/fs"
	"os"
	"syscall"

	"vkloader/internal/core/facts"
)

// Var implements facts.Provider.
func (s *Source) Var(name string, secure bool) facts.Var {
	if secure && s.Elevated || s.Loader != nil && !s.Loader.Reads(name) {
		return facts.Var{}
	}
	value, set := s.Lookup(name)
	return facts.Var{Value: value, Set: set}
}

// Path returns the path by which the tool opens a file that a program of the word size opens as name: here the same
// path.
func (s *Source) Path(name string) string { return name }

// numberOf returns the number that identifies an open file to the system.
func numberOf(_ *os.File, info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return facts.FileNumber(uint64(stat.Dev), uint64(stat.Ino))
	}
	return 0
}
