package term

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Quoted is a word as a shell reads it back: as it is, in single quotes, or, with what a terminal must not get in it, in
// the form $'...' of bash, zsh and POSIX 2024. It is the one way from a file to a suggested command.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,+@%", r)
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case utf8.ValidString(word) && strings.IndexFunc(word, invisible) < 0:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRuneInString(word[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1 || invisible(r):
			for _, c := range []byte(word[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String() + "'"
}

// IsName tells whether a text can be the name of a variable in a shell (POSIX, 3.216).
func IsName(text string) bool {
	for i, r := range text {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return text != ""
}
