package machine

import (
	"path/filepath"
	"strings"

	"vkloader/internal/core/pathname"
)

// SameLibrary compares what a manifest names with what was loaded: a name without a directory may be anywhere, and is
// usually a link to a file with a longer version (libx.so.0 and libx.so.5.8).
func SameLibrary(named, loaded string) bool {
	if Style == pathname.Backslash {
		return strings.EqualFold(filepath.Clean(named), filepath.Clean(loaded)) ||
			filepath.Base(named) == named && strings.EqualFold(named, filepath.Base(loaded))
	}
	if !strings.Contains(named, "/") {
		stem, _, _ := strings.Cut(named, ".so")
		loadedStem, _, _ := strings.Cut(filepath.Base(loaded), ".so")
		return stem == loadedStem
	}
	if real, err := filepath.EvalSymlinks(named); err == nil {
		named = real
	}
	if real, err := filepath.EvalSymlinks(loaded); err == nil {
		loaded = real
	}
	return filepath.Clean(named) == filepath.Clean(loaded)
}
