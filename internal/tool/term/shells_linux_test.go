package term

import (
	"os/exec"
	"strings"
	"testing"

	"vkloader/internal/decide/wording"
)

// shells are the shells into which users paste or pipe suggested commands.
var shells = [][]string{{"dash", "-c"}, {"bash", "-c"}, {"zsh", "-c"}, {"busybox", "sh", "-c"}}

// readBack has each shell print a quoted word between marks.
func readBack(t *testing.T, word string) {
	t.Helper()
	quoted := Quoted(word)
	if strings.ContainsFunc(strings.TrimRight(quoted, "\n'"), wording.Invisible) {
		t.Errorf("%q is quoted with a character that a terminal must not get: %q", word, quoted)
	}
	for _, shell := range shells {
		if _, err := exec.LookPath(shell[0]); err != nil {
			t.Fatalf("%s is missing: see tools/test-packages.txt", shell[0])
		}
		out, err := exec.Command(shell[0], append(shell[1:], "/usr/bin/printf '<%s>' "+quoted)...).CombinedOutput()
		if err != nil || string(out) != "<"+word+">" {
			t.Errorf("%s: %q is quoted as %q and read as %q (%v)", shell[0], word, quoted, out, err)
		}
	}
}

// Every shell reads a quoted word back.
func FuzzQuoted(f *testing.F) {
	for _, word := range []string{"", "a", "it's", "a\tb'c", "$'\\'; touch /tmp/x #", "\x1b[31m'$(id)`id`\"\\", "a\n", "\n", "\n\n'\n", "a\nb\n\n", "-n\x01",
		"--\x01", "%s%n\x01", "\xff\xfe'", "é\u00a0ü", "=ls", "~", "!x\x01", "\\n\x01\\", "a\u3164b", "{a,b}", "*", "a;b\x7f", "\\047\x01", "#x", "\u034f'\u115f", "1\x019"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if len(word) > 1000 || strings.ContainsRune(word, 0) {
			return
		}
		readBack(t, word)
	})
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
