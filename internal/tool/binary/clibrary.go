package binary

import (
	"path"
	"strings"
)

// OfCLibrary tells whether a library belongs to the C library, by its name: these fit together, and with the dynamic linker,
// only as they were built.
func OfCLibrary(name string) bool {
	stem, _, _ := strings.Cut(path.Base(name), ".so")
	switch stem {
	case "libc", "libm", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl", "libmvec", "libnsl",
		"libBrokenLocale", "libthread_db":
		return true
	}
	return strings.HasPrefix(stem, "ld-") || stem == "ld" || strings.HasPrefix(stem, "libc.musl") ||
		strings.HasPrefix(stem, "libnss_")
}
