package machine

import "vkloader/internal/core/pathname"

// Style is how the running system writes paths, and ListSeparator what stands between those of a variable.
const (
	Style         = pathname.Slash
	ListSeparator = ":"

	ListSeparatorName = "a colon"
)

// SameFileName tells whether two names of one directory are one file's.
func SameFileName(a, b string) bool { return a == b }
