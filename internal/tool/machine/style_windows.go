package machine

import "vkloader/internal/core/pathname"

// Style is how the running system writes paths, and ListSeparator what stands between those of a variable (WIN-013).
const (
	Style         = pathname.Backslash
	ListSeparator = ";"

	ListSeparatorName = "a semicolon"
)
