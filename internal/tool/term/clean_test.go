package term

import (
	"strings"
	"testing"

	"vkloader/internal/decide/wording"
)

// hostile contains one of each kind of character that must not reach a terminal.
const hostile = "a\x1b]0;x\a\u009b31m\u202eb\u200bc\u2066\ufeff\u2028\U000e0041\x7f\x9b'\\\r\nd"

// Cleaner removes characters that control a terminal, hide or reverse text, and keeps the tool's own colours and line ends.
func TestClean(t *testing.T) {
	t.Parallel()
	if got := OneLine(hostile); strings.IndexFunc(got, wording.Invisible) >= 0 || !strings.HasPrefix(got, "a\uFFFD]0;x") {
		t.Errorf("%q", got)
	}
	var b strings.Builder
	text := "\x1b[1mTitle\x1b[0m\n\tö " + hostile
	if n, err := (Cleaner{To: &b}).Write([]byte(text)); n != len(text) || err != nil {
		t.Error(n, err)
	}
	rest, ok := strings.CutPrefix(b.String(), "\x1b[1mTitle\x1b[0m\n\tö a\uFFFD")
	if !ok || strings.IndexFunc(strings.ReplaceAll(rest, "\n", ""), wording.Invisible) >= 0 {
		t.Errorf("%q", b.String())
	}
	if got := Escaped("{\n \"a\u202e\": \"\u009b\U000e0041ö\"\n}\n"); got != "{\n \"a\\u202e\": \"\\u009b\\udb40\\udc41ö\"\n}\n" {
		t.Errorf("%q", got)
	}
}

// Blanks that look like a space or like nothing are shown by their code.
func TestBlanksAreShown(t *testing.T) {
	t.Parallel()
	for _, r := range []rune{0xa0, 0x34f, 0x115f, 0x1160, 0x1680, 0x17b4, 0x180b, 0x180f, 0x2000, 0x200a, 0x202f, 0x205f, 0x2065, 0x2800, 0x3000, 0x3164, 0xfe00,
		0xfe0f, 0xffa0, 0xfff0, 0x16fe4, 0x1d159, 0xe0080, 0xe0100, 0xe01ef, 0xe0fff} {
		if got, want := OneLine("a"+string(r)+"b"), "a<U+"+strings.ToUpper(hex(r))+">b"; got != want {
			t.Errorf("%U: %q, want %q", r, got, want)
		}
		var b strings.Builder
		if _, err := (Cleaner{To: &b}).Write([]byte("a" + string(r))); err != nil || strings.ContainsRune(b.String(), r) {
			t.Errorf("%U reaches the terminal: %q", r, b.String())
		}
	}
	for _, r := range []rune{0x7f, 0x9b, 0xad, 0x61c, 0x200b, 0x200e, 0x202e, 0x2066, 0x2069, 0xfeff, 0xe0001, 0xe0041} {
		if got := OneLine("a" + string(r) + "b"); strings.ContainsRune(got, r) {
			t.Errorf("%U is shown as it is: %q", r, got)
		}
	}
	if got := OneLine("ä b 日本"); got != "ä b 日本" {
		t.Errorf("%q", got)
	}
}

// hex returns a hexadecimal number with at least four digits.
func hex(r rune) string {
	const digits = "0123456789abcdef"
	text := ""
	for ; r > 0 || len(text) < 4; r /= 16 {
		text = digits[r%16:r%16+1] + text
	}
	return text
}
