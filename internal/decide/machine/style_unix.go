//go:build unix

package machine

import "vkloader/internal/core/pathname"

// Style is the form of the running system's paths, and ListSeparator the separator in variables with several paths.
const (
	Style         = pathname.Slash
	ListSeparator = ":"

	ListSeparatorName = "a colon"
)

// SameName reports whether two names of one directory are one file's, or two names one variable's.
func SameName(a, b string) bool { return a == b }
