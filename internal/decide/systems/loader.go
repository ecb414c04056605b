package systems

import (
	"io"
	"os"
	"strconv"

	"vkloader/internal/decide/loaders"
)

// largest is how much of a loader's file is read.
const largest = 1 << 28

// Decide makes the source one of facts as the loader of its program reads them, and gives that loader. It is nil where the files
// have none; then the decision is that of this project's loader.
func (s *Source) Decide() *loaders.Loader {
	s.loader, s.reads = nil, nil
	if !s.windows() || !s.known() {
		return nil
	}
	class, _ := strconv.Atoi(s.Bits)
	s.loader = loaders.OfWindows(s.Program, s.Directories()[0], class, s.readLarge)
	if s.loader != nil && !s.loader.Ours() {
		s.reads = s.loader
	}
	return s.loader
}

// Loader implements doctor.PC.
func (s *Source) Loader() *loaders.Loader { return s.loader }

func (s *Source) readLarge(name string) ([]byte, error) {
	file, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = os.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, largest))
}
