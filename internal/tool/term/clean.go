package term

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible reports whether a character commands a terminal, changes how others are shown, or looks like nothing or like a
// space: control characters of both sets, marks of direction, separators of lines, blanks.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || blank(r)
}

// blank reports whether a character of a text looks like a space or like nothing: other spaces than that of ASCII, the blank of
// braille, fillers of Hangul, variation selectors, and the others that Unicode lets programs leave out.
func blank(r rune) bool {
	switch {
	case r < 0xa0:
		return false
	case r == 0x2800 || r >= 0x17b4 && r <= 0x17b5 || r >= 0xfff0 && r <= 0xfff8 || r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.In(r, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// shown returns a character as people get it: U+FFFD for one that commands a terminal, its code for a blank.
func shown(r rune) string {
	switch {
	case blank(r):
		return fmt.Sprintf("<U+%04X>", r)
	case invisible(r):
		return string(utf8.RuneError)
	}
	return string(r)
}

// OneLine replaces characters that command a terminal or hide, so that a hostile name can break neither the layout nor the
// terminal, nor look like another one. It is the one way from a file to a terminal.
func OneLine(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, invisible) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s { // bytes that are no UTF-8 come as U+FFFD
		b.WriteString(shown(r))
	}
	return b.String()
}

// Escaped is JSON in which such characters stand as escapes; outside of texts, where there is white space only, it
// changes nothing.
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

// Cleaner passes text on with everything replaced that OneLine replaces, but for ends of lines, tabs and the tool's own
// colours. It stands behind whatever prints, for what a command forgot to clean.
type Cleaner struct {
	To    io.Writer
	Plain bool // the text has no colours of the tool: a name with the same codes is cleaned as well
}

// Write implements io.Writer; a character that is cut in two between calls counts as none.
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

// ownColour is one of Style's codes at the start of a text.
func ownColour(text string) string {
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m"} {
		if strings.HasPrefix(text, code) {
			return code
		}
	}
	return ""
}
