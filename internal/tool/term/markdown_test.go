package term

import "testing"

// Any text from a file stays inside its code block.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	if got, want := CodeBlock("text", "a", "```\nb"), "````text\na\n```\ufffdb\n````\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
