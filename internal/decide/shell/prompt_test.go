package shell

import (
	"strings"
	"testing"
)

// runtimeWord returns the argument that Microsoft's C runtime reads from one word of a command line, and false if the word
// continues or ends early.
func runtimeWord(line string) (string, bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(line); i++ {
		slashes := len(line[i:]) - len(strings.TrimLeft(line[i:], `\`))
		next := i + slashes
		switch {
		case slashes > 0 && next < len(line) && line[next] == '"':
			b.WriteString(strings.Repeat(`\`, slashes/2))
			if i = next - 1; slashes%2 == 1 {
				b.WriteByte('"')
				i = next
			}
		case slashes > 0:
			b.WriteString(line[i:next])
			i = next - 1
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ' ' && !quoted:
			return b.String(), false
		default:
			b.WriteByte(line[i])
		}
	}
	return b.String(), !quoted
}

func TestPrompted(t *testing.T) {
	for word, want := range map[string]string{
		"":                              `""`,
		`C:\Windows\nv.json`:            `C:\Windows\nv.json`,
		`C:\Program Files\a.json`:       `"C:\Program Files\a.json"`,
		`C:\a b\`:                       `"C:\a b\\"`,
		`it's`:                          `"it's"`,
		`nv*`:                           `"nv*"`,
		`a&b`:                           `"a&b"`,
		`a,b`:                           `"a,b"`,
		`(86)`:                          `"(86)"`,
		`a"b`:                           `"a\"b"`,
		`a\"b`:                          `"a\\\"b"`,
		`C:\Käse\ディスク.dll`:              `"C:\Käse\ディスク.dll"`,
		"a\x1b[31mb":                    `"a?[31mb"`,
		`--app=C:\Games\game.exe`:       `--app=C:\Games\game.exe`,
		`C:\x\\y z\\`:                   `"C:\x\\y z\\\\"`,
		`AMD Radeon RX 7900 XTX (RADV)`: `"AMD Radeon RX 7900 XTX (RADV)"`,
	} {
		got := string(quotePrompt(word))
		if got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
		if read, whole := runtimeWord(got); !whole || read != strings.ReplaceAll(word, "\x1b", "?") {
			t.Errorf("%s: a program reads %q, want %q", got, read, word)
		}
	}
}
