// Package shell writes lines for a person's shell. A Line consists of constants and of words from Quoted; no other text
// becomes a part of one, which a test in test/source checks. Callers decide which lines they suggest.
package shell

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"unicode/utf8"

	"vkloader/internal/decide/wording"
)

// Line is text in the syntax of a shell: a line, or a part of one.
type Line string

// Quoted returns a word as input for the shells of this system.
func Quoted(word string) Line {
	if runtime.GOOS == "windows" {
		return quotePrompt(word)
	}
	return quote(word)
}

// Words returns several words as input for the shells of this system, with blanks between them.
func Words(words ...string) Line { return Join(wording.Words(words, Quoted), " ") }

// Join returns lines as one, with a separator between them.
func Join(lines []Line, separator Line) (all Line) {
	for i, line := range lines {
		if i > 0 {
			all += separator
		}
		all += line
	}
	return all
}

// Filled returns a line of a table with each match of place replaced. The table is one of the tool's own: its text is
// not quoted.
func Filled(line string, place *regexp.Regexp, fill func(place string) Line) Line {
	return Line(place.ReplaceAllStringFunc(line, func(place string) string { return string(fill(place)) }))
}

// quote returns a word as input for dash, bash, zsh, busybox and fish: unchanged if possible, otherwise in single
// quotes. Quotes and backslashes stand outside the single quotes, because fish reads them as escapes inside. A word
// with bytes that must not reach a terminal becomes a command substitution with printf(1), whose escapes are visible. A
// substitution drops line feeds at its end, so these follow in single quotes.
func quote(word string) Line {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-./:=,+@%", r)
	}
	switch {
	case word != "" && !strings.ContainsRune("=%", rune(word[0])) && // zsh replaces =PROGRAM, fish %self
		strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return Line(word)
	case utf8.ValidString(word) && strings.IndexFunc(word, wording.Invisible) < 0:
		return singleQuote(word)
	}
	body := strings.TrimRight(word, "\n")
	end := Line("")
	if feeds := word[len(body):]; feeds != "" {
		end = Line("'" + feeds + "'")
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
		case r == '\'' || r == '\\' || r == '!' || r == '-' && i == 0 || r == utf8.RuneError && size == 1 ||
			wording.Invisible(r):
			for _, c := range []byte(body[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return Line(b.String()+`')"`) + end
}

// singleQuote returns a word in single quotes, with its quotes and backslashes outside of them.
func singleQuote(word string) Line {
	var b strings.Builder
	inside := false
	for i := range len(word) {
		special := word[i] == '\'' || word[i] == '\\'
		if special == inside {
			b.WriteByte('\'')
			inside = !inside
		}
		if special {
			b.WriteByte('\\')
		}
		b.WriteByte(word[i])
	}
	switch {
	case word == "":
		return "''"
	case inside:
		b.WriteByte('\'')
	}
	return Line(b.String())
}

// LaunchOptions returns a line that sets or unsets variables of a shell as Steam's launch options for one game; "" for
// another line.
func LaunchOptions(line Line) Line {
	if rest, is := strings.CutPrefix(string(line), "export "); is && !strings.ContainsAny(rest, ";&") {
		return Line(rest + " %command%")
	}
	if rest, is := strings.CutPrefix(string(line), "unset "); is && IsName(rest) {
		return Line("env -u " + rest + " %command%")
	}
	return ""
}

// IsCompletion reports whether a shell may complete a word by itself: it has characters that no shell reads in a
// special way, because bash inserts the common beginning of several words without quotes.
func IsCompletion(word string) bool {
	return word != "" &&
		strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+:/-") == ""
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
