package wording

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Invisible reports whether a character is blank, controls a terminal, or changes how others are displayed: control
// characters, direction marks, zero-width characters, line separators and blanks.
func Invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || blank(r)
}

// blank reports whether a character looks like a space or is not displayed: spaces other than ASCII's, the blank
// Braille pattern, Hangul fillers, variation selectors, and the other characters that Unicode lets programs omit.
func blank(r rune) bool {
	switch {
	case r < 0xa0:
		return false
	case r == 0x2800 || r == 0x16fe4 || r == 0x1d159 || r >= 0x17b4 && r <= 0x17b5 || r >= 0xfff0 && r <= 0xfff8 ||
		r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.In(r, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Shown returns the displayed form of a character: U+FFFD for a character that controls a terminal, the code for a
// blank, and otherwise the character.
func Shown(r rune) string {
	switch {
	case blank(r):
		return fmt.Sprintf("<U+%04X>", r)
	case Invisible(r):
		return string(utf8.RuneError)
	}
	return string(r)
}

// OneLine replaces characters that control a terminal or hide text, so that a hostile name cannot break the layout,
// control the terminal, or look like another name. Every text from a file passes through OneLine on its way to a
// terminal.
func OneLine(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, Invisible) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s { // invalid UTF-8 arrives as U+FFFD
		b.WriteString(Shown(r))
	}
	return b.String()
}
