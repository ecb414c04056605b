//go:build unix

package term

import "vkloader/internal/decide/wording"

// Quoted returns a word as input for the shells of this system.
func Quoted(word string) string { return wording.Quoted(word) }
