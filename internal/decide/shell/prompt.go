package shell

import (
	"strings"

	"vkloader/internal/decide/wording"
)

// quotePrompt returns a word as input for Windows' command prompt and PowerShell: unchanged, or in double quotes.
func quotePrompt(word string) Line {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune(`_-./:\=+`, r))
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return Line(word)
	}
	return Prompted(word)
}

// Prompted returns a word in double quotes, as the C runtime of Windows reads them. The quotes protect no %NAME% in the
// prompt, and no $ or ` in PowerShell. An invisible character becomes a question mark.
func Prompted(word string) Line {
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0 // before r; in front of a quotation mark, the C runtime reads two as one
	for _, r := range word {
		switch {
		case r == '"':
			b.WriteString(strings.Repeat(`\`, slashes) + `\"`)
		case wording.Invisible(r):
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
		if slashes++; r != '\\' {
			slashes = 0
		}
	}
	return Line(b.String() + strings.Repeat(`\`, slashes) + `"`)
}

// PromptedSet returns the prompt's line that sets a variable, or unsets it with an empty value. A quotation mark, which
// would end the line's quotes, becomes a question mark.
func PromptedSet(name, value string) Line {
	return Line(`set "` + strings.Map(func(r rune) rune {
		if r == '"' || wording.Invisible(r) {
			return '?'
		}
		return r
	}, name+"="+value) + `"`)
}
