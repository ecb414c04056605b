package term

import (
	"os/exec"
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

// A shell reads every quoted word back unchanged.
func TestQuotedInShell(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"plain-1.json", "", "two words", "it's", "$(reboot)`x`;&|<>*?~#!", "~all~", hostile, "\x9b\xff'"} {
		quoted := Quoted(word)
		if strings.IndexFunc(quoted, wording.Invisible) >= 0 {
			t.Errorf("%q", quoted)
		}
		out, err := exec.Command("bash", "-c", "printf %s "+quoted).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: %s gives %q, %v", word, quoted, out, err)
		}
	}
	for name, want := range map[string]bool{"A_1": true, "_": true, "1A": false, "": false, "A B": false, "A=B": false, "Ä": false, "A;rm": false} {
		if wording.IsName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
