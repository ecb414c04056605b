package shell

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/wording"
)

// shells are the shells into which users paste or pipe suggested lines; one of them expands !EVENT.
var shells = [][]string{{"dash"}, {"bash"}, {"bash", "--norc", "-o", "history", "-o", "histexpand"}, {"zsh", "-f"}, {"busybox", "sh"}, {"fish", "--no-config"}}

// readBack has each shell print quoted words, and returns the first word that a shell reads as another; false: none.
func readBack(t *testing.T, words []string) (wrong string, found bool) {
	t.Helper()
	directory := t.TempDir()
	var script strings.Builder
	for part := range len(words)/100 + 1 {
		script.WriteString("printf '<%s>\\0'")
		for _, word := range words[part*100 : min(part*100+100, len(words))] {
			quoted := string(Quoted(word))
			if strings.ContainsFunc(strings.TrimRight(quoted, "\n'"), wording.Invisible) {
				t.Errorf("%q is quoted with a character that a terminal must not get: %q", word, quoted)
			}
			script.WriteString(" " + quoted)
		}
		script.WriteString("\n")
	}
	file := filepath.Join(directory, "script")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, shell := range shells {
		if _, err := exec.LookPath(shell[0]); err != nil {
			t.Fatalf("%s is missing: see tools/test-packages.txt", shell[0])
		}
		for _, locale := range []string{"C", "C.UTF-8"} {
			cmd := exec.Command(shell[0], append(shell[1:], file)...)
			cmd.Dir, cmd.Env = directory, []string{"PATH=/usr/bin:/bin", "HOME=" + directory, "LC_ALL=" + locale}
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%s: %v", shell[0], err)
			}
			if _, err := os.Stat(filepath.Join(directory, "PWN")); err == nil {
				t.Errorf("%s runs a part of a word", shell[0])
			}
			read := bytes.Split(out, []byte{0})
			for i, word := range words {
				if i >= len(read) || string(read[i]) != "<"+word+">" {
					t.Errorf("%s, %s: %q is quoted as %s", shell[0], locale, word, Quoted(word))
					return word, true
				}
			}
		}
	}
	return "", false
}

// seeds are words that shells read in special ways.
var seeds = []string{"", "a", "it's", "a\tb'c", "$'\\'; touch /tmp/x #", "\x1b[31m'$(id)`id`\"\\", "a\n", "\n", "\n\n'\n", "a\nb\n\n", "-n\x01",
	"--\x01", "%s%n\x01", "\xff\xfe'", "é\u00a0ü", "=ls", "~", "!x\x01", "\\n\x01\\", "a\u3164b", "{a,b}", "*", "a;b\x7f", "\\047\x01", "#x", "\u034f'\u115f",
	"1\x019", `a\';touch PWN;#`, `\`, `\\'`, `'`, `''\`, "%self", "%", "!!", "!x'", "^a^b", "$HOME", "$(id)\x01", "a\r", "~root", "(id)", "-", "\xed\xa0\x80", "\uf8ff", "\uf600"}

// Every shell reads a quoted word back.
func FuzzQuoted(f *testing.F) {
	for _, word := range seeds {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if len(word) > 1000 || strings.ContainsRune(word, 0) {
			return
		}
		readBack(t, []string{word})
	})
}

// randomWord returns a word of the bytes and characters that matter to shells and terminals.
func randomWord(random *rand.Rand) string {
	parts := []string{"'", `\`, `\'`, "`", `"`, "$", "$(touch PWN)", ";touch PWN;", "#", "!", "%", "{", "}", "(", ")", "[", "]", "*", "?", "~", "=", "^", "&", "|", "<", ">",
		" ", "\t", "\n", "\r", "\x01", "\x1b", "\x7f", "\x80", "\xff", "\u00a0", "\u202e", "ä", "日", "-", "a", "1", "041", "self", ",", ":"}
	var b strings.Builder
	for range 1 + random.IntN(12) {
		b.WriteString(parts[random.IntN(len(parts))])
	}
	return b.String()
}

// Every shell reads thousands of random words back, and a name with a quoted quote runs nothing.
func TestQuotedInShells(t *testing.T) {
	t.Parallel()
	words := append([]string{}, seeds...)
	for seed := range uint64(4000) {
		words = append(words, randomWord(rand.New(rand.NewPCG(seed, 57))))
	}
	if wrong, found := readBack(t, words); found {
		readBack(t, []string{wrong})
	}
	for word, want := range map[string]Line{"": "''", "a": "a", "A=b:/c": "A=b:/c", "~all~": "'~all~'", "it's": `'it'\''s'`, "*": "'*'", `a\';b`: `'a'\\\'';b'`} {
		if got := Quoted(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
	for name, want := range map[string]bool{"A_1": true, "_": true, "1A": false, "": false, "A B": false, "A=B": false, "Ä": false, "A;rm": false} {
		if IsName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
