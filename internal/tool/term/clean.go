package term

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible reports whether a character controls a terminal, changes the display of others, or is blank: control characters,
// direction marks, zero-width characters, line separators and blanks.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || blank(r)
}

// blank reports whether a character looks like a space or is not displayed: spaces other than ASCII's, the blank Braille
// pattern, Hangul fillers, variation selectors, and the other characters that Unicode lets programs omit.
func blank(r rune) bool {
	switch {
	case r < 0xa0:
		return false
	case r == 0x2800 || r >= 0x17b4 && r <= 0x17b5 || r >= 0xfff0 && r <= 0xfff8 || r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.In(r, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// shown returns the displayed form of a character: U+FFFD for one that controls a terminal, and the code of a blank.
func shown(r rune) string {
	switch {
	case blank(r):
		return fmt.Sprintf("<U+%04X>", r)
	case invisible(r):
		return string(utf8.RuneError)
	}
	return string(r)
}

// OneLine replaces characters that control a terminal or hide text, so that a hostile name cannot break the layout, control
// the terminal, or look like another name. Every text from a file passes through OneLine on its way to a terminal.
func OneLine(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, invisible) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s { // invalid UTF-8 arrives as U+FFFD
		b.WriteString(shown(r))
	}
	return b.String()
}

// Escaped returns JSON with invisible characters as escapes. Outside of strings, JSON contains only white space and
// punctuation, which stay unchanged.
func Escaped(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r != '\n' && invisible(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || !invisible(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
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
			b.WriteString(shown(r))
		}
		text = text[size:]
	}
	if _, err := io.WriteString(c.To, b.String()); err != nil {
		return 0, err
	}
	return len(data), nil
}

// ownColour returns one of Style's codes at the start of a text.
func ownColour(text string) string {
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m"} {
		if strings.HasPrefix(text, code) {
			return code
		}
	}
	return ""
}
