package systems

import (
	"io"
	"os"
	"strconv"

	"vkloader/internal/decide/loaders"
)

// largest is the number of bytes that are read of a loader's file.
const largest = 1 << 28

// Decide finds the program's loader, makes the source read facts as that loader does, and returns the loader. It
// returns nil if the files contain none; the decision is then that of this project's loader.
func (s *Foreign) Decide() *loaders.Loader {
	s.Loader, s.reads = nil, nil
	if !s.windows() || !s.HasFiles() {
		return nil
	}
	class, _ := strconv.Atoi(s.Bits)
	s.Loader = loaders.OfWindows(s.Program, s.Directories()[0], class, s.readLarge)
	if s.Loader != nil && !s.Loader.Ours() {
		s.reads = s.Loader
	}
	return s.Loader
}

func (s *Foreign) readLarge(name string) ([]byte, error) {
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
