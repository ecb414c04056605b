package machine

import (
	"strings"

	"vkloader/internal/core/pathname"
)

// Style is how the running system writes paths, and ListSeparator what stands between those of a variable (WIN-013).
const (
	Style         = pathname.Backslash
	ListSeparator = ";"

	ListSeparatorName = "a semicolon"
)

// SameFileName tells whether two names of one directory are one file's: case does not count.
func SameFileName(a, b string) bool { return strings.EqualFold(a, b) }
