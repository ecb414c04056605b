package term

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Quoted returns a word as input for every POSIX shell: unchanged, or in single quotes. A word with bytes that must not
// reach a terminal becomes a command substitution with printf(1), with visible escapes. Line feeds at the end, which a
// substitution drops, follow in single quotes. Every word from a file passes through Quoted on its way to a suggested
// command.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,+@%", r)
	}
	switch {
	case word != "" && word[0] != '=' && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0: // zsh looks for the program in =PROGRAM
		return word
	case utf8.ValidString(word) && strings.IndexFunc(word, invisible) < 0:
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
		case r == '\'' || r == '\\' || r == '-' && i == 0 || r == utf8.RuneError && size == 1 || invisible(r):
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

// CodeSpan returns a text as a Markdown code span, also within a table cell: it contains no markup, HTML, link or mention. A
// broken bar replaces the vertical bar, because Markdown readers differ in its escaping. The result is "" for an empty text.
func CodeSpan(text string) string {
	text = strings.ReplaceAll(OneLine(text), "|", "¦")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	fence := strings.Repeat("`", longest(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") ||
		strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// CodeBlock returns lines as a fenced Markdown code block. Each line stays one line.
func CodeBlock(language string, lines ...string) string {
	most := 2
	for i, line := range lines {
		lines[i] = OneLine(line)
		most = max(most, longest(line))
	}
	fence := strings.Repeat("`", most+1)
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}

// longest returns the length of the longest run of backquotes.
func longest(text string) int {
	most, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		most = max(most, run)
	}
	return most
}
