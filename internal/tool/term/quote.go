package term

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vkloader/internal/decide/wording"
)

// CodeBlock returns lines as a fenced Markdown code block. Each line stays one line.
func CodeBlock(language string, lines ...string) string {
	text, fence := strings.Join(Words(lines, OneLine), "\n"), "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence + "\n"
}

// OneLine is wording.OneLine.
func OneLine(s string) string { return wording.OneLine(s) }

// Escaped returns JSON with invisible characters as escapes. Outside of strings, JSON contains only white space and
// punctuation, which stay unchanged.
func Escaped(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r != '\n' && wording.Invisible(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || !wording.Invisible(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Cleaner passes text on with OneLine's replacements. It keeps line ends, tabs and the tool's own colours. Every output
// passes through it, in case a command does not call OneLine.
type Cleaner struct {
	To    io.Writer
	Plain bool // the text has no colours of the tool: a name with the same codes is cleaned as well
}

// Write implements io.Writer. It replaces a character that is split between calls.
func (c Cleaner) Write(data []byte) (int, error) {
	text := string(data)
	var b strings.Builder
	for len(text) > 0 {
		if code := ownColour(text); code != "" && !c.Plain {
			b.WriteString(code)
			text = text[len(code):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(wording.Shown(r))
		}
		text = text[size:]
	}
	if _, err := io.WriteString(c.To, b.String()); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Text returns a text with OneLine's replacements, except for line ends and tabs.
func Text(text string) string {
	var b strings.Builder
	_, _ = Cleaner{To: &b, Plain: true}.Write([]byte(text)) // a Builder has no errors
	return b.String()
}

// Colours are the codes that Style writes.
var Colours = []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m"}

// ownColour returns one of Style's codes at the start of a text.
func ownColour(text string) string {
	for _, code := range Colours {
		if strings.HasPrefix(text, code) {
			return code
		}
	}
	return ""
}
