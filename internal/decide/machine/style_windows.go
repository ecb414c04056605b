package machine

import (
	"strings"

	"vkloader/internal/core/pathname"
)

// Style is the form of the running system's paths, and ListSeparator the separator in variables with several paths
// (WIN-013).
const (
	Style         = pathname.Backslash
	ListSeparator = ";"

	ListSeparatorName = "a semicolon"
)

// SameName reports whether two names of one directory are one file's, or two names one variable's: case does not count.
func SameName(a, b string) bool { return strings.EqualFold(a, b) }
