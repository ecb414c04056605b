package server

import (
	"strings"

	"vkloader/internal/containers/sealed"
)

// execAllowed reports whether the kernel allows code in memory files (PRO-047).
func execAllowed() bool {
	f, err := sealed.Code("trial", strings.NewReader("trial"))
	if err != nil {
		return false
	}
	f.Close()
	return true
}
