package cli

import (
	"os"
	"path/filepath"
	"strings"

	"vkloader/internal/tool/binary"
)

// libraryVersions are the release of a library, as its note says, and the version of Vulkan in its name.
func libraryVersions(library string) (release, vulkan string) {
	if file, err := os.Open(library); err == nil {
		release = binary.Release(file)
		file.Close()
	}
	return release, strings.TrimPrefix(filepath.Base(library), "libvulkan.so.")
}
