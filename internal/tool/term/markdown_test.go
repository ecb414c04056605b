package term

import "testing"

// Any text from a file stays inside its code span or block.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		" ":                        "",
		"a.json":                   "`a.json`",
		"a`b":                      "``a`b``",
		"`a``":                     "``` `a`` ```",
		" a ":                      "`  a  `",
		`a\|<b>`:                   "`a\\¦<b>`",
		"a\n# b\x1b[2J\u202e @you": "`a\ufffd# b\ufffd[2J\ufffd @you`",
	} {
		if got := CodeSpan(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := CodeBlock("text", "a", "```\nb"), "````text\na\n```\ufffdb\n````\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
