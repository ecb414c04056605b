package term

import "vkloader/internal/decide/wording"

// Quoted returns a word as input for the prompts of this system.
func Quoted(word string) string { return wording.Prompted(word) }
