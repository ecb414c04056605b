package wording

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Quoted returns a word as input for every POSIX shell: unchanged if possible, otherwise in single quotes. A word with bytes
// that must not reach a terminal becomes a command substitution with printf(1), whose escapes are visible. A substitution
// drops line feeds at its end, so these follow in single quotes. Every word from a file passes through Quoted before the
// tool suggests it in a command.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,+@%", r)
	}
	switch {
	case word != "" && word[0] != '=' && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0: // zsh replaces =PROGRAM by the program's path
		return word
	case utf8.ValidString(word) && strings.IndexFunc(word, Invisible) < 0:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	body := strings.TrimRight(word, "\n")
	end := ""
	if feeds := word[len(body):]; feeds != "" {
		end = "'" + feeds + "'"
	}
	if body == "" {
		return end
	}
	var b strings.Builder
	b.WriteString(`"$(printf '`)
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRuneInString(body[i:])
		switch {
		case r == '%':
			b.WriteString("%%")
		case r == '\'' || r == '\\' || r == '-' && i == 0 || r == utf8.RuneError && size == 1 || Invisible(r):
			for _, c := range []byte(body[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String() + `')"` + end
}

// IsName reports whether a text is a valid variable name in a shell (POSIX, 3.216).
func IsName(text string) bool {
	for i, r := range text {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return text != ""
}
