package cli

import (
	"strings"

	"vkloader/internal/tool/pc"
)

// libraryVersions are the release of a library and its version of Vulkan, as its resources say.
func libraryVersions(library string) (release, vulkan string) {
	if pc.FileText(library, "ProductName") == "vkloader" {
		release = pc.FileText(library, "ProductVersion")
	}
	return release, strings.TrimSuffix(pc.FileVersion(library), ".0")
}
