package wording

import "strings"

// Prompted returns a word as input for Windows' command prompt and PowerShell: unchanged, or in double quotes as the C
// runtime reads them. The quotes protect no %NAME% in the prompt, and no $ or ` in PowerShell. An invisible character becomes a
// question mark.
func Prompted(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`_-./:\=+`, r))
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0 // before r; in front of a quotation mark, the C runtime reads two as one
	for _, r := range word {
		switch {
		case r == '"':
			b.WriteString(strings.Repeat(`\`, slashes) + `\"`)
		case Invisible(r):
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
		if slashes++; r != '\\' {
			slashes = 0
		}
	}
	return b.String() + strings.Repeat(`\`, slashes) + `"`
}
